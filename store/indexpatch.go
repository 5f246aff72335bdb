package store

import (
	"bufio"
	"bytes"
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// indexEdit sets the entry of a path, or removes it (mode 0).
type indexEdit struct {
	path string
	mode uint32
	id   oid
	// flags is flagAssumeValid or 0.
	flags uint16
}

// patchedIndex is a new index file. Stat fields of the entries that were set
// are zero until fill, and the trailer until sum.
type patchedIndex struct {
	// pieces are the file's content: what is kept lies in the old index, which
	// is most of what a commit to a large repository would copy.
	pieces   [][]byte
	size     int
	slots    map[string]indexSlot
	unsummed bool
}

// indexSlot is an entry that was set: its bytes, a piece of its own, and their
// offset in the file.
type indexSlot struct {
	entry []byte
	at    int
}

// keptExtensions are written back. The others are caches that describe the
// whole file and that git makes again by itself.
var keptExtensions = map[string]bool{"TREE": true, "REUC": true}

// patch returns the index with the edits made and every other entry's bytes
// kept, save that entries for which racy holds get size 0, which makes git
// compare their content (S5).
func (x *indexFile) patch(edits []indexEdit, racy func(*indexEntry) bool) (*patchedIndex, error) {
	header := make([]byte, indexHeader)
	w := indexWriter{version: x.version, src: x.raw, slots: map[string]indexSlot{}}
	w.put(header)
	edits = slices.Clone(edits)
	slices.SortFunc(edits, func(a, b indexEdit) int { return strings.Compare(a.path, b.path) })
	err := x.scan(func(e *indexEntry) error {
		for len(edits) > 0 && edits[0].path < string(e.name) {
			w.set(edits[0])
			edits = edits[1:]
		}
		if len(edits) > 0 && edits[0].path == string(e.name) {
			w.skip(e)
			return nil
		}
		w.keep(e, racy(e))
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, e := range edits {
		w.set(e)
	}
	copy(header, "DIRC")
	binary.BigEndian.PutUint32(header[4:], x.version)
	binary.BigEndian.PutUint32(header[8:], uint32(w.count))
	for _, ext := range x.extensions {
		w.extension(ext, w.touched)
	}
	w.put(make([]byte, sha1.Size))
	return &patchedIndex{pieces: w.out, size: w.size, slots: w.slots, unsummed: x.unsummed}, nil
}

// indexWriter appends entries. prevIn and prevOut are the names before the
// next entry in the old and the new file: where they are equal, an entry of
// version 4 can be kept as it is.
type indexWriter struct {
	version uint32
	src     []byte
	// out is followed by src[from:to].
	out             [][]byte
	from, to, size  int
	prevIn, prevOut []byte
	count           int
	slots           map[string]indexSlot
	touched         []string
}

// put appends bytes of its own.
func (w *indexWriter) put(b []byte) {
	if w.from < w.to {
		w.out = append(w.out, w.src[w.from:w.to])
		w.from, w.to = 0, 0
	}
	w.out = append(w.out, b)
	w.size += len(b)
}

// take appends bytes of the old index.
func (w *indexWriter) take(from, to int) {
	w.size += to - from
	if w.from < w.to && w.to == from {
		w.to = to
		return
	}
	if w.from < w.to {
		w.out = append(w.out, w.src[w.from:w.to])
	}
	w.from, w.to = from, to
}

func (w *indexWriter) keep(e *indexEntry, racy bool) {
	moved := w.version == 4 && !bytes.Equal(w.prevIn, w.prevOut)
	if moved || racy {
		w.put(w.changed(e, moved, racy))
	} else {
		w.take(e.start, e.end)
	}
	w.count++
	if w.version == 4 {
		w.prevIn = append(w.prevIn[:0], e.name...)
		w.prevOut = append(w.prevOut[:0], e.name...)
	}
}

// changed is an entry with size 0 where it is racy, and with its name written
// anew where the name before it is another one.
func (w *indexWriter) changed(e *indexEntry, moved, racy bool) []byte {
	b := slices.Clone(w.src[e.start:e.end])
	if moved {
		n := entryFixed
		if e.flags&flagExtended != 0 {
			n += 2
		}
		b = w.name4(b[:n], string(e.name))
	}
	if racy {
		binary.BigEndian.PutUint32(b[36:], 0)
	}
	return b
}

func (w *indexWriter) skip(e *indexEntry) {
	if w.version == 4 {
		w.prevIn = append(w.prevIn[:0], e.name...)
	}
}

func (w *indexWriter) set(e indexEdit) {
	w.touched = append(w.touched, e.path)
	if e.mode == 0 {
		return
	}
	b := make([]byte, entryFixed, entryFixed+len(e.path)+8)
	binary.BigEndian.PutUint32(b[24:], e.mode)
	copy(b[entryID:], e.id[:])
	binary.BigEndian.PutUint16(b[entryFlags:], e.flags|uint16(min(len(e.path), entryNameMask)))
	if w.version == 4 {
		b = w.name4(b, e.path)
		w.prevOut = append(w.prevOut[:0], e.path...)
	} else {
		b = append(b, e.path...)
		b = append(b, make([]byte, 8-len(b)%8)...)
	}
	w.slots[e.path] = indexSlot{entry: b, at: w.size}
	w.put(b)
	w.count++
}

// name4 appends a name as the difference to the one before.
func (w *indexWriter) name4(b []byte, name string) []byte {
	n := 0
	for n < len(name) && n < len(w.prevOut) && name[n] == w.prevOut[n] {
		n++
	}
	b = appendOffsetVarint(b, uint64(len(w.prevOut)-n))
	b = append(b, name[n:]...)
	return append(b, 0)
}

func (w *indexWriter) extension(ext indexExtension, touched []string) {
	data := ext.data
	if ext.name == "TREE" {
		data = invalidateTree(data, touched)
	}
	if !keptExtensions[ext.name] || data == nil {
		return
	}
	w.put(binary.BigEndian.AppendUint32([]byte(ext.name), uint32(len(data))))
	w.put(data)
}

// fill enters the stat fields of a file in the entry that was set for its path,
// empty ones for nil, and reports whether that changed the entry. Another
// fraction of a second in ctime is no change: a link to the file makes one, and
// git does not compare it.
func (p *patchedIndex) fill(path string, st fs.FileInfo) (changed bool) {
	slot, ok := p.slots[path]
	if !ok {
		return false
	}
	var fields [10]uint32
	if st != nil {
		fields = statFields(st)
	}
	fields[statMode] = binary.BigEndian.Uint32(slot.entry[4*statMode:])
	var entry [4 * len(fields)]byte
	for i, v := range fields {
		binary.BigEndian.PutUint32(entry[4*i:], v)
	}
	const fraction, rest = 4 * statCtimeNs, 4 * (statCtimeNs + 1)
	if bytes.Equal(entry[:fraction], slot.entry[:fraction]) && bytes.Equal(entry[rest:], slot.entry[rest:len(entry)]) {
		return false
	}
	copy(slot.entry, entry[:])
	return true
}

// The places among the stat fields of an entry of the fraction of ctime, and of
// the mode.
const (
	statCtimeNs = 1
	statMode    = 6
)

// trailer is the last piece.
func (p *patchedIndex) trailer() []byte { return p.pieces[len(p.pieces)-1] }

// sum writes the trailer; call it after the last fill.
func (p *patchedIndex) sum() {
	if p.unsummed {
		return
	}
	h := sha1.New()
	for _, piece := range p.pieces[:len(p.pieces)-1] {
		h.Write(piece)
	}
	h.Sum(p.trailer()[:0])
}

// bytes is the whole file.
func (p *patchedIndex) bytes() []byte { return slices.Concat(p.pieces...) }

// write writes the whole file; large pieces are not copied on their way.
func (p *patchedIndex) write(f *os.File) error {
	w := bufio.NewWriter(f)
	for _, piece := range p.pieces {
		if _, err := w.Write(piece); err != nil {
			return err
		}
	}
	return w.Flush()
}

// overwrite brings a file that holds the index as patch made it up to date. It
// has its full size already, so that no space is needed.
func (p *patchedIndex) overwrite(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	for _, slot := range p.slots {
		if err == nil {
			_, err = f.WriteAt(slot.entry[:entryID], int64(slot.at))
		}
	}
	if err == nil {
		_, err = f.WriteAt(p.trailer(), int64(p.size-sha1.Size))
	}
	return errors.Join(err, f.Sync(), f.Close())
}
