package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/memory"
)

// impatient gives up at once on a database that others hold.
var impatient = patience{busy: time.Millisecond, first: time.Millisecond, longest: time.Millisecond, total: 5 * time.Millisecond}

// tempDB opens a database of its own for a test and demands at the end that
// its file was closed.
func tempDB(t *testing.T) *DB {
	t.Helper()
	return openDB(t, filepath.Join(t.TempDir(), "index.db"))
}

func openDB(t *testing.T, path string) *DB {
	t.Helper()
	before := openDatabases.Load()
	db, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
		if n := openDatabases.Load(); n > before {
			t.Errorf("%d database files are still open", n-before)
		}
	})
	return db
}

func row(f *File) Row {
	f.Blob = BlobOf([]byte(f.Path))
	return Row{f, Stat{Size: int64(len(f.Path)), Mtime: 5, Ctime: 6, Inode: 1 << 63, Seen: 7}}
}

func rows(files ...*File) []Row {
	var out []Row
	for _, f := range files {
		out = append(out, row(f))
	}
	return out
}

func apply(t *testing.T, db *DB, rows []Row, removed ...string) {
	t.Helper()
	if err := db.Apply(t.Context(), rows, removed, Watermark{}, Watermark{"head"}); err != nil {
		t.Fatal(err)
	}
}

