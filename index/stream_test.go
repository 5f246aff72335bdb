package index

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
)

// TestDatabaseWrittenAlong: what is written while the files are read is what there
// is to write afterwards.
func TestDatabaseWrittenAlong(t *testing.T) {
	dir := benchCorpus(t, 700)
	must(t, os.Symlink("nowhere", filepath.Join(dir, "areas", "odd.html")))
	// A file that goes away before it is read has no row.
	read := readFile
	t.Cleanup(func() { readFile = read })
	readFile = func(dir folder, at string, seen time.Time, b *buffer) ([]byte, Stat, error) {
		if strings.HasSuffix(at, "7.html") {
			return nil, Stat{}, os.ErrNotExist
		}
		return read(dir, at, seen, b)
	}
	along, after := tempDB(t), tempDB(t)
	stream := NewStream()
	written := make(chan error)
	go func() { written <- along.Replace(context.Background(), stream.All(), Watermark{"x"}) }()
	walked, err := Walk(dir)
	must(t, err)
	defer walked.Close()
	found, err := walked.ScanAll(t.Context(), nil, func(rows []Row) {
		for i := range rows {
			if rows[i].File != nil {
				rows[i].File = rows[i].File.With(true, false, 0)
			}
		}
		stream.Add(rows)
	})
	must(t, err)
	stream.End()
	must(t, <-written)
	if len(found.Rows) < 500 || len(found.Rows) > 650 || !slices.IsSortedFunc(found.Rows, comparePaths) {
		t.Fatalf("%d rows", len(found.Rows))
	}
	must(t, after.Replace(t.Context(), slices.Values(found.Rows), Watermark{"x"}))
	want, _, err := after.Load(t.Context())
	must(t, err)
	got, w, err := along.Load(t.Context())
	must(t, err)
	if diff := cmp.Diff(want, got); diff != "" || w.Head != "x" {
		t.Errorf("watermark %q, rows (-after +along):\n%s", w.Head, diff)
	}
	if diff := cmp.Diff(claims(t, after), claims(t, along)); diff != "" {
		t.Errorf("claims (-after +along):\n%s", diff)
	}
	if diff := cmp.Diff(found.Rows, stream.Rows()); diff != "" {
		t.Errorf("rows (-scanned +streamed):\n%s", diff)
	}
}

// TestStreamThatWasCutShort: rows that are not all leave the database as it was.
func TestStreamThatWasCutShort(t *testing.T) {
	db := tempDB(t)
	must(t, db.Replace(t.Context(), slices.Values(rows(file("areas/a.html", 1))), Watermark{"x"}))
	ctx, cancel := context.WithCancel(t.Context())
	stream := NewStream()
	written := make(chan error)
	go func() { written <- db.Replace(ctx, stream.All(), Watermark{"y"}) }()
	stream.Add(rows(file("areas/b.html", 2)))
	cancel()
	stream.End()
	if err := <-written; failure.CodeOf(err) != failure.Cancelled {
		t.Errorf("error %v", err)
	}
	got, w, err := db.Load(t.Context())
	if err != nil || len(got) != 1 || got[0].File.Path != "areas/a.html" || w.Head != "x" {
		t.Errorf("%d rows, watermark %q, %v", len(got), w.Head, err)
	}
}
