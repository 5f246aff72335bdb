package store

import (
	"bytes"
	"context"
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
)

// indexFile is git's index as bytes, with no more decoded than where the
// entries and extensions lie. Entries are read by scan.
type indexFile struct {
	raw     []byte
	version uint32
	count   int
	// entriesEnd is the offset after the last entry.
	entriesEnd int
	extensions []indexExtension
	// unsummed is set where the trailer is null (index.skipHash).
	unsummed bool
	// stat is of the file as it was read; nil when there was none.
	stat fs.FileInfo
}

type indexExtension struct {
	name string
	data []byte
}

// The layout of an entry: ten numbers of stat, the id, the flags, then with
// flagExtended two more bytes of flags, then the name.
const (
	indexHeader   = 12
	entryFixed    = 62
	entryID       = 40
	entryFlags    = 60
	entryNameMask = 0xfff

	flagAssumeValid  = 0x8000
	flagExtended     = 0x4000
	flagStage        = 0x3000
	flagSkipWorktree = 0x4000
	flagIntentToAdd  = 0x2000
)

// The modes of index entries.
const (
	indexFileMode = 0o100644
	indexExecMode = 0o100755
	indexLink     = 0o120000
	indexModule   = 0o160000
)

// indexEntry is one entry; name is valid until the next one is read.
type indexEntry struct {
	start, end      int
	name            []byte
	mode            uint32
	id              oid
	mtime, mtimeNs  uint32
	size            uint32
	flags, extended uint16
}

func (e *indexEntry) stage() int         { return int(e.flags&flagStage) >> 12 }
func (e *indexEntry) skipWorktree() bool { return e.extended&flagSkipWorktree != 0 }
func (e *indexEntry) intentToAdd() bool  { return e.extended&flagIntentToAdd != 0 }
func (e *indexEntry) isFile() bool       { return e.mode&0o170000 == 0o100000 }

var errIndex = errors.New("malformed index file")

// readIndex reads and verifies the worktree's index. A missing file is an empty
// index of version 2, as it is to git.
func (r *Repo) readIndex(ctx context.Context) (*indexFile, error) {
	return r.readIndexFile(ctx, r.indexPath())
}

func (r *Repo) indexPath() string { return filepath.Join(r.gitDir, "index") }

func emptyIndex() *indexFile {
	return &indexFile{version: 2, raw: make([]byte, indexHeader), entriesEnd: indexHeader}
}

// readIndexAt reads an index file that nobody has verified.
func readIndexAt(path string) (*indexFile, error) {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return emptyIndex(), nil
	}
	if err != nil {
		return nil, indexFailure(err)
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, indexFailure(err)
	}
	raw := make([]byte, st.Size())
	if _, err := f.ReadAt(raw, 0); err != nil {
		return nil, indexFailure(err)
	}
	x, err := parseIndex(raw)
	if errors.Is(err, errPartial) {
		return &indexFile{raw: raw, stat: st}, err
	}
	if err != nil {
		return nil, indexFailure(err)
	}
	x.stat = st
	return x, nil
}

func indexFailure(err error) error {
	var f *failure.Error
	if errors.As(err, &f) {
		return err
	}
	return failure.New(failure.GitState, "The index of the git repository cannot be read.").
		Suggest("Run git status there; it says what is wrong.").Wrap(err)
}

func parseIndex(raw []byte) (*indexFile, error) {
	if len(raw) < indexHeader+sha1.Size || string(raw[:4]) != "DIRC" {
		return nil, errIndex
	}
	x := &indexFile{raw: raw, version: binary.BigEndian.Uint32(raw[4:]), count: int(binary.BigEndian.Uint32(raw[8:]))}
	if x.version < 2 || x.version > 4 {
		return nil, unsupported("The index of the git repository has version %d, which is not known here.", x.version)
	}
	body, trailer := raw[:len(raw)-sha1.Size], raw[len(raw)-sha1.Size:]
	x.unsummed = bytes.Equal(trailer, make([]byte, sha1.Size))
	end, err := x.walk(body, func(*indexEntry) error { return nil })
	if err != nil {
		return nil, err
	}
	x.entriesEnd = end
	return x, x.readExtensions(body[end:])
}

// verify holds the index against its trailer. It takes longer than all that is
// read of it, so that a commit does it while the disk writes.
func (x *indexFile) verify() error {
	if x.stat == nil || x.unsummed {
		return nil
	}
	body, trailer := x.raw[:len(x.raw)-sha1.Size], x.raw[len(x.raw)-sha1.Size:]
	if sum := sha1.Sum(body); !bytes.Equal(sum[:], trailer) {
		return indexFailure(errIndex)
	}
	return nil
}

