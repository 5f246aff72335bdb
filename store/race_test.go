package store

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
)

// TestTwelveProcesses lets twelve processes make the same move.
func TestTwelveProcesses(t *testing.T) {
	const processes = 12
	s := newSandbox(t)
	plan := s.archive(drain, moved)
	var wg sync.WaitGroup
	outs, errs := make([]string, processes), make([]error, processes)
	for i := range processes {
		wg.Go(func() {
			_, outs[i], errs[i] = child{Dir: s.dir, Do: "commit", Plan: plan}.start(t)
		})
	}
	wg.Wait()
	made := 0
	for i := range processes {
		switch {
		case errs[i] == nil:
			made++
		case !strings.HasPrefix(outs[i], string(failure.PathNotFound)):
			t.Errorf("refused with %q", outs[i])
		}
	}
	if got := s.git("log", "--format=%s"); made != 1 || got != "memhtml(archive): areas/ops/drain.html\nfirst\n" {
		t.Errorf("%d commits\n%s", made, got)
	}
	s.clean()
	s.sound()
	commit, ok, err := s.open().FindMove(context.Background(), drain, 1000)
	if err != nil || !ok || commit != strings.TrimSpace(s.git("rev-parse", "HEAD")) {
		t.Errorf("FindMove: %q %v %v", commit, ok, err)
	}
}

// TestRacedAgainstGit commits in a loop beside a person who stages, commits
// and looks at status in a loop. Neither may lose anything.
func TestRacedAgainstGit(t *testing.T) {
	const rounds = 25
	s := newSandbox(t)
	for i := range rounds {
		s.write(fmt.Sprintf("areas/race/%d.html", i), article("race", fmt.Sprint(i)))
	}
	s.git("add", ".")
	s.git("commit", "-q", "-m", "race")
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := range rounds {
			p := fmt.Sprintf("notes/%d.txt", i)
			s.write(p, p)
			s.insist("add", p)
			s.git("status", "--porcelain")
			s.insist("commit", "-q", "-m", "note "+fmt.Sprint(i), "--", p)
		}
	})
	r := s.open()
	for i := range rounds {
		from := fmt.Sprintf("areas/race/%d.html", i)
		s.insistOn(r, s.archive(from, "archive/2026/"+from))
	}
	wg.Wait()
	// A git commit of paths reads the index before it locks it. When one of ours is
	// made in that moment, git puts the index back to what it was before ours:
	// what HEAD and the disk hold is all that can be asked of both.
	s.git("reset", "-q")
	s.clean()
	s.sound()
	log := s.git("log", "--format=%s")
	if got := strings.Count(log, "memhtml(archive)") + strings.Count(log, "note "); got != 2*rounds {
		t.Errorf("%d commits:\n%s", got, log)
	}
	files := s.git("ls-tree", "-r", "--name-only", "HEAD")
	for i := range rounds {
		for _, p := range []string{fmt.Sprintf("notes/%d.txt\n", i), fmt.Sprintf("archive/2026/areas/race/%d.html\n", i)} {
			if !strings.Contains(files, p) {
				t.Errorf("lost: %s", p)
			}
		}
	}
	if strings.Contains(files, "\nareas/race/") {
		t.Errorf("came back:\n%s", files)
	}
}

// TestRacedAgainstStaging runs beside git commands that lock the index before they
// read it: nothing of either side is missing from it.
func TestRacedAgainstStaging(t *testing.T) {
	const rounds = 25
	s := newSandbox(t)
	for i := range rounds {
		s.write(fmt.Sprintf("areas/race/%d.html", i), article("race", fmt.Sprint(i)))
	}
	s.git("add", ".")
	s.git("commit", "-q", "-m", "race")
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := range rounds {
			p := fmt.Sprintf("notes/%d.txt", i)
			s.write(p, p)
			s.insist("add", p)
			s.git("status", "--porcelain")
		}
	})
	r := s.open()
	for i := range rounds {
		from := fmt.Sprintf("areas/race/%d.html", i)
		s.insistOn(r, s.archive(from, "archive/2026/"+from))
	}
	wg.Wait()
	s.sound()
	var want []string
	for i := range rounds {
		want = append(want, fmt.Sprintf("A  notes/%d.txt", i))
	}
	slices.Sort(want)
	if diff := cmp.Diff(strings.Join(want, "\n"), strings.TrimSpace(s.git("status", "--porcelain"))); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// insist repeats a git command that a lock of ours turned away, as a person
// would.
func (s *sandbox) insist(args ...string) {
	deadline := time.Now().Add(30 * time.Second)
	for {
		out, err := s.try(args...)
		switch {
		case err == nil:
			return
		case !strings.Contains(out, "lock") || time.Now().After(deadline):
			s.t.Errorf("git %s: %v\n%s", strings.Join(args, " "), err, out)
			return
		}
	}
}

