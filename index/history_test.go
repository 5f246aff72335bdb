package index

import (
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/memhtml-ls/memhtml-ls/memory"
)

// history is a corpus that lives: files on a disk, buffers in front of them,
// and the snapshot and database that follow each change and nothing else.
type history struct {
	dir  string
	root *os.Root
	db   *DB

	snapshot *Snapshot
	tracked  map[string]bool
	open     map[string]*File
	opened   uint64
	clock    time.Time
	mark     Watermark
}

// paths and texts of the histories: few, so that they meet.
var (
	historyPaths = []string{
		"areas/a.html", "areas/b.html", "areas/c d/e.html", "projects/p/a.html", "resources/e\u0301.html", "resources/é.html",
		"archive/2026/areas/a.html", "archive/2025/areas/b.html",
	}
	historyTexts = []string{
		memo("Drain the pool first."), memo("Drain  the\npool first."), memo("Drain the pool\u00a0first."),
		memo("The pool ceiling is 64."), memo("The pool ceiling is 128."), memo("The Pool ceiling is 64"),
		strings.Replace(memo("Drain the pool first."), `"semantic"`, `"task"`, 1),
		strings.Replace(memo("The pool ceiling is 64."), "2026-01-01", "2025-01-01", 1),
		strings.Replace(memo("See there."), "</head>", `<link rel="memhtml-relates-to" href="/areas/a.html">`+
			`<link rel="memhtml-supports" href="/areas/c%20d/e.html"></head>`, 1),
		strings.Replace(memo("Drain the pool first."), `<mark>`, "", 1),
		strings.Replace(memo("Drain the pool."), "</head>", `<meta name="memhtml-session" content="s1">`+
			`<link rel="memhtml-supersedes" href="/archive/2026/areas/a.html"></head>`, 1),
		strings.Replace(memo("Drain it."), "</head>", `<meta name="memhtml-session" content="s2"><meta name="memhtml-archived" content="2026-01-01"></head>`, 1),
		conflicted(memo("Drain the pool first.")), "", "\xff\x00<", strings.Repeat("<b>", 600),
	}
)

func TestHistoryEqualsAFreshBuild(t *testing.T) {
	db, fresh := tempDB(t), tempDB(t)
	rapid.Check(t, func(t *rapid.T) {
		h := newHistory(t, db)
		defer h.end()
		t.Repeat(map[string]func(*rapid.T){
			"write": func(t *rapid.T) { h.write(t, h.path(t), rapid.SampledFrom(historyTexts).Draw(t, "text")) },
			"copy":  func(t *rapid.T) { h.copy(t, h.path(t), h.path(t)) },
			"move":  func(t *rapid.T) { h.move(t, h.path(t), h.path(t)) },
			"archive": func(t *rapid.T) {
				if from := h.path(t); !memory.IsArchived(from) {
					h.move(t, from, memory.ArchivePath(from, 2026))
				}
			},
			"delete": func(t *rapid.T) { h.delete(t, h.path(t)) },
			"link":   func(t *rapid.T) { h.link(t, h.path(t)) },
			"track":  func(t *rapid.T) { h.track(t, h.path(t)) },
			"buffer": func(t *rapid.T) { h.buffer(h.path(t), rapid.SampledFrom(historyTexts).Draw(t, "text")) },
			"close":  func(t *rapid.T) { h.show(h.path(t), nil) },
			"":       func(t *rapid.T) { h.check(t) },
		})
		h.checkRebuilt(t, fresh)
	})
}

func newHistory(t *rapid.T, db *DB) *history {
	dir, err := os.MkdirTemp("", "history")
	if err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Replace(t.Context(), slices.Values([]Row(nil)), Watermark{}); err != nil {
		t.Fatal(err)
	}
	return &history{
		dir: dir, root: root, db: db, snapshot: New(), tracked: map[string]bool{}, open: map[string]*File{}, clock: longAgo,
	}
}

func (h *history) end() {
	h.root.Close()
	os.RemoveAll(h.dir)
}

func (h *history) path(t *rapid.T) string { return rapid.SampledFrom(historyPaths).Draw(t, "path") }

func (h *history) name(at string) string { return filepath.Join(h.dir, filepath.FromSlash(at)) }

// write writes a file whose time stamp is old and often that of another state
// of the same file.
func (h *history) write(t *rapid.T, at, text string) {
	h.clear(t, at)
	write(t, h.dir, at, text)
	if rapid.Bool().Draw(t, "later") {
		h.clock = h.clock.Add(time.Second)
		if err := os.Chtimes(h.name(at), h.clock, h.clock); err != nil {
			t.Fatal(err)
		}
	}
	h.follow(t, at)
}

// clear makes room for a file: what is there may be a link, which would be
// written through.
func (h *history) clear(t *rapid.T, at string) {
	if err := os.MkdirAll(filepath.Dir(h.name(at)), 0o755); err != nil {
		t.Fatal(err)
	}
	os.Remove(h.name(at))
}

func (h *history) copy(t *rapid.T, from, to string) {
	if text, err := os.ReadFile(h.name(from)); err == nil && from != to {
		h.write(t, to, string(text))
	}
}

