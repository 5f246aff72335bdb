package store

import (
	"context"
	"math/rand"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/internal/fault"
)

// onStep runs f before a step, once.
func onStep(t *testing.T, step string, f func() error) {
	t.Helper()
	done := false
	fault.Step = func(s string) error {
		if s != step || done {
			return nil
		}
		done = true
		return f()
	}
	t.Cleanup(func() {
		fault.Step = nil
		if !done {
			t.Errorf("step %s was never taken", step)
		}
	})
}

// TestFullDiskAtEveryStep lets each step that writes fail, and demands that
// nothing has changed.
func TestFullDiskAtEveryStep(t *testing.T) {
	s := crashBox(t)
	for _, step := range []string{
		StepWrite, StepObjects, StepJournal, StepIndexLock, StepRecheck, StepFolders, StepHeadLock, StepRefLock,
		StepReflog, StepReflogHead, StepRef, StepCreate, StepReplace, StepAside, StepDelete, StepSync, StepIndex,
	} {
		t.Run(step, func(t *testing.T) {
			s := &sandbox{t, s.dir}
			onStep(t, step, func() error { return syscall.ENOSPC })
			before := s.meaning()
			s.refused(s.open(), s.crashPlan(), failure.Storage)
			if after := s.meaning(); after != before {
				t.Error(diffLines(before, after))
			}
			s.sound()
		})
	}
	fault.Step = nil
	s.commit(s.open(), s.crashPlan())
	s.sound()
}

