package lsp_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/memhtml-ls/memhtml-ls/index"
	"github.com/memhtml-ls/memhtml-ls/internal/fakeeditor"
	"github.com/memhtml-ls/memhtml-ls/store"
)

// twoSeats are two editors on one worktree.
func twoSeats(t *testing.T, r repo) (one, two *seat) {
	return newSeat(t, "the first", r.dir, fakeeditor.VSCode()), newSeat(t, "the second", r.dir, fakeeditor.Pulling())
}

// allAgree demands of servers that run, and of a new one, what a server says that
// starts from nothing.
func allAgree(t *testing.T, r repo, seats ...*seat) {
	t.Helper()
	for _, s := range append(seats, newSeat(t, "a new one", r.dir, fakeeditor.VSCode())) {
		s.settled()
		s.shows(fromNothing(t, r.dir))
	}
}

// watermark is the commit that the database is of.
func watermark(t *testing.T, r repo) string {
	t.Helper()
	db, err := index.OpenUnread(t.Context(), r.path(".git/memhtml-ls/index.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	mark, _, err := db.Watermark(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return mark.Head
}

// marks waits until the database is of HEAD, which the servers that are left
// have to write.
func marks(t *testing.T, r repo, s *seat) {
	t.Helper()
	s.until("has brought the database to HEAD", func() bool {
		return statusOf(t, s.Editor).Pending == 0 && watermark(t, r) == r.git("rev-parse", "HEAD")
	})
}

// What the one saves, commits or checks out, the other shows, and neither takes
// what the other has only typed.
func TestTwoServersFollowEachOther(t *testing.T) {
	t.Parallel()
	r := pair(t)
	one, two := twoSeats(t, r)
	for _, s := range []*seat{one, two} {
		s.WaitCodes(r.path(copied), "duplicate")
	}
	one.Open(r.path(copied))
	one.Replace(r.path(copied), claim, "Something else")
	one.WaitCodes(r.path(copied))
	barrier(t, two.Editor)
	if got := two.Codes(r.path(copied)); len(got) != 1 {
		t.Errorf("the second shows %v of a file that the first has not saved", got)
	}
	one.Save(r.path(copied))
	two.WaitCodes(r.path(copied))
	two.Open(r.path(pool))
	two.Replace(r.path(pool), "<title>2026-01-05</title>", "")
	two.Save(r.path(pool))
	one.WaitCodes(r.path(pool), "title-count")
	r.git("stash", "-q")
	for _, s := range []*seat{one, two} {
		s.Close(map[*seat]string{one: r.path(copied), two: r.path(pool)}[s])
		s.WaitCodes(r.path(copied), "duplicate")
		s.WaitCodes(r.path(pool))
	}
	if got := execute(t, one.Editor, "memhtml.archive", fakeeditor.Object{"uri": fakeeditor.URI(r.path(copied))}); got.Data.Commit == "" {
		t.Fatalf("%+v", got)
	}
	two.WaitCodes(r.path(copied))
	if got := execute(t, two.Editor, "memhtml.undo", fakeeditor.Object{"uri": fakeeditor.URI(r.path(pool)), "commit": r.git("rev-parse", "HEAD")}); got.Data.Commit == "" {
		t.Fatalf("%+v", got)
	}
	one.WaitCodes(r.path(copied), "duplicate")
	allAgree(t, r, one, two)
}

// Commands of both at once make a commit each, one after the other.
func TestTwoServersCommitAtOnce(t *testing.T) {
	t.Parallel()
	r := newRepo(t, numbered(20)...)
	one, two := twoSeats(t, r)
	one.indexed()
	two.indexed()
	ids := map[*seat][]string{}
	for i := range 10 {
		for j, s := range []*seat{one, two} {
			ids[s] = append(ids[s], s.Go("workspace/executeCommand", fakeeditor.Object{
				"command":   "memhtml.archive",
				"arguments": []any{fakeeditor.Object{"uri": fakeeditor.URI(r.path(fmt.Sprintf("areas/many/%d.html", 2*i+j)))}},
			}))
		}
	}
	for _, s := range []*seat{one, two} {
		for _, id := range ids[s] {
			if raw, failure := s.Answer(id); failure != nil || read(t, raw).Data.Commit == "" {
				t.Errorf("%v %s", failure, raw)
			}
		}
	}
	if r.commits() != "21" || r.git("status", "--porcelain") != "" {
		t.Errorf("%s commits, and status %q", r.commits(), r.git("status", "--porcelain"))
	}
	allAgree(t, r, one, two)
}

// A server that is killed in a commit, at any step, leaves the other right: it
// repairs what was left half done, commits itself and writes the database.
func TestServerKilledInACommitBesideAnother(t *testing.T) {
	for _, step := range []string{
		store.StepWrite, store.StepJournal, store.StepIndexLock, store.StepHeadLock, store.StepRefLock, store.StepRef,
		store.StepCreate, store.StepDelete, store.StepIndex, store.StepUnlock, store.StepForget, store.StepDone,
	} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			r := pair(t)
			one := newSeat(t, "the first", r.dir, fakeeditor.VSCode(), dieEnv+"="+step)
			two := newSeat(t, "the second", r.dir, fakeeditor.Pulling())
			two.WaitCodes(r.path(copied), "duplicate")
			if _, alive := one.attempt("memhtml.archive", fakeeditor.Object{"uri": fakeeditor.URI(r.path(copied))}); alive {
				t.Fatal("the first lives on")
			}
			two.settled()
			two.shows(fromNothing(t, r.dir))
			if got := r.git("status", "--porcelain"); got != "" {
				t.Errorf("left in the tree: %s", got)
			}
			got := execute(t, two.Editor, "memhtml.archive", fakeeditor.Object{"uri": fakeeditor.URI(r.path(pool))})
			if got.Data.Commit == "" {
				t.Fatalf("%+v", got)
			}
			marks(t, r, two)
			one.start()
			allAgree(t, r, one, two)
		})
	}
}

