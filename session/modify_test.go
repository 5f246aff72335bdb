package session

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memhtml-ls/memhtml-ls/memory"
)

const (
	pool  = "areas/ops/pool.html"
	other = "areas/ops/pool-again.html"
	third = "areas/ops/drain.html"
)

func pools() map[string]string {
	return map[string]string{
		pool:  claim("The connection pool ceiling is 64", 1),
		other: claim("The connection pool ceiling is 128", 2),
		third: claim("Drain a node before it is stopped", 3),
	}
}

func (f *fixture) want(step string, want ...string) {
	f.t.Helper()
	if diff := cmp.Diff(want, f.codes()); diff != "" {
		f.t.Errorf("%s: findings (-want +got)\n%s", step, diff)
	}
}

func TestFindingsFollowTheBuffer(t *testing.T) {
	f := newFixture(t, pools())
	conflict := other + " frame-key-conflict " + pool
	f.want("indexed", conflict)

	text := f.read(third)
	f.root.Edit(Modification{Kind: Opened, Path: third, Text: []byte(text), Version: 1})
	f.want("opened unchanged", conflict)

	change := f.root.Edit(Modification{Kind: Changed, Path: third, Version: 2, Text: []byte(claim("The connection pool ceiling is 7", 3))})
	f.want("typed", third+" frame-key-conflict "+pool, conflict)
	if diff := cmp.Diff([]string{third, other, pool}, change.Affected); diff != "" {
		t.Errorf("affected (-want +got)\n%s", diff)
	}

	f.root.Edit(Modification{Kind: Changed, Path: third, Version: 3, Text: []byte(text)})
	f.want("typed back", conflict)
}

func TestReportingSideStaysWhileTheFileIsOpen(t *testing.T) {
	f := newFixture(t, pools())
	f.root.Edit(Modification{Kind: Opened, Path: pool, Text: []byte(f.read(pool)), Version: 1})
	f.want("opened", other+" frame-key-conflict "+pool)

	edited := claim("The connection pool ceiling is 65", 1)
	f.root.Edit(Modification{Kind: Changed, Path: pool, Version: 2, Text: []byte(edited)})
	f.want("edited: the incoming one reports", pool+" frame-key-conflict "+other)

	f.write(pool, edited)
	f.root.Modify(Modification{Kind: Saved, Path: pool})
	f.want("saved: it does not flip", pool+" frame-key-conflict "+other)

	f.root.Modify(Modification{Kind: Closed, Path: pool})
	f.want("closed: the order of the tree", other+" frame-key-conflict "+pool)
}

// A tab that is left over after its file was archived or checked out reports
// nothing; typing in it makes it a new file.
func TestCleanBufferGoesWithItsFile(t *testing.T) {
	f := newFixture(t, pools())
	text := f.read(other)
	f.root.Edit(Modification{Kind: Opened, Path: other, Text: []byte(text), Version: 1})
	f.want("opened", other+" frame-key-conflict "+pool)

	f.remove(other)
	f.root.Modify(Modification{Kind: Touched, Path: other})
	f.want("gone")

	f.root.Edit(Modification{Kind: Changed, Path: other, Version: 2, Text: []byte(text + " ")})
	f.want("typed in", other+" frame-key-conflict "+pool)

	f.root.Edit(Modification{Kind: Changed, Path: other, Version: 3, Text: []byte(text)})
	f.write(other, text)
	f.root.Modify(Modification{Kind: Saved, Path: other})
	f.want("saved again", other+" frame-key-conflict "+pool)

	f.remove(other)
	f.root.Modify(Modification{Kind: Touched, Path: other})
	f.want("gone with what was typed and saved")
	f.root.Modify(Modification{Kind: Touched, Path: other})
	f.want("still gone")

	f.root.Edit(Modification{Kind: Changed, Path: other, Version: 4, Text: []byte(text + " ")})
	f.remove(pool)
	f.root.Modify(Modification{Kind: Touched, Path: pool})
	f.write(pool, text)
	f.root.Modify(Modification{Kind: Touched, Path: pool})
	f.want("typed in once more", other+" duplicate "+pool)
}

