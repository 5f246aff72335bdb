package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"sort"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/idxfile"
)

// packIndex looks objects up in the .idx file of a pack (gitformat-pack,
// version 2) where it lies. go-git's own reads all of it, and makes a map of all
// its objects for the first delta: work that grows with the history, for the
// few objects of a commit.
type packIndex struct {
	file io.ReaderAt
	// size is that of the file in bytes.
	size int64
	// count is the number of objects, fanout how many of them have a first byte
	// of the id up to this one.
	count  int64
	fanout [256]uint32
	// offsets is the table of offsets and behind it that of the long ones, nil
	// until a delta asks whose its base is.
	offsets []byte
}

// The parts of an index: a header, the fan-out, and of each object the id, a
// checksum and the offset in the pack, then offsets of 64 bits and two checksums.
const (
	packIndexHeader  = "\377tOc\x00\x00\x00\x02"
	packIndexNames   = int64(len(packIndexHeader)) + 4*256
	packIndexTrailer = 2 * 20
	// longOffset marks an offset that is a place in the table of long ones.
	longOffset = 1 << 31
)

var errPackIndex = errors.New("malformed or unknown index of a pack")

// openPackIndex reads the fan-out of an index of a given size in bytes.
func openPackIndex(file io.ReaderAt, size int64) (*packIndex, error) {
	var head [packIndexNames]byte
	if _, err := file.ReadAt(head[:], 0); err != nil {
		return nil, errors.Join(errPackIndex, err)
	}
	if string(head[:len(packIndexHeader)]) != packIndexHeader {
		return nil, errPackIndex
	}
	x := &packIndex{file: file, size: size}
	for i := range x.fanout {
		x.fanout[i] = binary.BigEndian.Uint32(head[len(packIndexHeader)+4*i:])
	}
	x.count = int64(x.fanout[255])
	if !slices.IsSorted(x.fanout[:]) || size < x.longOffsets()+packIndexTrailer {
		return nil, errPackIndex
	}
	return x, nil
}

func (x *packIndex) shortOffsets() int64 { return packIndexNames + x.count*(20+4) }
func (x *packIndex) longOffsets() int64  { return x.shortOffsets() + x.count*4 }

// find returns the place of an id in the index, or -1.
func (x *packIndex) find(h plumbing.Hash) (int64, error) {
	var low int64
	if h[0] > 0 {
		low = int64(x.fanout[h[0]-1])
	}
	names := make([]byte, 20*(int64(x.fanout[h[0]])-low))
	if _, err := x.file.ReadAt(names, packIndexNames+20*low); err != nil {
		return -1, err
	}
	n := len(names) / 20
	at := sort.Search(n, func(i int) bool { return bytes.Compare(names[20*i:20*i+20], h[:]) >= 0 })
	if at == n || [20]byte(names[20*at:]) != h {
		return -1, nil
	}
	return low + int64(at), nil
}

// FindOffset returns where in the pack an object begins, or
// plumbing.ErrObjectNotFound.
func (x *packIndex) FindOffset(h plumbing.Hash) (int64, error) {
	at, err := x.find(h)
	switch {
	case err != nil:
		return 0, err
	case at < 0:
		return 0, plumbing.ErrObjectNotFound
	}
	var b [8]byte
	if _, err := x.file.ReadAt(b[:4], x.shortOffsets()+4*at); err != nil {
		return 0, err
	}
	short := binary.BigEndian.Uint32(b[:4])
	if short < longOffset {
		return int64(short), nil
	}
	if _, err := x.file.ReadAt(b[:], x.longOffsets()+8*int64(short-longOffset)); err != nil {
		return 0, err
	}
	return int64(binary.BigEndian.Uint64(b[:])), nil
}

// FindHash returns whose object begins at an offset in the pack, or
// plumbing.ErrObjectNotFound. Offsets are in the order of the ids, so that it
// looks at all of them, 4 bytes each.
func (x *packIndex) FindHash(offset int64) (h plumbing.Hash, err error) {
	if x.offsets == nil {
		offsets := make([]byte, x.size-packIndexTrailer-x.shortOffsets())
		if _, err := x.file.ReadAt(offsets, x.shortOffsets()); err != nil {
			return h, err
		}
		x.offsets = offsets
	}
	short, long := x.offsets[:4*x.count], x.offsets[4*x.count:]
	for i := int64(0); i < x.count; i++ {
		at := int64(binary.BigEndian.Uint32(short[4*i:]))
		if place := 8 * (at - longOffset); place >= 0 {
			if place+8 > int64(len(long)) {
				return h, errPackIndex
			}
			at = int64(binary.BigEndian.Uint64(long[place:]))
		}
		if at == offset {
			_, err := x.file.ReadAt(h[:], packIndexNames+20*i)
			return h, err
		}
	}
	return h, plumbing.ErrObjectNotFound
}

// Contains tells whether an object is in the pack.
func (x *packIndex) Contains(h plumbing.Hash) (bool, error) {
	at, err := x.find(h)
	return at >= 0, err
}

// Count is the number of objects.
func (x *packIndex) Count() (int64, error) { return x.count, nil }

// The rest of [idxfile.Index] is for who walks over a pack or checks one, which
// nobody does here.

// FindCRC32 is not supported.
func (x *packIndex) FindCRC32(plumbing.Hash) (uint32, error) { return 0, errors.ErrUnsupported }

// Entries is not supported.
func (x *packIndex) Entries() (idxfile.EntryIter, error) { return nil, errors.ErrUnsupported }

// EntriesByOffset is not supported.
func (x *packIndex) EntriesByOffset() (idxfile.EntryIter, error) { return nil, errors.ErrUnsupported }

var _ idxfile.Index = (*packIndex)(nil)
