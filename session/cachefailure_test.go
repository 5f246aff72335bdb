package session

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
)

// openLogged opens and indexes the root with a log of its own.
func (f *fixture) openLogged() *bytes.Buffer {
	f.t.Helper()
	var log bytes.Buffer
	root, err := Open(context.Background(), f.dir, Options{
		Now: func() time.Time { return at }, Logger: slog.New(slog.NewTextHandler(&log, nil)),
	})
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { root.Close() })
	if err := root.Index(context.Background(), nil); err != nil {
		f.t.Fatal(err)
	}
	f.root = root
	return &log
}

// database is what the status says of the database.
func (f *fixture) database() string {
	f.t.Helper()
	status, err := f.root.Status(context.Background())
	if err != nil {
		f.t.Fatal(err)
	}
	return status.Database
}

// A state folder that cannot be made, as on a disk that is read-only.
func TestNoPlaceForADatabase(t *testing.T) {
	f := newRepository(t, pools())
	if err := os.WriteFile(filepath.Join(f.dir, ".git", "memhtml-ls"), nil, 0o444); err != nil {
		t.Fatal(err)
	}
	log := f.openLogged()
	f.want("at first", other+" frame-key-conflict "+pool)
	f.write("areas/new.html", f.read(third))
	f.root.Modify(Modification{Kind: Touched, Path: "areas/new.html"})
	f.want("after a change", "areas/new.html duplicate "+third, other+" frame-key-conflict "+pool)
	if err := f.root.Flush(t.Context()); err != nil {
		t.Error(err)
	}
	if f.database() == "" {
		t.Error("the status says that the database is fine")
	}
	if n := strings.Count(log.String(), "level=WARN"); n != 1 {
		t.Errorf("told %d times:\n%s", n, log)
	}
}

// Writes that fail one after the other, as on a disk that is full, are told once;
// what waits is written when there is room again.
func TestDatabaseThatCannotBeWritten(t *testing.T) {
	f := newRepository(t, pools())
	log := f.openLogged()
	f.flush(f.root)
	f.sql("CREATE TRIGGER full BEFORE INSERT ON files BEGIN SELECT raise(FAIL, 'full'); END")
	for i, text := range []string{claim("One", 4), claim("Two", 5)} {
		f.write("areas/new.html", text)
		f.root.Modify(Modification{Kind: Touched, Path: "areas/new.html"})
		if err := f.root.Flush(t.Context()); err == nil {
			t.Fatalf("write %d was believed", i)
		}
	}
	f.want("meanwhile", other+" frame-key-conflict "+pool)
	if f.database() == "" {
		t.Error("the status says that the database is fine")
	}
	if n := strings.Count(log.String(), "write the index database"); n != 1 {
		t.Errorf("told %d times:\n%s", n, log)
	}
	f.sql("DROP TRIGGER full")
	f.flush(f.root)
	if got := f.query("SELECT gist FROM files WHERE path = 'areas/new.html'"); got != "Two" || f.database() != "" {
		t.Errorf("with room again: %q, %q", got, f.database())
	}
}

// openForOneCommand opens and indexes the root as a subcommand does.
func (f *fixture) openForOneCommand() {
	f.t.Helper()
	root, err := Open(context.Background(), f.dir, Options{OneCommand: true, Now: func() time.Time { return at }})
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { root.Close() })
	if err := root.Index(context.Background(), nil); err != nil {
		f.t.Fatal(err)
	}
	f.root = root
}

// The first Index of a command writes the database while it reads, and what comes
// after it is written behind.
func TestDatabaseWrittenWhileReading(t *testing.T) {
	f := newRepository(t, pools())
	f.write("areas/untracked.html", claim("Three", 6))
	f.openForOneCommand()
	// Nothing waits to be written, so that this only waits itself.
	f.flush(f.root)
	const state = "SELECT group_concat(path || ' ' || tracked, '; ') || (SELECT ' of ' || value FROM meta) FROM (SELECT * FROM files ORDER BY path)"
	got := f.query(state)
	if !strings.Contains(got, "areas/untracked.html 0") || !strings.Contains(got, pool+" 1") {
		t.Errorf("the database has %s", got)
	}
	f.write("areas/new.html", claim("One", 4))
	f.root.Modify(Modification{Kind: Touched, Path: "areas/new.html"})
	f.flush(f.root)
	if err := f.root.Close(); err != nil {
		t.Error(err)
	}
	written := f.query(state)
	if err := os.RemoveAll(filepath.Join(f.dir, ".git", "memhtml-ls")); err != nil {
		t.Fatal(err)
	}
	f.open()
	f.flush(f.root)
	if afresh := f.query(state); written != afresh || !strings.Contains(written, "areas/new.html 0") {
		t.Errorf("the database has\n%s\nafresh\n%s", written, afresh)
	}
}

// A database that cannot be written while the files are read fails no Index. The
// rows wait, and are written when there is room again.
func TestDatabaseThatCannotBeWrittenWhileReading(t *testing.T) {
	f := newRepository(t, pools())
	f.open()
	f.flush(f.root)
	f.sql("DELETE FROM meta; CREATE TRIGGER full BEFORE INSERT ON files BEGIN SELECT raise(FAIL, 'full'); END")
	f.openForOneCommand()
	f.want("meanwhile", other+" frame-key-conflict "+pool)
	if err := f.root.Flush(t.Context()); err == nil || f.database() == "" {
		t.Errorf("the write was believed: %v, the status says %q", err, f.database())
	}
	f.sql("DROP TRIGGER full; DELETE FROM files")
	f.flush(f.root)
	if got := f.query("SELECT count(*) FROM files"); got != "3" || f.database() != "" {
		t.Errorf("with room again: %s files, %q", got, f.database())
	}
}

// An Index that is cancelled leaves the database as it was.
func TestIndexCancelledWhileWriting(t *testing.T) {
	f := newRepository(t, pools())
	root, err := Open(context.Background(), f.dir, Options{OneCommand: true, Now: func() time.Time { return at }})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	err = root.Index(ctx, func(int, int) { cancel() })
	if failure.CodeOf(err) != failure.Cancelled {
		t.Errorf("error %v", err)
	}
	if err := root.Close(); err != nil {
		t.Error(err)
	}
	if got := f.query("SELECT (SELECT count(*) FROM files) || ' ' || (SELECT count(*) FROM meta)"); got != "0 0" {
		t.Errorf("the database has %s rows", got)
	}
}