// A buffer above the limit is not parsed on every key, and is no memory until it
// is small again.
func TestTooLargeBuffer(t *testing.T) {
	f := newFixture(t, pools())
	text := f.read(other)
	f.root.Edit(Modification{Kind: Opened, Path: other, Text: []byte(text), Version: 1})
	large := text + strings.Repeat(" ", memory.MaxSize)
	f.root.Edit(Modification{Kind: Changed, Path: other, Version: 2, Text: []byte(large)})
	f.want("too large", other+" not-indexed")

	f.root.Edit(Modification{Kind: Changed, Path: other, Version: 3, Text: []byte(text)})
	f.want("small again", other+" frame-key-conflict "+pool)
}

// Closing is one of the changes that wait for no disk: the file is what it was
// when it was last read.
func TestCloseWithoutTheDisk(t *testing.T) {
	f := newFixture(t, pools())
	f.root.Edit(Modification{Kind: Opened, Path: other, Text: []byte("x"), Version: 1})
	f.root.Edit(Modification{Kind: Closed, Path: other})
	f.want("closed", other+" frame-key-conflict "+pool)
}

func TestFormatErrorWhileTypingKeepsRelations(t *testing.T) {
	f := newFixture(t, pools())
	broken := f.read(other) + "<script>"
	f.root.Edit(Modification{Kind: Opened, Path: other, Text: []byte(f.read(other)), Version: 1},
		Modification{Kind: Changed, Path: other, Version: 2, Text: []byte(broken)})
	f.want("typing", other+" frame-key-conflict "+pool, other+" forbidden-element")

	f.write(other, broken)
	f.root.Modify(Modification{Kind: Saved, Path: other})
	f.want("saved", other+" forbidden-element")
}

func TestBufferWinsOverTheDiskUntilItIsClosed(t *testing.T) {
	f := newFixture(t, pools())
	f.root.Edit(Modification{Kind: Opened, Path: third, Text: []byte(f.read(third)), Version: 1})
	f.write(third, claim("The connection pool ceiling is 9", 3))
	f.root.Modify(Modification{Kind: Touched, Path: third})
	f.want("rewritten below the buffer", other+" frame-key-conflict "+pool)
	f.root.Modify(Modification{Kind: Closed, Path: third})
	f.want("closed", third+" frame-key-conflict "+pool, other+" frame-key-conflict "+pool)
}

func TestEqualBytesAreNoChange(t *testing.T) {
	f := newFixture(t, pools())
	before := f.root.View()
	f.write(pool, f.read(pool))
	if change := f.root.Modify(Modification{Kind: Touched, Path: pool}); change.View != before || len(change.Affected) > 0 {
		t.Errorf("touching made a view of generation %d that affects %v", change.View.Snapshot.Generation(), change.Affected)
	}
}

func TestPollSeesWhatNobodyAnnounced(t *testing.T) {
	f := newFixture(t, pools())
	poll := func(step string, want ...string) {
		t.Helper()
		if _, err := f.root.Poll(context.Background()); err != nil {
			t.Fatal(err)
		}
		f.want(step, want...)
	}
	conflict := other + " frame-key-conflict " + pool
	f.write("areas/ops/copy.html", f.read(third))
	poll("a copy", "areas/ops/copy.html duplicate "+third, conflict)
	f.remove(third)
	poll("the original is gone", conflict)
	f.git("checkout", "-q", "-b", "other")
	f.git("rm", "-q", other)
	f.git("add", "-A")
	f.git("commit", "-q", "-m", "less")
	poll("committed elsewhere")
	f.git("checkout", "-q", "main")
	poll("back", "areas/ops/pool-again.html frame-key-conflict "+pool)
}

// A copy that is older by its own date, but not in HEAD, is still the copy.
func TestTrackedFileComesBeforeAnUntrackedCopy(t *testing.T) {
	f := newFixture(t, pools())
	f.write("areas/a.html", f.read(third))
	f.root.Modify(Modification{Kind: Touched, Path: "areas/a.html"})
	f.want("copied", "areas/a.html duplicate "+third, other+" frame-key-conflict "+pool)
	f.git("add", "-A")
	f.git("commit", "-q", "-m", "both")
	if _, err := f.root.Poll(context.Background()); err != nil {
		t.Fatal(err)
	}
	f.want("both tracked: the path decides", third+" duplicate areas/a.html", other+" frame-key-conflict "+pool)
}
