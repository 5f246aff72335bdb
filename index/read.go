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
	if memory.Bucket(at) == "" || path.Clean(at) != at {
		return Row{}, false
	}
	dir, name, ok := parent(root, at)
	if !ok {
		return Row{}, false
	}
	defer dir.close()
	stat, mode, err := dir.look(name, seen)
	if err != nil || mode.IsDir() {
		return Row{}, false
	}
	w := walker{seen: seen}
	if w.entry(dir, entry{name, mode, stat}, at); len(w.found) == 0 {
		return Row{}, false
	}
	r, _ = job{sighting: w.found[0], known: known}.read(dir, seen, nil, &buffer{})
	return r, r.File != nil
}

// read makes the row of a sighting in a folder, and says whether it had to parse.
// The row has no file when there is none any more. left are files that were moved,
// maybe to here.
func (j job) read(dir folder, seen time.Time, left map[BlobID]*File, b *buffer) (r Row, parsed bool) {
	if j.unread != "" {
		return j.leave(j.unread), false
	}
	src, stat, err := readFile(dir, j.path, seen, b)
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
	r.Stat = stat
	r.File, parsed = j.project(src, left, &b.trees)
	return r, parsed
}

// project makes the file of its bytes, and says whether it had to parse them.
func (j job) project(src []byte, left map[BlobID]*File, trees *memory.Room) (f *File, parsed bool) {
	blob := BlobOf(src)
	if j.known != nil && j.known.Unread == "" && j.known.Incoming == 0 && j.known.Blob == blob {
		return j.known, false
	}
	if was := left[blob]; was != nil {
		return j.keep(was.movedTo(j.path)), false
	}
	return j.keep(newFileIn(trees, j.path, src)), true
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

// buffer is the room into which one file after the other is read and parsed.
type buffer struct {
	room  []byte
	trees memory.Room
}

// mostKept bounds the room that a buffer keeps for the next file.
const mostKept = 1 << 20

// ofSize is empty and has room for so many bytes.
func (b *buffer) ofSize(n int) []byte {
	if n > mostKept {
		return make([]byte, 0, n)
	}
	if n > cap(b.room) {
		b.room = make([]byte, 0, max(n, 16<<10))
	}
	return b.room
}

// readFile reads a regular file of at most [memory.MaxSize] bytes, whose path ends
// in its name in the folder, and says what it looked like before it was read. The
// bytes are the buffer's. It is a variable so that tests can have files that
// cannot be read, which the superuser never has.
var readFile = func(dir folder, at string, seen time.Time, b *buffer) ([]byte, Stat, error) {
	f, err := dir.open(path.Base(at))
	if err != nil {
		return nil, Stat{}, err
	}
	defer f.close()
	stat, mode, err := f.look(seen)
	switch {
	case err != nil:
		return nil, Stat{}, err
	case !mode.IsRegular():
		return nil, Stat{}, errNotRegular
	case stat.Size > memory.MaxSize:
		return nil, Stat{}, errTooLarge
	}
	src, err := readAll(f, b.ofSize(int(stat.Size)+1), stat.Size)
	return src, stat, err
}

// readAll reads into src, whose room is usually that of the file. It does not look
// whether there is more when it has the size that the file had: what was added
// since then shows in the stat.
func readAll(r io.Reader, src []byte, size int64) ([]byte, error) {
	for {
		n, err := r.Read(src[len(src):cap(src)])
		src = src[:len(src)+n]
		switch {
		case len(src) > memory.MaxSize:
			return nil, errTooLarge
		case errors.Is(err, io.EOF):
			return src, nil
		case err != nil:
			return nil, err
		case int64(len(src)) == size:
			return src, nil
		}
		if len(src) == cap(src) {
			src = append(src, 0)[:len(src)]
		}
	}
}
