package index

import (
	"bytes"
	"cmp"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/tidwall/btree"

	"github.com/memhtml-ls/memhtml-ls/memory"
)

// Snapshot is the whole corpus at one moment: every file on disk, with the
// open buffers' files in front of theirs. It is immutable and safe for any
// number of goroutines. Snapshots share structure: a new one costs O(log n)
// time and space per changed file, however many files hold the same content.
//
// Every lookup sees the visible files, that is the open buffer's where there
// is one; only [Snapshot.Disk] and [Snapshot.DiskFiles] see below.
type Snapshot struct {
	generation uint64

	// derivingMu guards the trees' ownership marks, which copying a tree
	// writes and reading one does not touch.
	derivingMu sync.Mutex
	trees

	// near is nil until claims have been compared; pending are the files of open
	// buffers whose claims are not in it.
	near    *Near
	pending []*File
}

// Delta is a set of changes that are applied at once. Keys are the paths of
// the files. A path may be in both maps.
type Delta struct {
	// Disk holds the files that moved on disk; nil means that the file is gone.
	Disk map[string]*File
	// Open holds the files of open buffers; nil means that the buffer is closed.
	Open map[string]*File
}

// trees are the indexes. A tree of *File holds the pointer only, so that all
// of them together cost some tens of bytes a file.
type trees struct {
	// files are the visible files, open those of them that come from a buffer,
	// under the disk's files that such a buffer hides. All by path.
	files, open, under *btree.BTreeG[*File]
	// content, normal and frame hold the eligible visible files by their key
	// and then in the order of [File.Before]: the first of a key is its holder.
	content, normal, frame *btree.BTreeG[*File]
	// claims are the visible files whose claims are compared, by the claim and then
	// in the order of [File.Before].
	claims *btree.BTreeG[*File]
	// links are the visible files by where what they link to came from: a link
	// to the archived form of a path stands under the path itself.
	links *btree.BTreeG[linker]
	// archived are the visible files of the archive by where they came from, the
	// latest year first.
	archived *btree.BTreeG[*File]
	// bonds are what the visible files say of each other's life, so that nobody
	// looks for it among all that link there; deadlines are the days after which
	// there is something to tell of them.
	bonds     *btree.BTreeG[bond]
	deadlines *btree.BTreeG[deadline]
}

// linker is one file that links to origin, or to an archived form of it.
type linker struct {
	origin string
	file   *File
}

// originOf is where a path was before it was archived, or the path.
func originOf(path string) string {
	if origin, archived := memory.UnarchivePath(path); archived {
		return origin
	}
	return path
}

// New returns the snapshot of an empty corpus, generation 0.
func New() *Snapshot {
	return &Snapshot{trees: trees{
		files: tree(byPath), open: tree(byPath), under: tree(byPath),
		content: tree(byContent), normal: tree(byNormal), frame: tree(byFrame),
		claims: tree(byClaim), links: tree(byOrigin), archived: tree(byYear),
		bonds: tree(byBond), deadlines: tree(byDay),
	}}
}

// Build returns the snapshot of the files of a disk, generation 1. Of two files
// with one path the later counts. The slice is not kept.
func Build(files []*File) *Snapshot {
	s := New()
	s.generation = 1
	sorted := slices.Clone(files)
	slices.SortStableFunc(sorted, func(f, g *File) int { return cmp.Compare(f.Path, g.Path) })
	for _, f := range sorted {
		s.files.Load(f)
	}
	var eligible []*File
	s.files.Scan(func(f *File) bool {
		if f.Eligible() {
			eligible = append(eligible, f)
		}
		return true
	})
	// No tree is written by two.
	var trees sync.WaitGroup
	trees.Go(func() { load(s.content, eligible, byContent, func(*File) bool { return true }) })
	trees.Go(func() { load(s.normal, eligible, byNormal, hasNormal) })
	trees.Go(func() { load(s.frame, eligible, byFrame, hasFrame) })
	trees.Go(func() { load(s.claims, eligible, byClaim, (*File).Compared) })
	s.files.Scan(func(f *File) bool {
		s.addStatements(f)
		return true
	})
	trees.Wait()
	return s
}

// load fills an empty tree in its own order, which is several times faster
// than in any other.
func load(t *btree.BTreeG[*File], files []*File, less func(f, g *File) bool, keep func(*File) bool) {
	sorted := slices.SortedFunc(slices.Values(files), func(f, g *File) int {
		if less(f, g) {
			return -1
		}
		return 1
	})
	for _, f := range sorted {
		if keep(f) {
			t.Load(f)
		}
	}
}

// Generation grows by one with every [Snapshot.Apply].
func (s *Snapshot) Generation() uint64 { return s.generation }

// Apply returns the snapshot after the changes; s stays as it is.
func (s *Snapshot) Apply(d Delta) *Snapshot {
	next := s.derive()
	defer next.findPending()
	for path := range d.Disk {
		next.replace(path, d)
	}
	for path := range d.Open {
		if _, done := d.Disk[path]; !done {
			next.replace(path, d)
		}
	}
	return next
}

