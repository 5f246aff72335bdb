package store

import (
	"context"
	"fmt"
	"math/rand"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
)

// killedBefore kills a writer of the plan before a step.
func (s *sandbox) killedBefore(plan Plan, step string) {
	s.t.Helper()
	rehearsal := s.copyTo(quickDir(s.t) + "/rehearsal")
	steps := child{Dir: rehearsal.dir, Do: "commit", Plan: plan}.steps(s.t)
	c := child{Dir: s.dir, Do: "commit", Plan: plan, KillAt: slices.Index(steps, step) + 1}
	if killed, out, err := c.start(s.t); !killed {
		s.t.Fatal(out, err)
	}
}

// TestRecoveryInAShallowClone kills a writer in a clone whose commit names a
// parent that is not there.
func TestRecoveryInAShallowClone(t *testing.T) {
	whole := newSandbox(t)
	for i := range 3 {
		whole.commitFile("x.txt", fmt.Sprint(i))
	}
	for _, step := range []string{StepRecheck, StepRef, StepCreate} {
		t.Run(step, func(t *testing.T) {
			s := &sandbox{t, t.TempDir() + "/clone"}
			whole.git("clone", "-q", "--depth", "1", "file://"+whole.dir, s.dir)
			s.person()
			plan := s.archive(drain, moved)
			s.killedBefore(plan, step)
			if ok, err := s.open().Recover(context.Background()); !ok || err != nil {
				t.Fatal(ok, err)
			}
			if step != StepCreate {
				s.commit(s.open(), plan)
			}
			s.clean()
			s.sound()
		})
	}
}

// TestRecoveryGivesItsOwnLockBack fails after recovery has locked the index.
func TestRecoveryGivesItsOwnLockBack(t *testing.T) {
	s := newSandbox(t)
	plan := s.archive(drain, moved)
	s.killedBefore(plan, StepIndexLock)
	onStep(t, RecoverReflog, func() error { return syscall.ENOSPC })
	if _, err := s.open().Recover(context.Background()); failure.CodeOf(err) != failure.Storage {
		t.Fatalf("got %v", err)
	}
	if exists(s.path(".git/index.lock")) {
		t.Error("the lock stayed")
	}
	s.commit(s.open(), plan)
	s.clean()
	s.sound()
}

var damagedJournals = []string{
	"", "{", "{}", "null", "[]",
	`{"token":"x","ref":"../../../x","new":"zz","files":[{"path":"../../etc/x"}]}`,
	`{"token":"memhtml-ls-00","ref":"refs/heads/../../x","new":"` + strings.Repeat("0", 40) + `"}`,
	`{"token":"memhtml-ls-00","ref":"HEAD","new":"` + strings.Repeat("0", 40) + `","files":[{"path":"a","temp":"../x"}]}`,
	`{"token":"memhtml-ls-00","ref":"HEAD","new":"` + strings.Repeat("0", 40) + `","files":[null]}`,
}

func TestDamagedJournalIsSetAside(t *testing.T) {
	s := newSandbox(t)
	for i, text := range damagedJournals {
		s.write(".git/memhtml-ls/journal.json", text)
		plan := Plan{Changes: []Change{{Path: fmt.Sprintf("areas/%d.html", i), After: []byte("x\n")}}, Message: Message{Subject: "w"}, At: testTime}
		if res := s.commit(s.open(), plan); len(res.Warnings) != 1 {
			t.Errorf("%q: warnings %q", text, res.Warnings)
		}
		if got := s.read(".git/memhtml-ls/journal.json.damaged"); got != text {
			t.Errorf("%q was kept as %q", text, got)
		}
		if ok, err := s.open().Recover(context.Background()); ok || err != nil {
			t.Error("recovered again:", ok, err)
		}
	}
	s.clean()
}

// TestDamagedJournalOfABegunCommit finds a lock of ours, which says that
// something may be half done.
func TestDamagedJournalOfABegunCommit(t *testing.T) {
	s := newSandbox(t)
	plan := s.archive(drain, moved)
	s.killedBefore(plan, StepCreate)
	s.write(".git/memhtml-ls/journal.json", "{")
	lock := s.read(".git/index.lock")
	if _, err := s.open().Recover(context.Background()); failure.CodeOf(err) != failure.GitState {
		t.Errorf("got %v", err)
	}
	if s.read(".git/memhtml-ls/journal.json") != "{" || s.read(".git/index.lock") != lock {
		t.Error("something was removed")
	}
}