// TestHeadMovedElsewhere lets somebody else commit other files at several
// steps before the commit point.
func TestHeadMovedElsewhere(t *testing.T) {
	for _, step := range []string{StepWrite, StepJournal, StepIndexLock, StepRefLock} {
		t.Run(step, func(t *testing.T) {
			s := newSandbox(t)
			plan := s.archive(drain, moved)
			onStep(t, step, func() error {
				if step == StepRefLock {
					// With index.lock held git can only move the reference.
					id := s.git("commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "theirs")
					return os.WriteFile(s.path(".git/refs/heads/main"), []byte(id), 0o666)
				}
				s.git("commit", "-q", "--allow-empty", "-m", "theirs")
				return nil
			})
			s.commit(s.open(), plan)
			if got := s.git("log", "--format=%s"); got != "memhtml(archive): areas/ops/drain.html\ntheirs\nfirst\n" {
				t.Errorf("log:\n%s", got)
			}
			s.clean()
			s.sound()
		})
	}
}

func TestHeadMovedOnTouchedPath(t *testing.T) {
	s := newSandbox(t)
	plan := s.archive(drain, moved)
	onStep(t, StepWrite, func() error {
		text := s.read(drain)
		s.write(drain, text+"theirs\n")
		s.git("commit", "-q", "-a", "-m", "theirs")
		s.write(drain, text)
		return nil
	})
	_, err := s.open().Commit(context.Background(), plan)
	if failure.CodeOf(err) != failure.WriteConflict {
		t.Fatalf("got %v", err)
	}
	if got := s.git("status", "--porcelain"); got != " M "+drain+"\n" {
		t.Errorf("status:\n%s", got)
	}
	s.sound()
}

func TestFileChangedBeforeLock(t *testing.T) {
	s := newSandbox(t)
	plan := s.archive(drain, moved)
	onStep(t, StepIndexLock, func() error {
		s.write(drain, s.read(drain)+"later\n")
		return nil
	})
	_, err := s.open().Commit(context.Background(), plan)
	if failure.CodeOf(err) != failure.StaleDocument {
		t.Fatalf("got %v", err)
	}
	if got := s.git("status", "--porcelain"); got != " M "+drain+"\n" {
		t.Errorf("status:\n%s", got)
	}
	s.sound()
}

func TestDestinationMadeBeforeLock(t *testing.T) {
	s := newSandbox(t)
	plan := s.archive(drain, moved)
	onStep(t, StepIndexLock, func() error {
		s.write(moved, "theirs\n")
		return nil
	})
	_, err := s.open().Commit(context.Background(), plan)
	if failure.CodeOf(err) != failure.DestinationExists {
		t.Fatalf("got %v", err)
	}
	if got := s.read(moved); got != "theirs\n" {
		t.Errorf("overwritten: %q", got)
	}
	s.sound()
}

// TestFileChangedAfterCommitPoint is the last instant at which the person can
// save: the commit stands, and their text is where they saved it.
func TestFileChangedAfterCommitPoint(t *testing.T) {
	s := newSandbox(t)
	s.git("status")
	plan := Plan{Changes: []Change{
		move(drain, moved, s.read(drain)),
		{From: pool, Path: pool, Expect: sum(s.read(pool)), After: []byte(s.read(pool) + "ours\n")},
		{Path: "areas/new.html", After: []byte("ours\n")},
	}, Message: Message{Subject: "memhtml(plan): 3"}, At: testTime}
	onStep(t, StepCreate, func() error {
		s.write(drain, "later drain\n")
		s.write(pool, "later pool\n")
		s.write("areas/new.html", "later new\n")
		return nil
	})
	res := s.commit(s.open(), plan)
	if len(res.Warnings) != 3 {
		t.Errorf("warnings: %q", res.Warnings)
	}
	for p, want := range map[string]string{drain: "later drain\n", pool: "later pool\n", "areas/new.html": "later new\n"} {
		if got := s.read(p); got != want {
			t.Errorf("%s: %q", p, got)
		}
	}
	if got := s.git("status", "--porcelain"); got != " M areas/new.html\n M areas/ops/pool-size.html\n?? areas/ops/drain.html\n" {
		t.Errorf("status:\n%s", got)
	}
	s.sound()
}

// TestIndexChangedBeforeLock stages something between the reading of the index
// and its lock.
func TestIndexChangedBeforeLock(t *testing.T) {
	s := newSandbox(t)
	plan := s.archive(drain, moved)
	onStep(t, StepIndexLock, func() error {
		s.write("staged.txt", "staged\n")
		s.git("add", "staged.txt")
		return nil
	})
	s.commit(s.open(), plan)
	if got := s.git("status", "--porcelain"); got != "A  staged.txt\n" {
		t.Errorf("status:\n%s", got)
	}
	s.sound()
}

// TestKilledWhileUndoing kills a writer whose disk failed after the commit
// point, before each step of taking it back.
func TestKilledWhileUndoing(t *testing.T) {
	s := crashBox(t)
	plan := s.crashPlan()
	before := s.meaning()
	whole := s.copyTo(quickDir(t) + "/whole")
	whole.commit(whole.open(), plan)
	after := whole.meaning()
	rehearsal := s.copyTo(quickDir(t) + "/rehearsal")
	steps := child{Dir: rehearsal.dir, Do: "commit", Plan: plan, FailAt: StepIndex}.steps(t)
	for _, step := range constants(t, "Undo") {
		if !slices.Contains(steps, step) {
			t.Errorf("step %s is never taken", step)
		}
	}
	undone := false
	for i, step := range steps {
		if !strings.HasPrefix(step, "undo-") {
			continue
		}
		want := after
		if undone {
			want = before
		}
		undone = undone || step == UndoRef
		t.Run(step, func(t *testing.T) {
			killOnce(t, s, child{Do: "commit", Plan: plan, FailAt: StepIndex, KillAt: i + 1}, want)
		})
	}
	if !undone {
		t.Fatalf("no undo step among %q", steps)
	}
}

// TestKilledWithSplitIndex lets recovery find an index that only git can put
// together, after the commit point.
func TestKilledWithSplitIndex(t *testing.T) {
	s := crashBox(t)
	s.git("config", "core.splitIndex", "true")
	s.git("update-index", "--split-index")
	plan := s.crashPlan()
	whole := s.copyTo(quickDir(t) + "/whole")
	c := child{Dir: whole.dir, Do: "commit", Plan: plan}
	at := slices.Index(c.steps(t), StepDelete)
	killOnce(t, s, child{Do: "commit", Plan: plan, KillAt: at + 1}, whole.meaning())
}

// TestKilledAtAnyTime kills the writer after a random time, which falls
// between the named steps too.
func TestKilledAtAnyTime(t *testing.T) {
	const kills = 40
	s := crashBox(t)
	plan := s.crashPlan()
	before := s.meaning()
	whole := s.copyTo(quickDir(t) + "/whole")
	began := time.Now()
	if _, out, err := (child{Dir: whole.dir, Do: "commit", Plan: plan}).start(t); err != nil {
		t.Fatal(out, err)
	}
	took := time.Since(began)
	after := whole.meaning()
	rnd := rand.New(rand.NewSource(3))
	for range kills {
		dead := s.copyTo(quickDir(t) + "/dead")
		cmd := child{Dir: dead.dir, Do: "commit", Plan: plan}.command(t)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		delay := time.Duration(rnd.Int63n(int64(took)))
		timer := time.AfterFunc(delay, func() { _ = cmd.Process.Kill() })
		_ = cmd.Wait()
		timer.Stop()
		if _, out, err := (child{Dir: dead.dir, Do: "recover"}).start(t); err != nil {
			t.Fatalf("after %v: %v %s", delay, err, out)
		}
		if got := dead.meaning(); got != before && got != after {
			t.Errorf("after %v:\n%s", delay, diffLines(after, got))
		}
		dead.checkRecovered(t, dead.meaning(), 0)
	}
}
