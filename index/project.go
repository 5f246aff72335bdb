package index

import (
	"bytes"
	"crypto/sha1"
	"fmt"
	"unique"
)

// BlobOf returns the git object id that src has as a blob.
func BlobOf(src []byte) (id BlobID) {
	h := sha1.New()
	fmt.Fprintf(h, "blob %d\x00", len(src))
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