// derive returns a snapshot of the next generation that shares every node.
func (s *Snapshot) derive() *Snapshot {
	s.derivingMu.Lock()
	defer s.derivingMu.Unlock()
	return &Snapshot{generation: s.generation + 1, near: s.near, trees: trees{
		files: s.files.IsoCopy(), open: s.open.IsoCopy(), under: s.under.IsoCopy(),
		content: s.content.IsoCopy(), normal: s.normal.IsoCopy(), frame: s.frame.IsoCopy(),
		claims: s.claims.IsoCopy(), links: s.links.IsoCopy(), archived: s.archived.IsoCopy(),
		bonds: s.bonds.IsoCopy(), deadlines: s.deadlines.IsoCopy(),
	}}
}

// replace brings one path to what the delta says of it.
func (t *trees) replace(path string, d Delta) {
	key := &File{Path: path}
	open, _ := t.open.Get(key)
	disk := t.disk(key)
	if f, ok := d.Disk[path]; ok {
		disk = f
	}
	if f, ok := d.Open[path]; ok {
		open = f
	}
	t.hide(key)
	put(t.open, key, open)
	if open == nil {
		put(t.under, key, nil)
		t.show(disk)
		return
	}
	put(t.under, key, disk)
	t.show(open)
}

// put sets f, or deletes key when f is nil.
func put(t *btree.BTreeG[*File], key, f *File) {
	if f == nil {
		t.Delete(key)
		return
	}
	t.Set(f)
}

// hide takes the visible file of a path out of every index.
func (t *trees) hide(key *File) {
	f, ok := t.files.Delete(key)
	if !ok {
		return
	}
	t.removeStatements(f)
	if !f.Eligible() {
		return
	}
	t.content.Delete(f)
	if hasNormal(f) {
		t.normal.Delete(f)
	}
	if hasFrame(f) {
		t.frame.Delete(f)
	}
	if f.Compared() {
		t.claims.Delete(f)
	}
}

// show puts a file, or nothing, into every index.
func (t *trees) show(f *File) {
	if f == nil {
		return
	}
	t.files.Set(f)
	t.addStatements(f)
	if !f.Eligible() {
		return
	}
	t.content.Set(f)
	if hasNormal(f) {
		t.normal.Set(f)
	}
	if hasFrame(f) {
		t.frame.Set(f)
	}
	if f.Compared() {
		t.claims.Set(f)
	}
}

// addStatements puts a file into the indexes that are not of eligible files
// only.
func (t *trees) addStatements(f *File) {
	for target := range targets(f) {
		t.links.Set(linker{originOf(target), f})
	}
	for path, rel := range bonds(f) {
		t.bonds.Set(bond{path, rel, f})
	}
	for d := range deadlines(f) {
		t.deadlines.Set(d)
	}
	if f.Archived() {
		t.archived.Set(f)
	}
}

func (t *trees) removeStatements(f *File) {
	for target := range targets(f) {
		t.links.Delete(linker{originOf(target), f})
	}
	for path, rel := range bonds(f) {
		t.bonds.Delete(bond{path, rel, f})
	}
	for d := range deadlines(f) {
		t.deadlines.Delete(d)
	}
	if f.Archived() {
		t.archived.Delete(f)
	}
}

// targets are the paths that a file's links name, in either form.
func targets(f *File) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, l := range f.Links {
			if l.Target != "" && !yield(l.Target) {
				return
			}
			if l.Alternate != "" && !yield(l.Alternate) {
				return
			}
		}
	}
}

func hasNormal(f *File) bool { return f.NormalHash != [32]byte{} }
func hasFrame(f *File) bool  { return f.FrameKey != "" }

// tree returns an empty tree. It has no lock of its own: a tree is written
// only before its snapshot is handed out.
func tree[T any](less func(a, b T) bool) *btree.BTreeG[T] {
	return btree.NewBTreeGOptions(less, btree.Options{NoLocks: true, Degree: treeDegree})
}

// treeDegree trades the bytes copied for a change against the height.
const treeDegree = 16

func byPath(f, g *File) bool { return f.Path < g.Path }

func byContent(f, g *File) bool { return byHash(f.ContentHash[:], g.ContentHash[:], f, g) }

func byNormal(f, g *File) bool { return byHash(f.NormalHash[:], g.NormalHash[:], f, g) }

func byHash(a, b []byte, f, g *File) bool {
	if c := bytes.Compare(a, b); c != 0 {
		return c < 0
	}
	return f.Before(g)
}

func byFrame(f, g *File) bool {
	if c := strings.Compare(f.FrameKey, g.FrameKey); c != 0 {
		return c < 0
	}
	return f.Before(g)
}

func byClaim(f, g *File) bool {
	if c := strings.Compare(f.Gist, g.Gist); c != 0 {
		return c < 0
	}
	return f.Before(g)
}

func byOrigin(a, b linker) bool {
	if a.origin != b.origin {
		return a.origin < b.origin
	}
	return a.file.Path < b.file.Path
}

func byBond(a, b bond) bool {
	if a.path != b.path {
		return a.path < b.path
	}
	if a.rel != b.rel {
		return a.rel < b.rel
	}
	return a.file.Path < b.file.Path
}

func byDay(a, b deadline) bool {
	if a.day != b.day {
		return a.day < b.day
	}
	return a.file.Path < b.file.Path
}

// byYear puts a longer path first, since a year of more digits is later.
func byYear(f, g *File) bool {
	a, b := originOf(f.Path), originOf(g.Path)
	switch {
	case a != b:
		return a < b
	case len(f.Path) != len(g.Path):
		return len(f.Path) > len(g.Path)
	}
	return f.Path > g.Path
}