// claims is the whole claims table, by path.
func claims(t interface{ Fatal(...any) }, db *DB) map[string]memory.Hash {
	out := map[string]memory.Hash{}
	err := db.read(context.Background(), func(tx *sql.Tx) error {
		rows, err := tx.Query("SELECT hash, path FROM claims")
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var raw []byte
			var path string
			if err := rows.Scan(&raw, &path); err != nil {
				return err
			}
			out[path] = memory.Hash(raw)
		}
		return rows.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestLoadReturnsWhatWasWritten(t *testing.T) {
	want := rows(
		file("areas/a.html", 1, link("areas/b c.html", ""), link("areas/%61.html", "areas/a.html")),
		file("areas/b c.html", 1, func(f *File) {
			f.Gist, f.FrameKey, f.FrameValue, f.ShownValue = "The İ is 4", "the i̇ is", "4", "4"
			f.Flawed, f.Tracked, f.Unmerged = true, false, true
			f.Life, f.SaysArchived, f.Inverted = &Life{"todo", "2026-05-02", "2026-06-02", "areas/a.html"}, true, true
		}),
		&File{Path: "areas/\xff.html", Unread: "not-regular"},
	)
	path := filepath.Join(t.TempDir(), "a?b#c%20 é", "index.db")
	for _, write := range []func(db *DB) error{
		func(db *DB) error { return db.Apply(t.Context(), want, nil, Watermark{}, Watermark{"abc"}) },
		func(db *DB) error { return db.Replace(t.Context(), slices.Values(want), Watermark{"abc"}) },
	} {
		db := openDB(t, path)
		if err := write(db); err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		got, w, err := openDB(t, path).Load(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("rows (-written +loaded):\n%s", diff)
		}
		if w.Head != "abc" {
			t.Errorf("watermark %q, want abc", w.Head)
		}
	}
}

func TestFreshDatabaseHasNothing(t *testing.T) {
	db := tempDB(t)
	got, w, err := db.Load(t.Context())
	if err != nil || len(got) > 0 || w != (Watermark{}) || db.Recreated() != "" {
		t.Errorf("Load = %v, %v, %v; recreated %q", got, w, err, db.Recreated())
	}
	if path, ok, err := db.Holder(t.Context(), memory.Hash{1}); ok || err != nil {
		t.Errorf("Holder = %q, %v, %v", path, ok, err)
	}
}

func TestClaimsAreHandedOver(t *testing.T) {
	older := func(f *File) { f.Created = "2020-01-01" }
	untracked := func(f *File) { f.Tracked = false }
	start := rows(
		file("areas/a.html", 1), file("areas/b.html", 1), file("areas/c.html", 1, older, untracked),
		file("areas/z.html", 2),
	)
	for _, tc := range []struct {
		name    string
		rows    []Row
		removed []string
		want    map[byte]string
	}{
		{"nothing", nil, nil, map[byte]string{1: "areas/a.html", 2: "areas/z.html"}},
		{"the holder goes", nil, []string{"areas/a.html"}, map[byte]string{1: "areas/b.html", 2: "areas/z.html"}},
		{"all but the untracked go", nil, []string{"areas/a.html", "areas/b.html"}, map[byte]string{1: "areas/c.html", 2: "areas/z.html"}},
		{"all go", nil, []string{"areas/a.html", "areas/b.html", "areas/c.html"}, map[byte]string{2: "areas/z.html"}},
		{"an unknown path goes", nil, []string{"areas/none.html"}, map[byte]string{1: "areas/a.html", 2: "areas/z.html"}},
		{
			"the holder is archived", rows(file("archive/2026/areas/a.html", 1)),
			[]string{"areas/a.html"},
			map[byte]string{1: "areas/b.html", 2: "areas/z.html"},
		},
		{
			"the holder is edited", rows(file("areas/a.html", 3)), nil,
			map[byte]string{1: "areas/b.html", 2: "areas/z.html", 3: "areas/a.html"},
		},
		{
			"the holder breaks", rows(file("areas/a.html", 1, func(f *File) { f.Accepted = false })), nil,
			map[byte]string{1: "areas/b.html", 2: "areas/z.html"},
		},
		{
			"an earlier one comes", rows(file("areas/new.html", 1, older)), nil,
			map[byte]string{1: "areas/new.html", 2: "areas/z.html"},
		},
		{
			"a file becomes tracked", rows(file("areas/c.html", 1, older)), nil,
			map[byte]string{1: "areas/c.html", 2: "areas/z.html"},
		},
		{
			"two swap their content", rows(file("areas/a.html", 2), file("areas/z.html", 1, older)), nil,
			map[byte]string{1: "areas/z.html", 2: "areas/a.html"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			db := tempDB(t)
			apply(t, db, start)
			apply(t, db, tc.rows, tc.removed...)
			got := map[byte]string{}
			for h := range byte(5) {
				path, ok, err := db.Holder(t.Context(), memory.Hash{h})
				if err != nil {
					t.Fatal(err)
				}
				if ok {
					got[h] = path
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("holders (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSQLPredicateIsTheGoPredicate(t *testing.T) {
	db := tempDB(t)
	want := map[string]bool{}
	var all []Row
	for _, folder := range []string{"areas", "archive", "archive/2026/areas", "archived", "Archive", "projects/archive", "resources"} {
		for _, typ := range []string{"", "task", "Task", "tasks", "semantic", "arc", "task\x00", "'"} {
			for _, accepted := range []bool{true, false} {
				f := file(fmt.Sprintf("%s/%d.html", folder, len(all)), 1, func(f *File) { f.Type, f.Accepted = typ, accepted })
				all, want[f.Path] = append(all, row(f)), f.Eligible()
			}
		}
	}
	apply(t, db, all)
	got := map[string]bool{}
	err := db.read(t.Context(), func(tx *sql.Tx) error {
		for path := range want {
			var eligible bool
			if err := tx.QueryRow("SELECT "+eligibleSQL+" FROM files WHERE path = ?", path).Scan(&eligible); err != nil {
				return err
			}
			got[path] = eligible
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("eligible (-Go +SQL):\n%s", diff)
	}
	if n := len(slices.Collect(keys(want, true))); n == 0 || n == len(want) {
		t.Errorf("%d of %d files are eligible: the table tests nothing", n, len(want))
	}
}

func keys(m map[string]bool, value bool) iter.Seq[string] {
	return func(yield func(string) bool) {
		for k, v := range m {
			if v == value && !yield(k) {
				return
			}
		}
	}
}

func TestNoStatementScans(t *testing.T) {
	db := tempDB(t)
	for _, stmt := range []string{
		upsertFileSQL, deleteFileSQL, selectHashSQL, deleteLinksSQL, holderSQL, releaseClaimSQL, grantClaimSQL, selectMetaSQL,
		recordSessionSQL, archiveSessionsSQL, restoreSessionsSQL,
	} {
		plan := explain(t, db, stmt)
		if strings.Contains(plan, "SCAN") || strings.Contains(plan, "TEMP B-TREE") {
			t.Errorf("%s\n%s", stmt, plan)
		}
	}
	if plan := explain(t, db, grantClaimSQL); !strings.Contains(plan, "files_holders (content_hash=?)") {
		t.Errorf("a claim is not granted from the index of holders:\n%s", plan)
	}
}

func explain(t *testing.T, db *DB, stmt string) string {
	t.Helper()
	var plan strings.Builder
	err := db.read(t.Context(), func(tx *sql.Tx) error {
		rows, err := tx.Query("EXPLAIN QUERY PLAN "+stmt, make([]any, strings.Count(stmt, "?"))...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var id, parent, unused int
			var detail string
			if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
				return err
			}
			fmt.Fprintln(&plan, detail)
		}
		return rows.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
	return plan.String()
}

func TestFailedCommitIsReported(t *testing.T) {
	db := tempDB(t)
	err := db.write(t.Context(), func(tx *sql.Tx) error {
		// A deferred constraint is looked at by COMMIT and by nothing before it.
		_, err := tx.Exec("PRAGMA defer_foreign_keys = ON; INSERT INTO claims VALUES (x'00', 'areas/ghost.html')")
		return err
	})
	if failure.CodeOf(err) != failure.Storage {
		t.Fatalf("a commit that failed gave %v, want a storage failure", err)
	}
	apply(t, db, rows(file("areas/a.html", 1)))
	if diff := cmp.Diff(map[string]memory.Hash{"areas/a.html": {1}}, claims(t, db)); diff != "" {
		t.Errorf("claims after a failed commit (-want +got):\n%s", diff)
	}
}

func TestPanicRollsBack(t *testing.T) {
	db := tempDB(t)
	func() {
		defer func() { _ = recover() }()
		_ = db.write(t.Context(), func(tx *sql.Tx) error {
			if _, err := tx.Exec(upsertMetaSQL, metaHead, "half"); err != nil {
				t.Error(err)
			}
			panic("half way")
		})
	}()
	if _, w, err := db.Load(t.Context()); err != nil || w.Head != "" {
		t.Errorf("watermark %q, %v after a panic", w.Head, err)
	}
	apply(t, db, nil)
}

func TestCancelledWriteLeavesNothing(t *testing.T) {
	db := tempDB(t)
	ctx, cancel := context.WithCancel(t.Context())
	all := func(yield func(Row) bool) {
		yield(row(file("areas/a.html", 1)))
		cancel()
		yield(row(file("areas/b.html", 1)))
	}
	err := db.Replace(ctx, all, Watermark{"x"})
	if failure.CodeOf(err) != failure.Cancelled || !errors.Is(err, context.Canceled) {
		t.Errorf("Replace = %v, want cancelled", err)
	}
	if got, w, err := db.Load(t.Context()); err != nil || len(got) > 0 || w.Head != "" {
		t.Errorf("Load = %v, %v, %v", got, w, err)
	}
}

func TestWritersTakeTurns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.db")
	var wg sync.WaitGroup
	for w := range 4 {
		db := openDB(t, path)
		for g := range 2 {
			wg.Go(func() {
				for i := range 10 {
					apply(t, db, rows(file(fmt.Sprintf("areas/%d-%d-%d.html", w, g, i), 1)))
				}
			})
		}
	}
	wg.Wait()
	db := openDB(t, path)
	if got, _, err := db.Load(t.Context()); err != nil || len(got) != 80 {
		t.Errorf("%d rows, %v; want 80", len(got), err)
	}
	if diff := cmp.Diff(map[string]memory.Hash{"areas/0-0-0.html": {1}}, claims(t, db)); diff != "" {
		t.Errorf("claims (-want +got):\n%s", diff)
	}
}

// A whole build drops the indexes and makes them again: a database without them
// answers right and slowly.
func TestReplaceKeepsTheSchema(t *testing.T) {
	db := tempDB(t)
	schema := func() (objects []string) {
		t.Helper()
		must(t, db.read(t.Context(), func(tx *sql.Tx) error {
			rows, err := tx.Query("SELECT name || ': ' || coalesce(sql, '') FROM sqlite_schema ORDER BY name")
			if err != nil {
				return err
			}
			defer rows.Close()
			for rows.Next() {
				var object string
				if err := rows.Scan(&object); err != nil {
					return err
				}
				objects = append(objects, object)
			}
			return rows.Err()
		}))
		return objects
	}
	before := schema()
	must(t, db.Replace(t.Context(), slices.Values(rows(file("areas/a.html", 1), file("areas/b.html", 1))), Watermark{"x"}))
	if diff := cmp.Diff(before, schema()); diff != "" {
		t.Errorf("schema (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]memory.Hash{"areas/a.html": {1}}, claims(t, db)); diff != "" {
		t.Errorf("claims (-want +got):\n%s", diff)
	}
}
