package index

import (
	"context"
	"errors"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/memory"
)

// Scanned is what a scan found.
type Scanned struct {
	// Rows are all files by path.
	Rows []Row
	// Moved are the rows that are not as known: new, edited, or the same bytes
	// in a file that looks different. By path.
	Moved []Row
	// Removed are the known paths at which there is nothing any more, in order.
	Removed []string
	// Folders are the folders that were walked.
	Folders Folders
	// Parsed is how many files had to be parsed.
	Parsed int
}

// bytesInFlight bounds the sources that are held at a time; their trees take
// some ten times as much.
const bytesInFlight = 2 * memory.MaxSize

// progressStep is how many files are read between two reports of progress.
const progressStep = 100

// Scan looks at every file in the buckets of the folder dir and reads, on all
// cores, those that may not be what is known of them. Links are not followed;
// what cannot be taken in is a row with [File.Unread]. Git's facts about a file
// are those of its known row. known is one row a path, best in their order.
// A file that was moved is known by its bytes and not parsed again.
//
// progress may be nil. It is told how many of the files to be read have been,
// by one goroutine at a time, growing, and of the last one in any case.
//
// The error is a Storage failure when dir cannot be opened, Cancelled when ctx
// ends; a scan changes nothing, so nothing is left half done.
func Scan(ctx context.Context, dir string, known []Row, progress func(done, total int)) (Scanned, error) {
	w, err := Walk(dir)
	if err != nil {
		return Scanned{}, err
	}
	defer w.Close()
	return w.Scan(ctx, known, progress)
}

// Walk is the first half of [Scan], which needs nothing of what is known. The
// caller closes what it returns.
func Walk(dir string) (*Walked, error) {
	top, err := openFolder(os.OpenRoot(dir))
	if err != nil {
		return nil, cannotOpen(err)
	}
	w := &Walked{top: top, seen: time.Now(), folders: Folders{}}
	w.found = walk(top, w.seen, w.folders)
	return w, nil
}

// Walked is what there is in the buckets of a folder, not read yet.
type Walked struct {
	top     folder
	seen    time.Time
	found   []sighting
	folders Folders
}

// Close closes the folder.
func (w *Walked) Close() { w.top.close() }

// Scan is the second half of [Scan].
func (w *Walked) Scan(ctx context.Context, known []Row, progress func(done, total int)) (Scanned, error) {
	s := newScan(w.top, w.seen, progress)
	s.folders = w.folders
	s.compare(known, w.found)
	return s.run(ctx)
}

func newScan(top folder, seen time.Time, progress func(done, total int)) *scan {
	return &scan{top: top, seen: seen, progress: progress, room: semaphore.NewWeighted(bytesInFlight)}
}

// run reads what is to be read.
func (s *scan) run(ctx context.Context) (Scanned, error) {
	if err := s.read(ctx); err != nil {
		return Scanned{}, failure.New(failure.Cancelled, "The scan of the memory folder was cancelled.").Wrap(err)
	}
	return s.result(), nil
}

func cannotOpen(err error) error {
	return failure.New(failure.Storage, "The memory folder cannot be opened.").
		Suggest("Check that the folder exists and can be read.").Wrap(err)
}

// scan is one run of [Scan].
type scan struct {
	top      folder
	seen     time.Time
	progress func(done, total int)
	room     *semaphore.Weighted

	// rows has a place for every sighting; those of todo are read. A place
	// without a file is that of a file which went away before it was read.
	rows    []Row
	todo    []job
	removed []string
	folders Folders
	// left are the files of removed by their bytes: what appears elsewhere with
	// the same ones was moved. Only read while files are read.
	left   map[BlobID]*File
	parsed atomic.Int64

	progressMu sync.Mutex
	done       int

	// readyMu guards which turns are finished, and how many of the first of them
	// were given to ready; see [ScanAll].
	readyMu  sync.Mutex
	finished []bool
	given    int
	ready    func([]Row)
}

// job is a file to be read into its place.
type job struct {
	sighting
	place int
	known *File
}

