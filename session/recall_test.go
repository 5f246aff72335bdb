package session

import (
	"context"
	"testing"
	"time"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
)

// restarted is the root of a new process, not indexed yet.
func (f *fixture) restarted() {
	f.t.Helper()
	if err := f.root.Flush(context.Background()); err != nil {
		f.t.Fatal(err)
	}
	root, err := Open(context.Background(), f.dir, Options{Now: func() time.Time { return at }})
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { root.Close() })
	f.root = root
}

// What the last run knew is shown before any file was looked at. The finding of a
// row that does not hold any more goes when they were.
func TestWhatWasRecalledIsCorrected(t *testing.T) {
	f := newFixture(t, pools())
	f.restarted()
	f.write(pool, claim("The connection pool ceiling is 128", 1))
	f.write("areas/new.html", f.read(third))
	if !f.root.Recall(t.Context()) {
		t.Fatal("nothing was recalled")
	}
	f.root.Edit(Modification{Kind: Opened, Path: other, Text: []byte(f.read(other)), Version: 1})
	if got := f.findings(other); len(got) != 1 || got[0].Code != diagnostics.FrameKeyConflict {
		t.Errorf("recalled: %+v", got)
	}
	if f.root.indexed() {
		t.Error("what was recalled counts as an index")
	}
	if err := f.root.Index(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	f.want("verified", "areas/new.html duplicate "+third, other+" duplicate "+pool)
}

// A buffer that is held against a row of the last run and then against the file
// is of two minds whether it was edited. That it was opened is told again.
func TestRecalledOrderIsThatOfAFreshStart(t *testing.T) {
	f := newFixture(t, pools())
	f.restarted()
	f.write(pool, claim("The connection pool ceiling is 128", 1))
	f.root.Recall(t.Context())
	open := Modification{Kind: Opened, Path: pool, Text: []byte(f.read(pool)), Version: 1}
	f.root.Edit(open)
	if err := f.root.Index(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	f.root.Edit(open)
	f.want("verified", other+" duplicate "+pool)
}

func TestNothingIsRecalledOfAFirstStart(t *testing.T) {
	f := newRepository(t, pools())
	f.root = f.alone()
	if f.root.Recall(t.Context()) {
		t.Error("something was recalled")
	}
	if n := f.root.View().Snapshot.Len(); n != 0 {
		t.Errorf("%d files are known", n)
	}
	if err := f.root.Index(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	f.want("indexed", other+" frame-key-conflict "+pool)
}

// The first database of a large root takes longer to write than a process may
// take to end. It was given up, and the next start began from nothing again.
func TestRebuiltRowsAreWrittenBeforeTheEnd(t *testing.T) {
	f := newRepository(t, pools())
	f.root = f.alone()
	if err := f.root.Rebuild(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if err := f.root.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := f.root.cache.waiting(); n != 0 {
		t.Errorf("%d rows wait", n)
	}
	if got := f.query("SELECT count(*) FROM files"); got != "3" {
		t.Errorf("the database has %s rows, want 3", got)
	}
}
