package index

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"

	"github.com/memhtml-ls/memhtml-ls/memory"
)

// Read looks at one path below a root as [Scan] does, so that the two agree:
// ok is false where a scan would have no row. known is what was known of the
// path, or nil; its git facts are kept, and with the same bytes it is kept
// whole.
func Read(root *os.Root, at string, known *File) (r Row, ok bool) {
	seen := time.Now()
	dir, name, ok := parent(root, at)
	if !ok {
		return Row{}, false
	}
	defer dir.Close()
	info, err := dir.Lstat(name)
	if err != nil {
		return Row{}, false
	}
	w := walker{seen: seen}
	switch kindOf(dir, name, at, info.Mode()) {
	case kindFile:
		w.sight(dir, name, sighting{path: at})
	case kindOdd:
		w.sight(dir, name, sighting{path: at, unread: unreadNotRegular})
	}
	if len(w.found) == 0 {
		return Row{}, false
	}
	r, _ = job{sighting: w.found[0], known: known}.read(root, seen, nil)
	return r, r.File != nil
}

// parent opens the folder that a path is in, if a walk from the buckets would
// come there: through folders that are not hidden and no links.
func parent(root *os.Root, at string) (dir *os.Root, name string, ok bool) {
	if memory.Bucket(at) == "" || path.Clean(at) != at {
		return nil, "", false
	}
	dir, err := root.OpenRoot(".")
	if err != nil {
		return nil, "", false
	}
	for {
		first, rest, more := strings.Cut(at, "/")
		if !more {
			return dir, at, true
		}
		info, err := dir.Lstat(first)
		if err != nil || !info.IsDir() || strings.HasPrefix(first, ".") {
			return nil, "", none(dir)
		}
		below, err := dir.OpenRoot(first)
		if err != nil {
			return nil, "", none(dir)
		}
		dir.Close()
		dir, at = below, rest
	}
}

// none closes a folder and says no.
func none(dir *os.Root) bool {
	dir.Close()
	return false
}

// read makes the row of a sighting, and says whether it had to parse. The row
// has no file when there is none any more. left are files that were moved, maybe
// to here.
func (j job) read(root *os.Root, seen time.Time, left map[BlobID]*File) (r Row, parsed bool) {
	if j.unread != "" {
		return j.leave(j.unread), false
	}
	src, info, err := readFile(root, j.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Row{}, false
	case errors.Is(err, errNotRegular):
		return j.leave(unreadNotRegular), false
	case errors.Is(err, errTooLarge):
		return j.leave(unreadTooLarge), false
	case err != nil:
		return j.leave(unreadUnreadable), false
	}
	r.Stat = statOf(info, seen)
	r.File, parsed = j.project(src, left)
	return r, parsed
}

// project makes the file of its bytes, and says whether it had to parse them.
func (j job) project(src []byte, left map[BlobID]*File) (f *File, parsed bool) {
	blob := BlobOf(src)
	if j.known != nil && j.known.Unread == "" && j.known.Incoming == 0 && j.known.Blob == blob {
		return j.known, false
	}
	if was := left[blob]; was != nil {
		return j.keep(was.movedTo(j.path)), false
	}
	return j.keep(NewFile(j.path, src)), true
}

// leave makes the row of a file that is not taken in.
func (j job) leave(why string) Row {
	return Row{j.keep(&File{Path: strings.Clone(j.path), Unread: why}), j.stat}
}

// keep gives a file that was just made the git facts that are known of its path.
func (j job) keep(f *File) *File {
	if j.known == nil {
		return f
	}
	return f.With(j.known.Tracked, j.known.Unmerged, 0)
}

var (
	errNotRegular = errors.New("not a regular file")
	errTooLarge   = errors.New("larger than a memory may be")
)

// readFile reads a regular file of at most [memory.MaxSize] bytes, and says
// what it looked like before it was read. It is a variable so that tests can
// have files that cannot be read, which the superuser never has.
var readFile = func(root *os.Root, at string) ([]byte, fs.FileInfo, error) {
	f, err := root.OpenFile(at, os.O_RDONLY|openNonblock, 0)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, errNotRegular
	}
	if info.Size() > memory.MaxSize {
		return nil, nil, errTooLarge
	}
	src := make([]byte, 0, info.Size()+1)
	return readAll(io.LimitReader(f, memory.MaxSize+1), src, info)
}

// readAll reads into src, whose room is usually that of the file.
func readAll(r io.Reader, src []byte, info fs.FileInfo) ([]byte, fs.FileInfo, error) {
	for {
		n, err := r.Read(src[len(src):cap(src)])
		src = src[:len(src)+n]
		switch {
		case errors.Is(err, io.EOF) && len(src) > memory.MaxSize:
			return nil, nil, errTooLarge
		case errors.Is(err, io.EOF):
			return src, info, nil
		case err != nil:
			return nil, nil, err
		}
		if len(src) == cap(src) {
			src = append(src, 0)[:len(src)]
		}
	}
}