func (x *indexFile) readExtensions(b []byte) error {
	for len(b) > 0 {
		if len(b) < 8 {
			return errIndex
		}
		name, size := string(b[:4]), int64(binary.BigEndian.Uint32(b[4:]))
		if int64(len(b)-8) < size {
			return errIndex
		}
		if name[0] < 'A' || name[0] > 'Z' {
			return partial(name)
		}
		x.extensions = append(x.extensions, indexExtension{name: name, data: b[8 : 8+size]})
		b = b[8+size:]
	}
	return nil
}

// partial is the refusal of an index with an extension that must be
// understood.
func partial(extension string) error {
	switch extension {
	case "link":
		return unsupported("The index of the git repository is split, and git could not put it together.").
			Suggest("Turn that off with git update-index --no-split-index.").Wrap(errPartial)
	case "sdir":
		return unsupported("The index of the git repository is sparse, and git could not fill it in.").
			Suggest("Turn that off with git sparse-checkout init --no-sparse-index.").Wrap(errPartial)
	}
	return unsupported("The index of the git repository is of an unknown kind.").
		Suggest("Update memhtml-ls, or make this change with git.")
}

// scan calls visit for every entry in the index's order.
func (x *indexFile) scan(visit func(*indexEntry) error) error {
	if x.count == 0 {
		return nil
	}
	_, err := x.walk(x.raw[:len(x.raw)-sha1.Size], visit)
	return err
}

// walk reads count entries and returns the offset after the last.
func (x *indexFile) walk(body []byte, visit func(*indexEntry) error) (int, error) {
	at := indexHeader
	var e indexEntry
	var name []byte
	for range x.count {
		var err error
		if at, name, err = x.next(body, at, name, &e); err != nil {
			return 0, err
		}
		if err := visit(&e); err != nil {
			return 0, err
		}
	}
	return at, nil
}

// next decodes the entry at an offset. name is the previous entry's name and
// is overwritten in version 4, whose names share prefixes.
func (x *indexFile) next(body []byte, at int, name []byte, e *indexEntry) (int, []byte, error) {
	b := body[at:]
	if len(b) < entryFixed+1 {
		return 0, nil, errIndex
	}
	u32 := func(i int) uint32 { return binary.BigEndian.Uint32(b[4*i:]) }
	*e = indexEntry{start: at, mtime: u32(2), mtimeNs: u32(3), mode: u32(6), size: u32(9)}
	copy(e.id[:], b[entryID:])
	e.flags = binary.BigEndian.Uint16(b[entryFlags:])
	n := entryFixed
	if e.flags&flagExtended != 0 {
		if x.version < 3 || len(b) < n+2 {
			return 0, nil, errIndex
		}
		e.extended = binary.BigEndian.Uint16(b[n:])
		n += 2
	}
	if x.version == 4 {
		strip, k := offsetVarint(b[n:])
		if k == 0 || strip > uint64(len(name)) {
			return 0, nil, errIndex
		}
		n += k
		name = name[:uint64(len(name))-strip]
	}
	nul := bytes.IndexByte(b[n:], 0)
	if nul < 0 {
		return 0, nil, errIndex
	}
	if x.version == 4 {
		name = append(name, b[n:n+nul]...)
		e.name = name
		e.end = at + n + nul + 1
		return e.end, name, nil
	}
	e.name = b[n : n+nul]
	e.end = at + (n+nul)/8*8 + 8
	if e.end > len(body) {
		return 0, nil, errIndex
	}
	return e.end, nil, nil
}

// offsetVarint reads git's variable width number and its length; the length is
// 0 when there is none.
func offsetVarint(b []byte) (v uint64, n int) {
	for i, c := range b {
		if i > 8 {
			return 0, 0
		}
		if i > 0 {
			v++
		}
		v = v<<7 | uint64(c&0x7f)
		if c&0x80 == 0 {
			return v, i + 1
		}
	}
	return 0, 0
}

// appendOffsetVarint is the inverse of offsetVarint.
func appendOffsetVarint(out []byte, v uint64) []byte {
	var buf [10]byte
	i := len(buf) - 1
	buf[i] = byte(v & 0x7f)
	for v >>= 7; v > 0; v >>= 7 {
		v--
		i--
		buf[i] = 0x80 | byte(v&0x7f)
	}
	return append(out, buf[i:]...)
}

// sameFile tells whether the index file is still the one that was read.
func (x *indexFile) sameFile(gitDir string) bool {
	st, err := os.Stat(filepath.Join(gitDir, "index"))
	if err != nil {
		return x.stat == nil && errors.Is(err, os.ErrNotExist)
	}
	return x.stat != nil && sameStat(x.stat, st)
}

// sameStat compares what changes when a file is replaced or written.
func sameStat(a, b fs.FileInfo) bool {
	return statFields(a) == statFields(b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime()) && os.SameFile(a, b)
}
