package store

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/memhtml-ls/memhtml-ls/internal/fault"
)

// editPlan moves one file and edits another.
func (s *sandbox) editPlan() Plan {
	return Plan{Changes: []Change{
		move(drain, moved, s.read(drain)),
		{From: pool, Path: pool, Expect: sum(s.read(pool)), After: []byte(s.read(pool) + "ours\n")},
	}, Message: Message{Subject: "memhtml(plan): 2"}, At: testTime}
}

// withAndWithoutExchange runs a test on both ways of replacing a file.
func withAndWithoutExchange(t *testing.T, f func(t *testing.T, s *sandbox)) {
	t.Helper()
	for name, without := range map[string]bool{"exchange": false, "aside": true} {
		t.Run(name, func(t *testing.T) {
			testOnlyNoExchange = without
			t.Cleanup(func() { testOnlyNoExchange = false })
			f(t, newSandbox(t))
		})
	}
}

// disguise changes a file so that its size and times stay the same: to the
// last look it is what it was.
func (s *sandbox) disguise(path string) (text string) {
	s.t.Helper()
	st, err := os.Stat(s.path(path))
	if err != nil {
		s.t.Fatal(err)
	}
	text = strings.Replace(s.read(path), "a", "@", 1)
	s.write(path, text)
	if err := os.Chtimes(s.path(path), time.Time{}, st.ModTime()); err != nil {
		s.t.Fatal(err)
	}
	return text
}

func TestSaveBetweenTheLastLookAndTheChange(t *testing.T) {
	withAndWithoutExchange(t, func(t *testing.T, s *sandbox) {
		want := map[string]string{}
		onStep(t, StepReplace, func() error {
			want[drain], want[pool] = s.disguise(drain), s.disguise(pool)
			return nil
		})
		if res := s.commit(s.open(), s.editPlan()); len(res.Warnings) != 2 {
			t.Errorf("warnings: %q", res.Warnings)
		}
		for p, text := range want {
			if got := s.read(p); got != text {
				t.Errorf("%s: the save was lost: %q", p, got)
			}
		}
		s.sound()
	})
}

// TestSaveWhileTheFileIsAside lets an editor make the file anew while the old
// one is out of its way.
func TestSaveWhileTheFileIsAside(t *testing.T) {
	withAndWithoutExchange(t, func(t *testing.T, s *sandbox) {
		var saves []string
		fault.Step = func(step string) error {
			if step == StepAside {
				p := []string{pool, drain}[len(saves)]
				saves = append(saves, p)
				s.write("saved.tmp", "saved\n")
				return os.Rename(s.path("saved.tmp"), s.path(p))
			}
			return nil
		}
		t.Cleanup(func() { fault.Step = nil })
		s.commit(s.open(), s.editPlan())
		if len(saves) != 2 || s.read(pool) != "saved\n" || s.read(drain) != "saved\n" {
			t.Errorf("a save was lost: %q", saves)
		}
		if got := s.git("status", "--porcelain"); got != " M "+pool+"\n?? "+drain+"\n" {
			t.Errorf("status:\n%s", got)
		}
		s.sound()
	})
}

