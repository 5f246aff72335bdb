package index

import (
	"bytes"
	"crypto/sha1"
	"strconv"
	"strings"
	"unique"

	"github.com/memhtml-ls/memhtml-ls/frame"
	"github.com/memhtml-ls/memhtml-ls/memory"
)

// NewFile parses the bytes of a file and returns what the corpus keeps of it.
func NewFile(path string, src []byte) *File { return newFileIn(&memory.Room{}, path, src) }

// newFileIn is [NewFile] for one file after the other.
func newFileIn(room *memory.Room, path string, src []byte) *File {
	return FromDocument(path, memory.ParseIn(room, src))
}

// FromDocument returns what the corpus keeps of a parsed file. It holds on to
// nothing of the document. What is not at the path of a memory is not accepted.
func FromDocument(path string, d *memory.Document) *File {
	_, unsettled := memory.MergeMarkers(d.Source)
	f := &File{
		Path: path, Blob: BlobOf(d.Source), ContentHash: d.ContentHash, NormalHash: d.NormalHash,
		Type: d.Metas.Type, Created: d.Metas.Created, Gist: d.Gist,
		Life: lifeIn(d), SaysArchived: d.Metas.Status == "archived", Inverted: Inverted(d),
		Accepted: d.Accepted() && !unsettled, Flawed: unsettled || flawed(d),
	}
	if path != "" && !memory.IsMemoryPath(path) {
		f.Accepted, f.Flawed = false, true
	}
	if slot, ok := frame.Of(d.Gist); ok {
		f.FrameKey, f.FrameValue, f.ShownValue = slot.Key, slot.Normal, slot.Value
	}
	f.Origin = originIn(d)
	for _, l := range d.Links {
		target, alternate := l.Target()
		f.Links = append(f.Links, Link{Rel: l.Rel, Target: target, Alternate: alternate})
	}
	f.compact()
	return f
}

// originIn is the definition of [File.Origin].
func originIn(d *memory.Document) *Origin {
	return Origin{Session: strings.TrimSpace(d.Metas.Session), Ended: d.Metas.Archived}.orNil()
}

// orNil is nil for an origin that says nothing.
func (o Origin) orNil() *Origin {
	if o == (Origin{}) {
		return nil
	}
	return &o
}

// flawed is the definition of [File.Flawed] for a file that no merge is in.
func flawed(d *memory.Document) bool {
	stale := d.Metas.Has("memhtml-content-hash") && d.Metas.ContentHash != d.ContentHash.String()
	return len(d.Violations)+len(d.Warnings)+len(d.Dropped) > 0 || stale
}

// lifeIn is the definition of [File.Life].
func lifeIn(d *memory.Document) *Life {
	return Life{d.Metas.TaskStatus, d.Metas.Due, d.Metas.ValidUntil, pathOf(d.Metas.SupersededBy)}.orNil()
}

// orNil is nil for a life of which nothing is said.
func (l Life) orNil() *Life {
	if l == (Life{}) {
		return nil
	}
	return &l
}

// Inverted is the definition of [File.Inverted]. Dates are compared as text, up
// to the length of the shorter: a day is not before one of its hours.
func Inverted(d *memory.Document) bool {
	from, until := d.Metas.ValidFrom, d.Metas.ValidUntil
	n := min(len(from), len(until))
	return until[:n] < from[:n] && memory.ValidDate(from) && memory.ValidDate(until)
}

// pathOf is the path of a memory that a meta names, or "".
func pathOf(value string) string {
	if path := memory.NormalizePath(value); memory.IsMemoryPath(path) {
		return path
	}
	return ""
}

// BlobOf returns the git object id that src has as a blob.
func BlobOf(src []byte) (id BlobID) {
	h := sha1.New()
	h.Write(append(strconv.AppendInt([]byte("blob "), int64(len(src)), 10), 0))
	h.Write(src)
	h.Sum(id[:0])
	return id
}

// compact moves the strings of a file that is not shared yet into one
// allocation, in which a string that is part of another takes no room of its
// own, and interns the words of small vocabularies. Whatever the strings
// pointed into is free afterwards.
func (f *File) compact() {
	f.Type = intern(f.Type)
	texts := []*string{&f.Path, &f.Gist, &f.FrameKey, &f.ShownValue, &f.FrameValue, &f.Created}
	if f.Life != nil {
		f.Life.TaskStatus = intern(f.Life.TaskStatus)
		texts = append(texts, &f.Life.Due, &f.Life.ValidUntil, &f.Life.SupersededBy)
	}
	if f.Origin != nil {
		// One session writes many memories.
		f.Origin.Session = intern(f.Origin.Session)
		texts = append(texts, &f.Origin.Ended)
	}
	f.Links = append([]Link(nil), f.Links...)
	for i := range f.Links {
		l := &f.Links[i]
		l.Rel = intern(l.Rel)
		texts = append(texts, &l.Target, &l.Alternate)
	}
	pack(texts)
}

// packWindow bounds where pack looks for a text it already has, which keeps it
// linear for a file with thousands of links.
const packWindow = 4096

// pack makes the texts parts of one string.
func pack(texts []*string) {
	buf := make([]byte, 0, 1024)
	starts := make([]int, len(texts))
	for i, t := range texts {
		at := bytes.Index(buf[:min(len(buf), packWindow)], []byte(*t))
		if at < 0 {
			at = len(buf)
			buf = append(buf, *t...)
		}
		starts[i] = at
	}
	all := string(buf)
	for i, t := range texts {
		*t = all[starts[i] : starts[i]+len(*t)]
	}
}

func intern(s string) string { return unique.Make(s).Value() }