func (h *history) move(t *rapid.T, from, to string) {
	if _, err := os.Lstat(h.name(from)); err != nil || from == to {
		return
	}
	if err := os.MkdirAll(filepath.Dir(h.name(to)), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(h.name(from), h.name(to)); err != nil {
		t.Fatal(err)
	}
	h.follow(t, from, to)
}

func (h *history) delete(t *rapid.T, at string) {
	os.Remove(h.name(at))
	h.follow(t, at)
}

func (h *history) link(t *rapid.T, at string) {
	h.clear(t, at)
	if err := os.Symlink("nowhere.html", h.name(at)); err != nil {
		t.Fatal(err)
	}
	h.follow(t, at)
}

func (h *history) track(t *rapid.T, at string) {
	h.tracked[at] = !h.tracked[at]
	h.follow(t, at)
}

func (h *history) buffer(at, text string) {
	h.opened++
	h.show(at, NewFile(at, []byte(text)).With(h.tracked[at], false, h.opened))
}

func (h *history) show(at string, f *File) {
	h.open[at] = f
	if f == nil {
		delete(h.open, at)
	}
	h.snapshot = h.snapshot.Apply(Delta{Open: map[string]*File{at: f}})
}

// follow brings the snapshot and the database to what is on disk at some paths.
func (h *history) follow(t *rapid.T, changed ...string) {
	d := Delta{Disk: map[string]*File{}}
	var rows []Row
	var removed []string
	for _, at := range changed {
		r, ok := Read(h.root, at, h.snapshot.Disk(at))
		if !ok {
			d.Disk[at], removed = nil, append(removed, at)
			continue
		}
		r.File = r.File.With(h.tracked[at], false, 0)
		d.Disk[at], rows = r.File, append(rows, r)
	}
	h.snapshot = h.snapshot.Apply(d)
	since, w := h.mark, Watermark{h.clock.String()}
	if err := h.db.Apply(t.Context(), rows, removed, since, w); err != nil {
		t.Fatal(err)
	}
	h.mark = w
}

// fresh is a scan that knows nothing.
func (h *history) fresh(t *rapid.T, known []Row) []Row {
	s, err := Scan(t.Context(), h.dir, known, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range s.Rows {
		s.Rows[i].File = r.File.With(h.tracked[r.File.Path], false, 0)
	}
	return s.Rows
}

func (h *history) check(t *rapid.T) {
	rows := h.fresh(t, nil)
	fresh := Build(filesOf(rows)).Apply(Delta{Open: h.open})
	equal(t, "snapshot: fresh, incremental", answers(fresh), answers(h.snapshot))
	stored, w, err := h.db.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "database: fresh, incremental", unseen(rows), unseen(stored))
	if len(stored) > 0 && w.Head != h.clock.String() {
		t.Fatalf("watermark %q, want %q", w.Head, h.clock)
	}
	equal(t, "warm scan: fresh, warm", unseen(rows), unseen(h.fresh(t, stored)))
	equal(t, "claims: first holders, database", firstHolders(Build(filesOf(rows))), claims(t, h.db))
}

// equal compares by reflection first, which is many times faster than cmp.
func equal(t *rapid.T, what string, a, b any) {
	if reflect.DeepEqual(a, b) {
		return
	}
	t.Fatalf("%s (-first +second):\n%s", what, cmp.Diff(a, b))
}

// unseen are the rows but for the moments at which they were read.
func unseen(rows []Row) []Row {
	out := append([]Row{}, rows...)
	for i := range out {
		out[i].Stat.Seen = 0
	}
	return out
}

// firstHolders are the claims that there should be.
func firstHolders(s *Snapshot) map[string]memory.Hash {
	out := map[string]memory.Hash{}
	for f := range s.All() {
		for g := range s.Holders(f.ContentHash) {
			out[g.Path] = g.ContentHash
			break
		}
	}
	return out
}

// checkRebuilt compares the database with one that was filled at once.
func (h *history) checkRebuilt(t *rapid.T, fresh *DB) {
	if err := fresh.Replace(t.Context(), slices.Values(h.fresh(t, nil)), Watermark{}); err != nil {
		t.Fatal(err)
	}
	equal(t, "claims: rebuilt, incremental", claims(t, fresh), claims(t, h.db))
	equal(t, "sessions: rebuilt, incremental", sessions(t, fresh), sessions(t, h.db))
}

// sessions are the session links of every path and session of the histories.
func sessions(t *rapid.T, db *DB) map[string][]SessionLink {
	all := map[string][]SessionLink{}
	ask := func(key string, links []SessionLink, err error) {
		if err != nil {
			t.Fatal(err)
		}
		all[key] = links
	}
	for _, at := range historyPaths {
		links, err := db.SessionsOf(t.Context(), at)
		ask(at, links, err)
	}
	for _, session := range []string{"s1", "s2"} {
		links, err := db.MemoriesOf(t.Context(), session)
		ask(session, links, err)
	}
	return all
}

// answers is everything that a snapshot says of its files.
func answers(s *Snapshot) map[string]any {
	out := map[string]any{
		"all": slices.Collect(s.All()), "open": slices.Collect(s.Open()), "disk": slices.Collect(s.DiskFiles()), "len": s.Len(),
	}
	for f := range s.All() {
		for kind, files := range map[string]iter.Seq[*File]{
			"content": s.Holders(f.ContentHash), "normal": s.NormalHolders(f.NormalHash), "frame": s.FrameHolders(f.FrameKey),
		} {
			out[kind+" of "+f.Path] = paths(files)
		}
		out["counts of "+f.Path] = fmt.Sprint(s.HolderCount(f.ContentHash), s.NormalHolderCount(f.NormalHash), s.FrameHolderCount(f.FrameKey))
		out["neighbours of "+f.Path] = slices.Collect(s.Neighbours(f))
		out["quiet "+f.Path] = s.Quiet(f, someDay)
	}
	for _, at := range historyPaths {
		out["linkers of "+at] = paths(s.Linkers(at))
		out["archived forms of "+at] = paths(s.ArchivedForms(at))
		out["disk of "+at] = []*File{s.Disk(at), s.File(at)}
	}
	return out
}
