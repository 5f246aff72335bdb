package index

import (
	"bytes"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/memory"
)

// The database and the snapshot of the same files answer alike.
func TestAskAgreesWithTheSnapshot(t *testing.T) {
	var files []*File
	for i, path := range []string{"areas/a.html", "areas/b.html", "archive/2026/areas/c.html", "projects/d.html", "projects/e.html"} {
		f := file(path, byte(i/2))
		f.NormalHash = memory.Hash{9, byte(i % 2)}
		f.FrameKey = []string{"", "the kiln is", "the kiln is", "the gate is", "the kiln is"}[i]
		f.Tracked = i%2 == 0
		files = append(files, f)
	}
	files[3].Type = exemptType
	// Its second tier is its first, and the second alone of others.
	files = append(files, file("areas/0.html", 9, func(f *File) { f.Created = "2026-01-02" }))
	db, s := tempDB(t), Build(files)
	apply(t, db, rows(files...))
	q := Question{
		Contents: []memory.Hash{{0}, {1}, {2}, {7}, {9}},
		Normals:  []memory.Hash{{9, 0}, {9, 1}},
		Frames:   []string{"the kiln is", "the gate is", "the moon is"},
	}
	got, err := db.Ask(t.Context(), q)
	must(t, err)
	want := Answer{
		Contents: map[memory.Hash][]*File{}, Normals: map[memory.Hash][]*File{}, Frames: map[string][]*File{},
		Watermark: Watermark{"head"},
	}
	for _, h := range q.Contents {
		if held := slices.Collect(s.Holders(h)); held != nil {
			want.Contents[h] = held
		}
	}
	for _, h := range q.Normals {
		if held := slices.Collect(s.NormalHolders(h)); held != nil {
			want.Normals[h] = held
		}
	}
	for _, key := range q.Frames {
		if held := slices.Collect(s.FrameHolders(key)); held != nil {
			want.Frames[key] = held
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-snapshot +database)\n%s", diff)
	}
	held, err := db.Claims(t.Context(), q.Contents)
	must(t, err)
	for h, path := range held {
		if want.Contents[h][0].Path != path {
			t.Errorf("the claim of %v is with %s, the lookup says %s", h, path, want.Contents[h][0].Path)
		}
	}
	if len(held) != len(want.Contents) {
		t.Errorf("%d claims, want %d", len(held), len(want.Contents))
	}
}

func TestQuestionsUseTheirIndex(t *testing.T) {
	db := tempDB(t)
	for query, want := range map[string]string{
		contentHoldersSQL: "files_holders (content_hash=?)",
		normalHoldersSQL:  "files_normals (normal_hash=?)",
		normalHoldersSQL[strings.Index(normalHoldersSQL, "UNION ALL")+len("UNION ALL"):]: "files_holders (content_hash=?)",
		frameHoldersSQL: "files_frames (frame_key=?)",
		claimsSQL:       "SEARCH claims",
	} {
		if plan := explain(t, db, query); !strings.Contains(plan, want) || strings.Contains(plan, "SCAN files") {
			t.Errorf("%s\n%s", query, plan)
		}
	}
}

func TestWatermarkTellsEmptyFromUnborn(t *testing.T) {
	db := tempDB(t)
	if _, ok, err := db.Watermark(t.Context()); ok || err != nil {
		t.Errorf("a fresh database has a watermark (%v)", err)
	}
	must(t, db.Apply(t.Context(), nil, nil, Watermark{}, Watermark{}))
	if w, ok, err := db.Watermark(t.Context()); !ok || w.Head != "" || err != nil {
		t.Errorf("watermark %+v, %v, %v", w, ok, err)
	}
}

func TestAtMostCounts(t *testing.T) {
	db := tempDB(t)
	apply(t, db, rows(file("areas/a.html", 1), file("areas/b.html", 2)))
	for n, want := range map[int]bool{1: false, 2: true, 3: true} {
		if got, err := db.AtMost(t.Context(), n); err != nil || got != want {
			t.Errorf("at most %d: %v, %v", n, got, err)
		}
	}
}

// Damage that nobody looked for is an error of the question, never an answer.
func TestUnreadDamageIsAnError(t *testing.T) {
	path := filled(t)
	info, err := os.Stat(path)
	must(t, err)
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	must(t, err)
	_, err = f.WriteAt(bytes.Repeat([]byte{0xff}, int(info.Size())-2*4096), 2*4096)
	must(t, errors.Join(err, f.Close()))
	db, err := OpenUnread(t.Context(), path)
	must(t, err)
	defer db.Close()
	if db.Recreated() != "" {
		t.Fatalf("the whole file was read: %s", db.Recreated())
	}
	if got, err := db.Ask(t.Context(), Question{Contents: []memory.Hash{{7}}}); failure.CodeOf(err) != failure.Storage {
		t.Errorf("answer %v, error %v", got, err)
	}
	if again := openDB(t, path); again.Recreated() != reasonDamaged {
		t.Errorf("recreated because %q", again.Recreated())
	}
}