// A server that is killed while it writes the database, or while it starts,
// leaves one that the other writes on and a third believes.
func TestServerKilledInTheDatabaseBesideAnother(t *testing.T) {
	t.Parallel()
	r := newRepo(t, numbered(1000, drain, memo("2026-01-02", claim), copied, memo("2026-02-03", claim), "resources/x.html", untitled(1))...)
	database := r.path(".git/memhtml-ls/index.db")
	written := func() (latest time.Time) {
		for _, suffix := range []string{"", "-wal"} {
			if info, err := os.Stat(database + suffix); err == nil && info.ModTime().After(latest) {
				latest = info.ModTime()
			}
		}
		return latest
	}
	one := newSeat(t, "the first", r.dir, fakeeditor.VSCode())
	two := newSeat(t, "the second", r.dir, fakeeditor.Pulling())
	one.settled()
	two.settled()
	for round := range 2 {
		before := written()
		r.git("mv", "areas/many", "resources/many")
		one.until("writes the database", func() bool { return written() != before })
		one.kill()
		r.write(drain, memo("2026-01-02", fmt.Sprint("Drain in round ", round)))
		r.git("commit", "-q", "-a", "-m", "moved")
		two.settled()
		two.WaitCodes(r.path(copied)) // it pulls them in its own time
		one.start()
		if round%2 == 0 {
			// In the middle of its start.
			one.kill()
			one.start()
		}
		r.write(drain, memo("2026-01-02", claim))
		r.git("mv", "resources/many", "areas/many")
		r.git("commit", "-q", "-a", "-m", "and back")
		one.settled()
		marks(t, r, two)
	}
	allAgree(t, r, one, two)
	if aside, _ := filepath.Glob(database + ".*"); len(aside) > 0 {
		t.Errorf("set aside: %q", aside)
	}
}