// compare takes over the rows that still hold of what was sighted. Both sides
// are in the order of their paths, so it needs no map of the corpus.
func (s *scan) compare(known []Row, found []sighting) {
	if !slices.IsSortedFunc(known, comparePaths) {
		known = slices.SortedFunc(slices.Values(known), comparePaths)
	}
	s.rows = make([]Row, len(found))
	for i, f := range found {
		for len(known) > 0 && known[0].File.Path < f.path {
			s.leave(known[0].File)
			known = known[1:]
		}
		var row Row
		if len(known) > 0 && known[0].File.Path == f.path {
			row, known = known[0], known[1:]
		}
		if row.File != nil && row.File.Unread == f.unread && row.Stat.Still(f.stat) {
			s.rows[i] = row
			continue
		}
		s.todo = append(s.todo, job{f, i, row.File})
	}
	for _, r := range known {
		s.leave(r.File)
	}
}

// leave counts a known file as removed.
func (s *scan) leave(f *File) {
	s.removed = append(s.removed, f.Path)
	if f.Unread != "" {
		return
	}
	if s.left == nil {
		s.left = map[BlobID]*File{}
	}
	s.left[f.Blob] = f
}

func comparePaths(a, b Row) int { return strings.Compare(a.File.Path, b.File.Path) }

// mostInTurn bounds how many files one core takes at a time.
const mostInTurn = 64

// turns cuts todo where the folder is another one.
func (s *scan) turns() (turns [][]job) {
	for rest := s.todo; len(rest) > 0; {
		n, in := 1, path.Dir(rest[0].path)
		for n < min(len(rest), mostInTurn) && path.Dir(rest[n].path) == in {
			n++
		}
		turns, rest = append(turns, rest[:n]), rest[n:]
	}
	return turns
}

// read reads the files of todo.
func (s *scan) read(ctx context.Context) error {
	group, inner := errgroup.WithContext(ctx)
	turns := s.turns()
	var next atomic.Int64
	for range min(runtime.GOMAXPROCS(0), len(turns)) {
		group.Go(func() error {
			var b buffer
			for i := next.Add(1) - 1; i < int64(len(turns)); i = next.Add(1) - 1 {
				if err := s.readTurn(inner, turns[i], &b); err != nil {
					return err
				}
				s.finishTurn(turns, int(i))
			}
			return nil
		})
	}
	return errors.Join(group.Wait(), ctx.Err())
}

// readTurn reads files of one folder. When that is gone by now, so are they.
func (s *scan) readTurn(ctx context.Context, turn []job, b *buffer) error {
	dir, _, ok := parent(s.top.below, turn[0].path)
	if ok {
		defer dir.close()
	}
	for _, j := range turn {
		if ok || j.unread != "" {
			if err := s.readOne(ctx, dir, j, b); err != nil {
				return err
			}
		}
		s.tell()
	}
	return ctx.Err()
}

func (s *scan) readOne(ctx context.Context, dir folder, j job, b *buffer) error {
	weight := min(max(j.stat.Size, 1), memory.MaxSize)
	if err := s.room.Acquire(ctx, weight); err != nil {
		return err
	}
	defer s.room.Release(weight)
	row, parsed := j.read(dir, s.seen, s.left, b)
	if s.rows[j.place] = row; parsed {
		s.parsed.Add(1)
	}
	return ctx.Err()
}

func (s *scan) tell() {
	s.progressMu.Lock()
	defer s.progressMu.Unlock()
	s.done++
	if s.progress != nil && (s.done%progressStep == 0 || s.done == len(s.todo)) {
		s.progress(s.done, len(s.todo))
	}
}

// result gathers what there is, and counts a known file that went away before
// it was read with those that were gone.
func (s *scan) result() Scanned {
	out := Scanned{Removed: s.removed, Folders: s.folders, Parsed: int(s.parsed.Load())}
	for _, j := range s.todo {
		switch r := s.rows[j.place]; {
		case r.File != nil:
			out.Moved = append(out.Moved, r)
		case j.known != nil:
			out.Removed = append(out.Removed, j.known.Path)
		}
	}
	slices.Sort(out.Removed)
	out.Rows = slices.DeleteFunc(s.rows, func(r Row) bool { return r.File == nil })
	return out
}