func TestTempsOfAKillBeforeTheJournalAreRemovedAtTheStart(t *testing.T) {
	s := newSandbox(t)
	s.killedBefore(s.archive(drain, moved), StepJournal)
	if temps, err := os.ReadDir(s.path(".git/memhtml-ls/tmp")); err != nil || len(temps) == 0 {
		t.Fatal("no temps", err)
	}
	if ok, err := s.open().Recover(context.Background()); ok || err != nil {
		t.Error(ok, err)
	}
	s.sound()
}

// TestTempsOfALivingWriterStay opens the repository while another writes.
func TestTempsOfALivingWriterStay(t *testing.T) {
	s := newSandbox(t)
	onStep(t, StepJournal, func() error {
		if ok, err := s.open().Recover(context.Background()); ok || err != nil {
			t.Error(ok, err)
		}
		return nil
	})
	s.commit(s.open(), s.archive(drain, moved))
	s.clean()
	s.sound()
}

// TestReachesAgreesWithAncestry draws histories with wrong clocks.
func TestReachesAgreesWithAncestry(t *testing.T) {
	const commits = 25
	s := newSandbox(t)
	r := s.open()
	rnd := rand.New(rand.NewSource(5))
	tree := strings.TrimSpace(s.git("rev-parse", "HEAD^{tree}"))
	var ids []oid
	above, parent := []map[int]bool{}, []oid{}
	for i := range commits {
		has := map[int]bool{i: true}
		args, first := []string{"commit-tree", tree, "-m", fmt.Sprint(i)}, oid{}
		for n := range min(i, 1+rnd.Intn(2)) {
			p := i - 1 - rnd.Intn(min(i, 5))
			if n > 0 && has[p] {
				continue
			}
			args = append(args, "-p", ids[p].String())
			if n == 0 {
				first = ids[p]
			}
			for a := range above[p] {
				has[a] = true
			}
		}
		s.t.Setenv("GIT_COMMITTER_DATE", fmt.Sprintf("%d +0000", 1_700_000_000+rnd.Intn(30)))
		id, err := parseOID(strings.TrimSpace(s.git(args...)))
		if err != nil {
			t.Fatal(err)
		}
		ids, above, parent = append(ids, id), append(above, has), append(parent, first)
	}
	for from := range ids {
		for to := range ids {
			w, err := r.newSideWalk()
			if err != nil {
				t.Fatal(err)
			}
			if got, err := w.reaches(ids[from], ids[to], parent[to]); err != nil || got != above[from][to] {
				t.Errorf("%d reaches %d: %v %v", from, to, got, err)
			}
		}
	}
}

// TestRecoveryLooksAtFewCommits has a long history below the commit that is
// looked for.
func TestRecoveryLooksAtFewCommits(t *testing.T) {
	const long = 3000
	s := newSandbox(t)
	s.fastImport(long)
	r := s.open()
	ids := strings.Fields(s.git("rev-list", "-3", "main"))
	head, _ := parseOID(ids[0])
	base, _ := parseOID(ids[2])
	gone, _ := parseOID(strings.TrimSpace(s.git("commit-tree", "HEAD^{tree}", "-p", ids[2], "-m", "gone")))
	w, err := r.newSideWalk()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := w.reaches(head, gone, base); got || err != nil {
		t.Error(got, err)
	}
	if len(w.seen) > 10 {
		t.Errorf("%d commits were read", len(w.seen))
	}
}

func (s *sandbox) fastImport(commits int) {
	s.t.Helper()
	var in strings.Builder
	for i := range commits {
		fmt.Fprintf(&in, "commit refs/heads/main\ncommitter T <t@x> %d +0000\ndata 1\nx\n", 1_700_000_000+i)
		if i == 0 {
			in.WriteString("from refs/heads/main^0\n")
		}
		in.WriteString("\n")
	}
	s.feed(in.String(), "fast-import", "--quiet")
}
