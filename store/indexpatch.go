package store

import (
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
	raw      []byte
	slots    map[string]int
	unsummed bool
}

// keptExtensions are written back. The others are caches that describe the
// whole file and that git makes again by itself.
var keptExtensions = map[string]bool{"TREE": true, "REUC": true}

// patch returns the index with the edits made and every other entry's bytes
// kept, save that entries for which racy holds get size 0, which makes git
// compare their content (S5).
func (x *indexFile) patch(edits []indexEdit, racy func(*indexEntry) bool) (*patchedIndex, error) {
	w := indexWriter{version: x.version, src: x.raw, out: make([]byte, indexHeader, len(x.raw)+128*len(edits)), slots: map[string]int{}}
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
	copy(w.out, "DIRC")
	binary.BigEndian.PutUint32(w.out[4:], x.version)
	binary.BigEndian.PutUint32(w.out[8:], uint32(w.count))
	for _, ext := range x.extensions {
		w.extension(ext, w.touched)
	}
	return &patchedIndex{raw: append(w.out, make([]byte, sha1.Size)...), slots: w.slots, unsummed: x.unsummed}, nil
}

// indexWriter appends entries. prevIn and prevOut are the names before the
// next entry in the old and the new file: where they are equal, an entry of
// version 4 can be copied as it is.
type indexWriter struct {
	version         uint32
	src, out        []byte
	prevIn, prevOut []byte
	count           int
	slots           map[string]int
	touched         []string
}

func (w *indexWriter) keep(e *indexEntry, racy bool) {
	at := len(w.out)
	if w.version < 4 || bytes.Equal(w.prevIn, w.prevOut) {
		w.out = append(w.out, w.src[e.start:e.end]...)
	} else {
		n := entryFixed
		if e.flags&flagExtended != 0 {
			n += 2
		}
		w.out = append(w.out, w.src[e.start:e.start+n]...)
		w.name4(string(e.name))
	}
	if racy {
		binary.BigEndian.PutUint32(w.out[at+36:], 0)
	}
	w.count++
	if w.version == 4 {
		w.prevIn = append(w.prevIn[:0], e.name...)
		w.prevOut = append(w.prevOut[:0], e.name...)
	}
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
	at := len(w.out)
	w.slots[e.path] = at
	w.out = append(w.out, make([]byte, entryFixed)...)
	binary.BigEndian.PutUint32(w.out[at+24:], e.mode)
	copy(w.out[at+entryID:], e.id[:])
	binary.BigEndian.PutUint16(w.out[at+entryFlags:], e.flags|uint16(min(len(e.path), entryNameMask)))
	if w.version == 4 {
		w.name4(e.path)
		w.prevOut = append(w.prevOut[:0], e.path...)
	} else {
		w.out = append(w.out, e.path...)
		w.out = append(w.out, make([]byte, 8-(len(w.out)-at)%8)...)
	}
	w.count++
}

// name4 writes a name as the difference to the one before.
func (w *indexWriter) name4(name string) {
	n := 0
	for n < len(name) && n < len(w.prevOut) && name[n] == w.prevOut[n] {
		n++
	}
	w.out = appendOffsetVarint(w.out, uint64(len(w.prevOut)-n))
	w.out = append(w.out, name[n:]...)
	w.out = append(w.out, 0)
}

func (w *indexWriter) extension(ext indexExtension, touched []string) {
	data := ext.data
	if ext.name == "TREE" {
		data = invalidateTree(data, touched)
	}
	if !keptExtensions[ext.name] || data == nil {
		return
	}
	w.out = append(w.out, ext.name...)
	w.out = binary.BigEndian.AppendUint32(w.out, uint32(len(data)))
	w.out = append(w.out, data...)
}

// fill enters the stat fields of a file that was just written and reports
// whether the index has an entry for it.
func (p *patchedIndex) fill(path string, st fs.FileInfo) {
	at, ok := p.slots[path]
	if !ok {
		return
	}
	for i, v := range statFields(st) {
		if i != 6 {
			binary.BigEndian.PutUint32(p.raw[at+4*i:], v)
		}
	}
}

// sum writes the trailer; call it after the last fill.
func (p *patchedIndex) sum() {
	if p.unsummed {
		return
	}
	body := p.raw[:len(p.raw)-sha1.Size]
	sum := sha1.Sum(body)
	copy(p.raw[len(body):], sum[:])
}

// overwrite brings a file that holds the index as patch made it up to date. It
// has its full size already, so that no space is needed.
func (p *patchedIndex) overwrite(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	for _, at := range p.slots {
		if err == nil {
			_, err = f.WriteAt(p.raw[at:at+entryID], int64(at))
		}
	}
	if end := len(p.raw) - sha1.Size; err == nil {
		_, err = f.WriteAt(p.raw[end:], int64(end))
	}
	return errors.Join(err, f.Sync(), f.Close())
}