// insistOn repeats a commit that two commits of the other side have overtaken.
func (s *sandbox) insistOn(r *Repo, p Plan) {
	s.t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for {
		_, err := r.Commit(context.Background(), p)
		code := failure.CodeOf(err)
		switch {
		case err == nil:
			return
		case code != failure.WriteConflict && code != failure.GitState || time.Now().After(deadline):
			s.t.Fatalf("commit: %v", err)
		}
	}
}

// TestWritersInOneProcess shares one Repo between many writers.
func TestWritersInOneProcess(t *testing.T) {
	const writers = 8
	s := newSandbox(t)
	r := s.open()
	var wg sync.WaitGroup
	for i := range writers {
		wg.Go(func() {
			p := Plan{Changes: []Change{{Path: fmt.Sprintf("areas/w/%d.html", i), After: []byte("x\n")}}, Message: Message{Subject: "w"}, At: testTime}
			if _, err := r.Commit(context.Background(), p); err != nil {
				t.Error(err)
			}
			if _, err := r.Tracked(context.Background(), ""); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got := strings.Count(s.git("log", "--format=%s"), "w\n"); got != writers {
		t.Errorf("%d commits", got)
	}
	s.clean()
	s.sound()
}

func TestFindMove(t *testing.T) {
	s := newSandbox(t)
	r := s.open()
	find := func(limit int) string {
		t.Helper()
		commit, ok, err := r.FindMove(context.Background(), drain, limit)
		if err != nil || ok != (commit != "") {
			t.Fatal(commit, ok, err)
		}
		return commit
	}
	if got := find(1000); got != "" {
		t.Errorf("found %s while the file is there", got)
	}
	s.git("checkout", "-q", "-b", "side")
	s.git("rm", "-q", drain)
	s.git("commit", "-q", "-m", "gone")
	gone := strings.TrimSpace(s.git("rev-parse", "HEAD"))
	s.git("checkout", "-q", "main")
	s.commitFile("x.txt", "x\n")
	s.git("merge", "-q", "--no-edit", "side")
	s.commitFile("y.txt", "y\n")
	if got := find(1000); got != gone {
		t.Errorf("found %s, want %s", got, gone)
	}
	if got := find(2); got != "" {
		t.Errorf("found %s beyond the limit", got)
	}
	if commit, ok, err := r.FindMove(context.Background(), "areas/never.html", 1000); ok || err != nil {
		t.Error(commit, ok, err)
	}
}

// TestGarbageCollectedMeanwhile repacks behind the back of an open Repo.
func TestGarbageCollectedMeanwhile(t *testing.T) {
	s := newSandbox(t)
	r := s.open()
	s.commit(r, s.archive(drain, moved))
	s.git("gc", "-q", "--prune=now")
	s.commit(r, s.archive(pool, "archive/2026/"+pool))
	s.clean()
	s.sound()
}

func TestUnmergedAndOperation(t *testing.T) {
	s := newSandbox(t)
	r := s.open()
	s.fork()
	s.fails("merge", "other")
	if op, err := r.Operation(context.Background()); op != "merge" || err != nil {
		t.Errorf("operation %q %v", op, err)
	}
	if got, err := r.Unmerged(context.Background()); err != nil || strings.Join(got, " ") != "README.html" {
		t.Errorf("unmerged %q %v", got, err)
	}
	s.git("merge", "--abort")
	if op, err := r.Operation(context.Background()); op != "" || err != nil {
		t.Errorf("operation %q %v", op, err)
	}
	if got, err := r.Unmerged(context.Background()); err != nil || len(got) != 0 {
		t.Errorf("unmerged %q %v", got, err)
	}
}

func TestHead(t *testing.T) {
	s := newSandbox(t)
	r := s.open()
	want := Head{Commit: strings.TrimSpace(s.git("rev-parse", "HEAD")), Branch: "refs/heads/main"}
	check := func(want Head) {
		t.Helper()
		if got, err := r.Head(context.Background()); got != want || err != nil {
			t.Errorf("%+v %v, want %+v", got, err, want)
		}
	}
	check(want)
	s.git("pack-refs", "--all")
	check(want)
	s.git("checkout", "-q", "--detach")
	check(Head{Commit: want.Commit, Detached: true})
	s.git("checkout", "-q", "--orphan", "fresh")
	check(Head{Branch: "refs/heads/fresh", Unborn: true})
	s.write(".git/HEAD", "garbage\n")
	if got, err := r.Head(context.Background()); err == nil {
		t.Errorf("read %+v", got)
	}
}

// TestRecoveryLeavesLaterWork lets the person go on after a kill, before the
// store starts again.
func TestRecoveryLeavesLaterWork(t *testing.T) {
	s := newSandbox(t)
	plan := Plan{Changes: []Change{
		move(drain, moved, s.read(drain)),
		{From: pool, Path: pool, Expect: sum(s.read(pool)), After: []byte("ours\n")},
	}, Message: Message{Subject: "memhtml(plan): 2"}, At: testTime}
	c := child{Dir: s.dir, Do: "commit", Plan: plan}
	rehearsal := s.copyTo(quickDir(t) + "/rehearsal")
	for i, step := range (child{Dir: rehearsal.dir, Do: "commit", Plan: plan}).steps(t) {
		if step == StepCreate {
			c.KillAt = i + 1
		}
	}
	if killed, out, err := c.start(t); !killed {
		t.Fatal(out, err)
	}
	os.Remove(s.path(".git/index.lock"))
	s.write(drain, "later drain\n")
	s.write(pool, "later pool\n")
	s.git("add", pool)
	if ok, err := s.open().Recover(context.Background()); !ok || err != nil {
		t.Fatal(ok, err)
	}
	if s.read(drain) != "later drain\n" || s.read(pool) != "later pool\n" {
		t.Error("later work was overwritten")
	}
	if got := s.git("status", "--porcelain"); got != "M  "+pool+"\n?? "+drain+"\n" {
		t.Errorf("status:\n%s", got)
	}
	s.sound()
	if ok, err := s.open().Recover(context.Background()); ok || err != nil {
		t.Error("recovered again:", ok, err)
	}
}

// TestRecoveryWaitsForGit finds git's own lock in the place of ours.
func TestRecoveryWaitsForGit(t *testing.T) {
	s := newSandbox(t)
	plan := s.archive(drain, moved)
	if killed, out, err := (child{Dir: s.dir, Do: "commit", Plan: plan, KillAt: 4}).start(t); !killed {
		t.Fatal(out, err)
	}
	s.write(".git/index.lock", "")
	if _, err := s.open().Recover(context.Background()); failure.CodeOf(err) != failure.GitState {
		t.Errorf("got %v", err)
	}
	if s.read(".git/index.lock") != "" {
		t.Error("git's lock was touched")
	}
	os.Remove(s.path(".git/index.lock"))
	s.commit(s.open(), plan)
	s.clean()
	s.sound()
}

// TestRecoveryAfterRevert lets the person clean up after a kill by themselves
// and take the commit back: its journal must not take it forth again.
func TestRecoveryAfterRevert(t *testing.T) {
	s := newSandbox(t)
	plan := s.archive(drain, moved)
	text := s.read(drain)
	c := child{Dir: s.dir, Do: "commit", Plan: plan}
	rehearsal := s.copyTo(quickDir(t) + "/rehearsal")
	steps := child{Dir: rehearsal.dir, Do: "commit", Plan: plan}.steps(t)
	c.KillAt = slices.Index(steps, StepDelete) + 1
	if killed, out, err := c.start(t); !killed {
		t.Fatal(out, err)
	}
	for _, lock := range []string{".git/index.lock", ".git/HEAD.lock", ".git/refs/heads/main.lock"} {
		os.Remove(s.path(lock))
	}
	s.git("reset", "-q", "--hard")
	s.git("revert", "--no-edit", "HEAD")
	if ok, err := s.open().Recover(context.Background()); !ok || err != nil {
		t.Fatal(ok, err)
	}
	if s.read(drain) != text || exists(s.path(moved)) {
		t.Error("the revert was undone")
	}
	s.clean()
	s.sound()
}

// TestRecoveryOnAnotherBranch finds the commit on its branch, which HEAD has
// left: branch and log keep it, and the files of the other branch stay.
func TestRecoveryOnAnotherBranch(t *testing.T) {
	s := newSandbox(t)
	plan := s.archive(drain, moved)
	c := child{Dir: s.dir, Do: "commit", Plan: plan}
	rehearsal := s.copyTo(quickDir(t) + "/rehearsal")
	steps := child{Dir: rehearsal.dir, Do: "commit", Plan: plan}.steps(t)
	c.KillAt = slices.Index(steps, StepCreate) + 1
	if killed, out, err := c.start(t); !killed {
		t.Fatal(out, err)
	}
	for _, lock := range []string{".git/index.lock", ".git/HEAD.lock", ".git/refs/heads/main.lock"} {
		os.Remove(s.path(lock))
	}
	s.git("reset", "-q", "--hard")
	s.git("checkout", "-q", "-b", "other", "HEAD~1")
	logs := s.git("reflog", "--all", "--format=%gD %H %gs")
	if ok, err := s.open().Recover(context.Background()); !ok || err != nil {
		t.Fatal(ok, err)
	}
	if got := s.git("reflog", "--all", "--format=%gD %H %gs"); got != logs {
		t.Error(diffLines(logs, got))
	}
	if got := s.git("log", "--format=%s", "main"); got != "memhtml(archive): areas/ops/drain.html\nfirst\n" {
		t.Errorf("main:\n%s", got)
	}
	s.clean()
	s.sound()
}