// TestKilledBeforeASaveThatIsAsideIsSeen kills the writer while a save of the
// person's lies under the name of a temp.
func TestKilledBeforeASaveThatIsAsideIsSeen(t *testing.T) {
	for _, tt := range []struct {
		step, temp, path string
		without          bool
	}{
		{StepReplace, ".new", pool, false},
		{StepReplace, ".aside", pool, true},
		{StepDelete, ".aside", drain, false},
	} {
		s := newSandbox(t)
		plan := s.editPlan()
		rehearsal := s.copyTo(quickDir(t) + "/rehearsal")
		steps := child{Dir: rehearsal.dir, Do: "commit", Plan: plan}.steps(t)
		c := child{Dir: s.dir, Do: "commit", Plan: plan, NoExchange: tt.without}
		for i, step := range steps {
			if step == StepAside && steps[i-1] == tt.step {
				c.KillAt = i + 1
			}
		}
		if killed, out, err := c.start(t); !killed {
			t.Fatal(out, err)
		}
		saved := 0
		for _, p := range s.temps(tt.temp) {
			if b, err := os.ReadFile(p); err != nil || strings.Contains(string(b), "memhtml-archived") {
				continue
			}
			os.Remove(p)
			if err := os.WriteFile(p, []byte("saved\n"), 0o666); err != nil {
				t.Fatal(err)
			}
			saved++
		}
		if _, out, err := (child{Dir: s.dir, Do: "recover"}).start(t); saved != 1 || err != nil {
			t.Fatal(saved, out, err)
		}
		if got := s.read(tt.path); got != "saved\n" {
			t.Errorf("%s %s: the save was lost: %q", tt.step, tt.temp, got)
		}
		s.sound()
	}
}

// TestKilledWhileCopyingBeside leaves a part of a copy beside the file, as where
// the git folder is on another file system: it is not a save of the person's.
func TestKilledWhileCopyingBeside(t *testing.T) {
	s := newSandbox(t)
	plan := s.editPlan()
	s.killedBefore(plan, StepReplace)
	r := s.open()
	j, err := r.readJournal()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range j.Files {
		if f.Path == pool {
			s.write(filepath.ToSlash(filepath.Dir(pool))+"/."+f.Temp+partSuffix, "<!doc")
			s.write(".git/memhtml-ls/tmp/"+f.Temp+partSuffix, "<!doc")
			os.Remove(s.path(".git/memhtml-ls/tmp/" + f.Temp))
		}
	}
	if ok, err := r.Recover(context.Background()); !ok || err != nil {
		t.Fatal(ok, err)
	}
	if got := s.read(pool); got != string(plan.Changes[1].After) {
		t.Errorf("the file is %q", got)
	}
	s.clean()
	s.sound()
}

func (s *sandbox) temps(kind string) []string {
	found, _ := filepath.Glob(s.path(".git/memhtml-ls/tmp/*" + kind + "*"))
	return found
}

// TestOldUnreachableObjectsAreMadeYoung prunes while a commit is made from
// objects that are old and that nothing refers to.
func TestOldUnreachableObjectsAreMadeYoung(t *testing.T) {
	const other = "areas/z/b.html"
	for _, packed := range []bool{false, true} {
		s := newSandbox(t)
		s.write("areas/z/a.html", article("a", "a of x is 1."))
		s.git("add", ".")
		s.git("commit", "-q", "-m", "one")
		s.write(other, article("b", "b of x is 2."))
		s.git("add", ".")
		s.git("commit", "-q", "-m", "two")
		if packed {
			s.git("repack", "-q", "-a", "-d")
		}
		s.git("checkout", "-q", "--orphan", "new")
		s.git("commit", "-q", "-m", "squashed")
		s.git("branch", "-q", "-D", "main")
		s.git("reflog", "expire", "--expire=now", "--all")
		s.age()
		prune := func() error {
			if packed {
				s.git("repack", "-q", "-A", "-d", "--unpack-unreachable=2.weeks.ago")
			}
			s.git("prune", "--expire=2.weeks.ago")
			return nil
		}
		// Later the objects that are new keep those that they name.
		onStep(t, StepObjects, prune)
		s.commit(s.open(), s.archive(other, "archive/2026/"+other))
		s.clean()
		s.sound()
	}
}

// age makes all objects a month old.
func (s *sandbox) age() {
	s.t.Helper()
	old := time.Now().AddDate(0, -1, 0)
	err := filepath.Walk(s.path(".git/objects"), func(p string, st os.FileInfo, err error) error {
		if err != nil || st.IsDir() {
			return err
		}
		return os.Chtimes(p, old, old)
	})
	if err != nil {
		s.t.Fatal(err)
	}
}
