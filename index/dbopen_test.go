package index

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/memory"
)

// filled makes a closed database with enough rows for several pages.
func filled(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "index.db")
	db := openDB(t, path)
	var files []*File
	for i := range 200 {
		files = append(files, file("areas/"+string(rune('a'+i%26))+string(rune('a'+i/26))+".html", byte(i)))
	}
	apply(t, db, rows(files...))
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestUnusableFileIsMovedAside(t *testing.T) {
	for _, tc := range []struct {
		name, reason string
		spoil        func(t *testing.T, path string)
	}{
		{"noise", reasonDamaged, func(t *testing.T, path string) {
			must(t, os.WriteFile(path, bytes.Repeat([]byte("noise "), 4096), 0o644))
		}},
		{"truncated", reasonDamaged, func(t *testing.T, path string) { must(t, os.Truncate(path, 3*4096+100)) }},
		{"a page overwritten", reasonDamaged, func(t *testing.T, path string) {
			f, err := os.OpenFile(path, os.O_RDWR, 0)
			must(t, err)
			_, err = f.WriteAt(bytes.Repeat([]byte{0xff}, 4096), 4*4096)
			must(t, errors.Join(err, f.Close()))
		}},
		{"newer", reasonNewer, func(t *testing.T, path string) { execute(t, path, "PRAGMA user_version = 4711") }},
		{"foreign", reasonForeign, func(t *testing.T, path string) {
			must(t, os.Remove(path))
			execute(t, path, "CREATE TABLE chunks (id)")
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			path := filled(t)
			tc.spoil(t, path)
			spoilt, err := os.ReadFile(path)
			must(t, err)

			db := openDB(t, path)
			if db.Recreated() != tc.reason {
				t.Errorf("recreated because %q, want %q", db.Recreated(), tc.reason)
			}
			if got, w, err := db.Load(t.Context()); err != nil || len(got) > 0 || w.Head != "" {
				t.Errorf("Load = %v, %v, %v; want nothing", got, w, err)
			}
			aside, err := os.ReadFile(path + asideSuffix)
			if err != nil || !bytes.Equal(aside, spoilt) {
				t.Errorf("the file moved aside is not the one that was there (%v)", err)
			}
			apply(t, db, rows(file("areas/a.html", 1)))
			if again := openDB(t, path); again.Recreated() != "" {
				t.Errorf("the second start recreated it too: %q", again.Recreated())
			}
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func execute(t *testing.T, path, stmt string) {
	t.Helper()
	raw, err := sql.Open("sqlite", source(path, usualPatience))
	must(t, err)
	_, err = raw.Exec(stmt)
	must(t, errors.Join(err, raw.Close()))
}

// TestLogIsMovedWithItsDatabase guards what would bring old rows into a new
// file: a log that stayed behind is played into whatever is there next.
func TestLogIsMovedWithItsDatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.db")
	for _, name := range []string{"", "-wal", asideSuffix, asideSuffix + "-wal", asideSuffix + "-shm"} {
		must(t, os.WriteFile(path+name, []byte(name), 0o644))
	}
	must(t, moveAside(path))
	got := map[string]string{}
	for _, name := range []string{"", "-wal", "-shm", asideSuffix, asideSuffix + "-wal", asideSuffix + "-shm"} {
		if b, err := os.ReadFile(path + name); err == nil {
			got[name] = string(b)
		}
	}
	if diff := cmp.Diff(map[string]string{asideSuffix: "", asideSuffix + "-wal": "-wal"}, got); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

// TestFileThatAnotherMadeStays is for the process that waited while another
// made the database anew.
func TestFileThatAnotherMadeStays(t *testing.T) {
	path := filled(t)
	handle, reason, err := recreate(t.Context(), path, usualPatience)
	must(t, err)
	must(t, handle.Close())
	if got, _, err := openDB(t, path).Load(t.Context()); reason != "" || err != nil || len(got) != 200 {
		t.Errorf("a sound file was moved aside: %q, %d rows left, %v", reason, len(got), err)
	}
}

func TestSchemaStepThatNeedsARebuildDropsTheRows(t *testing.T) {
	path := filled(t)
	released := steps
	t.Cleanup(func() { steps = released })
	steps = append(steps[:len(steps):len(steps)], step{sql: "ALTER TABLE meta ADD COLUMN note TEXT"})
	if got, _, err := openDB(t, path).Load(t.Context()); err != nil || len(got) != 200 {
		t.Errorf("a plain step left %d rows, %v; want 200", len(got), err)
	}
	steps = append(steps, step{sql: "ALTER TABLE meta ADD COLUMN more TEXT", rebuild: true})
	db := openDB(t, path)
	if got, w, err := db.Load(t.Context()); err != nil || len(got) > 0 || w.Head != "" || db.Recreated() != "" {
		t.Errorf("a step that needs a rebuild left %d rows, watermark %q, %v", len(got), w.Head, err)
	}
	must(t, db.Close())
	steps = released
	if old := openDB(t, path); old.Recreated() != reasonNewer {
		t.Errorf("an older version opened it, recreated %q", old.Recreated())
	}
}

func TestLockedDatabaseIsATypedFailure(t *testing.T) {
	path := filled(t)
	holder := openDB(t, path)
	other, err := open(t.Context(), path, impatient)
	must(t, err)
	t.Cleanup(func() { must(t, other.Close()) })
	err = holder.write(t.Context(), func(*sql.Tx) error {
		err := other.Apply(t.Context(), rows(file("areas/a.html", 1)), nil, Watermark{"head"}, Watermark{"head"})
		if failure.CodeOf(err) != failure.Storage {
			t.Errorf("Apply on a locked database = %v, want a storage failure", err)
		}
		if got, _, err := other.Load(t.Context()); err != nil || len(got) != 200 {
			t.Errorf("reading beside a writer: %d rows, %v", len(got), err)
		}
		return nil
	})
	must(t, err)
	must(t, other.Apply(t.Context(), nil, []string{"areas/aa.html"}, Watermark{"head"}, Watermark{"head"}))
}

func TestUnusablePlaceIsATypedFailure(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o644))
	must(t, os.MkdirAll(filepath.Join(dir, "folder", "index.db"), 0o755))
	for _, path := range []string{filepath.Join(dir, "file", "index.db"), filepath.Join(dir, "folder", "index.db")} {
		db, err := Open(t.Context(), path)
		if failure.CodeOf(err) != failure.Storage || db != nil {
			t.Errorf("Open(%s) = %v, %v; want a storage failure", filepath.Base(filepath.Dir(path)), db, err)
		}
	}
}

func TestFullDiskIsATypedFailure(t *testing.T) {
	db := openDB(t, filled(t))
	db.sql.SetMaxOpenConns(1)
	_, err := db.sql.Exec("PRAGMA max_page_count = 1")
	must(t, err)
	big := file("areas/big.html", 1, func(f *File) { f.Gist = string(make([]byte, 1<<20)) })
	err = db.Apply(t.Context(), rows(big), nil, Watermark{"head"}, Watermark{"later"})
	var f *failure.Error
	if !errors.As(err, &f) || f.Code != failure.Storage || f.Message != "The index database was not used: the disk is full." {
		t.Errorf("Apply on a full disk = %v", err)
	}
	if got, w, err := db.Load(t.Context()); err != nil || len(got) != 200 || w.Head != "head" {
		t.Errorf("after it: %d rows, watermark %q, %v", len(got), w.Head, err)
	}
}

func TestLastReleaseClosesTheFile(t *testing.T) {
	before := openDatabases.Load()
	db, err := Open(t.Context(), filepath.Join(t.TempDir(), "index.db"))
	must(t, err)
	next, err := Open(t.Context(), filepath.Join(t.TempDir(), "index.db"))
	must(t, err)
	if next.Generation() <= db.Generation() {
		t.Errorf("generation %d was opened after %d", next.Generation(), db.Generation())
	}
	must(t, next.Close())

	first, err := db.Acquire()
	must(t, err)
	second, err := db.Acquire()
	must(t, err)
	must(t, db.Close())
	must(t, db.Close())
	if _, err := db.Acquire(); !errors.Is(err, ErrClosed) {
		t.Errorf("Acquire after Close = %v", err)
	}
	if err := db.Apply(t.Context(), nil, nil, Watermark{"head"}, Watermark{"head"}); !errors.Is(err, ErrClosed) {
		t.Errorf("Apply after Close = %v", err)
	}
	must(t, first())
	must(t, first())
	if got := openDatabases.Load() - before; got != 1 {
		t.Errorf("%d files open while one is acquired", got)
	}
	must(t, second())
	if got := openDatabases.Load() - before; got != 0 {
		t.Errorf("%d files open after the last release", got)
	}
}

func TestOpenIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if db, err := Open(ctx, filepath.Join(t.TempDir(), "index.db")); failure.CodeOf(err) != failure.Cancelled {
		t.Errorf("Open = %v, %v; want cancelled", db, err)
	}
}

func TestCascadesAreNotFiredByAnUpdate(t *testing.T) {
	db := tempDB(t)
	apply(t, db, rows(file("areas/a.html", 1, link("areas/b.html", ""))))
	must(t, db.write(t.Context(), func(tx *sql.Tx) error {
		_, err := tx.Exec(`CREATE TABLE hangs (path TEXT REFERENCES files (path) ON DELETE CASCADE); INSERT INTO hangs VALUES ('areas/a.html')`)
		return err
	}))
	apply(t, db, rows(file("areas/a.html", 2)))
	var n int
	must(t, db.sql.QueryRow("SELECT count(*) FROM hangs").Scan(&n))
	if n != 1 {
		t.Errorf("%d rows hang on an updated row, want 1", n)
	}
	if diff := cmp.Diff(map[string]memory.Hash{"areas/a.html": {2}}, claims(t, db)); diff != "" {
		t.Errorf("claims (-want +got):\n%s", diff)
	}
}

// TestOpenWaitsForNoWriter: opening used to begin a write transaction although
// the schema was up to date, and stood still while another process wrote.
func TestOpenWaitsForNoWriter(t *testing.T) {
	path := filled(t)
	writer, err := sql.Open("sqlite", source(path, impatient))
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	tx, err := writer.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	db, err := open(t.Context(), path, impatient)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}
