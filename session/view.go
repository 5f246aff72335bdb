package session

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"strings"
	"unicode/utf8"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
	"github.com/memhtml-ls/memhtml-ls/index"
	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/memory"
)

// View is what a root knows at one moment: a Snapshot and the open buffers that
// shadow the disk in it. It is immutable, so everything computed from one View
// agrees with itself.
type View struct {
	Snapshot *index.Snapshot
	// today is the UTC day, as 2006-01-02, that dates are held against.
	today   string
	root    *Root
	buffers map[string]*buffer
	chosen  *chosen
	// near is how near-duplicates are looked for.
	near NearState
}

// Near is how near-duplicates are looked for in the View.
func (v *View) Near() NearState { return v.near }

// buffer is one open document. It is replaced, never changed.
type buffer struct {
	text    []byte
	blob    index.BlobID
	version int32
	// others are the texts of further documents of the file.
	others [][]byte
	// decoded is what the file on disk may look like in an editor.
	decoded decoded
	// opened orders the buffers of a root by when they were opened; it becomes
	// File.Incoming once the buffer was edited.
	opened uint64
	// edited is set by the first difference from the disk and stays until the
	// file is closed, so that saving does not flip the reporting side (D2).
	edited bool
	doc    *memory.Document
	file   *index.File
}

// ErrMoved says that a file on disk is no longer the one in the View; a newer
// View is on its way.
var ErrMoved = errors.New("the file changed after the view was made")

// Report is the findings of one file in one View, with the text that their
// spans are offsets of.
type Report struct {
	Path string
	Text []byte
	// Open says that the text is an open buffer's, with Version.
	Open     bool
	Version  int32
	Findings []diagnostics.Finding
}

// IsOpen reports whether an editor has the file open.
func (v *View) IsOpen(path string) bool { return v.buffers[path] != nil }

// Quiet reports that a file of the View has certainly no finding.
func (v *View) Quiet(file *index.File) bool { return v.Snapshot.Quiet(file, v.today) }

// Version returns the document version of an open buffer.
func (v *View) Version(path string) (version int32, open bool) {
	if b := v.buffers[path]; b != nil {
		return b.version, true
	}
	return 0, false
}

// Text returns the text the View has for path: the open buffer's, else the
// file's. It fails with ErrMoved when the file is another one by now.
func (v *View) Text(path string) ([]byte, error) {
	if b := v.buffers[path]; b != nil {
		return b.text, nil
	}
	file := v.Snapshot.File(path)
	if file == nil || file.Unread != "" {
		return nil, ErrMoved
	}
	text, err := v.root.readFile(path)
	if err != nil {
		return nil, errors.Join(ErrMoved, err)
	}
	if index.BlobOf(text) != file.Blob {
		return nil, ErrMoved
	}
	return text, nil
}

// document returns the parsed text of path.
func (v *View) document(path string) (*memory.Document, error) {
	if b := v.buffers[path]; b != nil {
		return b.doc, nil
	}
	text, err := v.Text(path)
	if err != nil {
		return nil, err
	}
	return memory.Parse(text), nil
}

// Report computes the findings of one file. A path the View does not know, or
// the settings exclude, has none. It reads the file only when there may be something to tell.
func (v *View) Report(path string) (Report, error) {
	report := Report{Path: path}
	file := v.Snapshot.File(path)
	if file == nil {
		return report, nil
	}
	b := v.buffers[path]
	if b != nil {
		report.Text, report.Open, report.Version = b.text, true, b.version
	}
	if v.Quiet(file) || v.chosen.excluded(path) {
		return report, nil
	}
	input := diagnostics.Input{Snapshot: v.Snapshot, File: file, Claim: v.claim, Today: v.today, Options: v.chosen.options}
	if file.Unread == "" {
		doc, err := v.document(path)
		if err != nil {
			return report, err
		}
		input.Document, report.Text = doc, doc.Source
	}
	report.Findings = diagnostics.Find(input)
	return report, nil
}

// claim is where another file's claim stands, for related information.
func (v *View) claim(path string) memory.Span {
	if b := v.buffers[path]; b != nil {
		return b.doc.Spans().Claim()
	}
	file := v.Snapshot.File(path)
	if file == nil || file.Unread != "" {
		return memory.Span{}
	}
	return v.root.claims.get(file.Blob, func() (memory.Span, bool) {
		doc, err := v.document(path)
		if err != nil {
			return memory.Span{}, false
		}
		return doc.Spans().Claim(), true
	})
}

// readFile reads one file of the root, never through a link out of it and never
// more than the format takes. Failures are *failure.Error.
func (r *Root) readFile(path string) ([]byte, error) {
	if !utf8.ValidString(path) {
		return nil, failure.New(failure.InvalidMemory, "The name of %s is not UTF-8.", diagnostics.Shown(path)).
			Suggest("Rename the file.")
	}
	if !fs.ValidPath(path) || strings.ContainsRune(path, 0) {
		return nil, failure.New(failure.PathNotFound, "%s does not exist.", diagnostics.Shown(path))
	}
	info, err := r.files.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, failure.New(failure.PathNotFound, "%s does not exist.", diagnostics.Shown(path)).Wrap(err)
	case err != nil:
		return nil, unreadable(path, err)
	case !info.Mode().IsRegular():
		return nil, failure.New(failure.UnsupportedRepository, "%s is not a regular file.", diagnostics.Shown(path)).
			Suggest("Memories are plain files; links and folders are left alone.")
	case info.Size() > memory.MaxSize:
		return nil, failure.New(failure.InvalidMemory, "%s is larger than 8 MB.", diagnostics.Shown(path))
	}
	file, err := r.files.Open(path)
	if err != nil {
		return nil, unreadable(path, err)
	}
	defer file.Close()
	var text bytes.Buffer
	text.Grow(int(info.Size()) + bytes.MinRead)
	if _, err := text.ReadFrom(io.LimitReader(file, memory.MaxSize+1)); err != nil {
		return nil, unreadable(path, err)
	}
	return text.Bytes(), nil
}

func unreadable(path string, err error) error {
	return failure.New(failure.Storage, "%s cannot be read.", diagnostics.Shown(path)).
		Suggest("Check its permissions and try again.").Wrap(err)
}

func hashBytes(text []byte) memory.Hash { return sha256.Sum256(text) }
