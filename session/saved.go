package session

import (
	"bytes"
	"errors"
	"slices"
	"unicode/utf8"

	"github.com/memhtml-ls/memhtml-ls/index"
)

// An editor cannot hold bytes that are no UTF-8: it shows U+FFFD in their place.
// Such a buffer is not what the file holds, and still nobody changed anything;
// to save it would be to rewrite bytes.
var replacementCharacter = []byte(string(utf8.RuneError))

// decoded are the texts that an editor may show for a file of the blob disk that
// is not UTF-8; none for one that is.
type decoded struct {
	disk  index.BlobID
	texts [2]index.BlobID
}

// withDecoded is the buffer with what its file may look like in it, which is
// looked up only for texts with a replacement character and once for each state
// of the file.
func (r *Root) withDecoded(b *buffer, path string, disk *index.File) *buffer {
	lossy := func(text []byte) bool { return bytes.Contains(text, replacementCharacter) }
	if disk == nil || disk.Unread != "" || disk.Blob == b.decoded.disk || !lossy(b.text) && !slices.ContainsFunc(b.others, lossy) {
		return b
	}
	source, err := r.readFile(path)
	if err != nil || index.BlobOf(source) != disk.Blob {
		return b
	}
	next := *b
	next.decoded = decoded{disk: disk.Blob}
	for i, text := range decodings(source) {
		next.decoded.texts[i] = index.BlobOf(text)
	}
	return &next
}

// decodings are the two ways in which invalid UTF-8 is replaced: U+FFFD for each
// byte, and for each beginning of a character.
func decodings(source []byte) [2][]byte {
	if utf8.Valid(source) {
		return [2][]byte{source, source}
	}
	var out [2][]byte
	for rest := source; len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		out[0] = utf8.AppendRune(out[0], r)
		out[1] = utf8.AppendRune(out[1], r)
		if r == utf8.RuneError && size == 1 {
			for ; size < len(rest) && !utf8.FullRune(rest[:size+1]); size++ {
				out[0] = utf8.AppendRune(out[0], r)
			}
		}
		rest = rest[size:]
	}
	return out
}

// shows reports whether a text, by its blob, is what an editor shows of a file.
func (b *buffer) shows(disk *index.File, text index.BlobID) bool {
	switch {
	case disk == nil:
		return false
	case disk.Blob == text:
		return true
	default:
		return b.decoded.disk == disk.Blob && slices.Contains(b.decoded.texts[:], text)
	}
}

// isSaved reports whether no document of the file has unsaved changes.
func (b *buffer) isSaved(disk *index.File) bool {
	return b.shows(disk, b.blob) && !slices.ContainsFunc(b.others, func(text []byte) bool {
		return !b.shows(disk, index.BlobOf(text))
	})
}

// isTextOf is isSaved for bytes that were just read.
func (b *buffer) isTextOf(source []byte) bool {
	shown := decodings(source)
	differs := func(text []byte) bool {
		return !bytes.Equal(text, source) && !bytes.Equal(text, shown[0]) && !bytes.Equal(text, shown[1])
	}
	return !differs(b.text) && !slices.ContainsFunc(b.others, differs)
}

// savedText is the bytes of a file that has no unsaved changes.
func (v *View) savedText(path string) ([]byte, error) {
	b, disk := v.buffers[path], v.Snapshot.Disk(path)
	if b == nil || disk != nil && b.blob == disk.Blob {
		return v.Text(path)
	}
	text, err := v.root.readFile(path)
	if err != nil {
		return nil, errors.Join(ErrMoved, err)
	}
	if disk == nil || index.BlobOf(text) != disk.Blob {
		return nil, ErrMoved
	}
	return text, nil
}
