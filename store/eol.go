package store

import (
	"bytes"
	"context"
	"os"
	"runtime"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
)

// lineEnds is what git does to the line ends of one path: CR LF becomes LF on
// the way in where text is set, and LF becomes CR LF on the way out where crlf
// is too. With auto both depend on the content. The zero value does nothing.
type lineEnds struct{ text, auto, crlf bool }

// lineEnds follows git's convert.c.
func (at attributes) lineEnds(s settings) lineEnds {
	kind := textKind(at["text"])
	if kind == "" {
		kind = textKind(at["crlf"])
	}
	eol := at["eol"]
	if eol != "lf" && eol != "crlf" {
		eol = ""
	}
	switch {
	case kind == attrUnset, kind == "" && eol == "" && s.autocrlf() == "":
		return lineEnds{}
	case kind == "" && eol == "":
		return lineEnds{text: true, auto: true, crlf: s.autocrlf() == "true"}
	case eol == "" && kind != "input":
		return lineEnds{text: true, auto: kind == "auto", crlf: s.textIsCRLF()}
	}
	return lineEnds{text: true, auto: kind == "auto", crlf: eol == "crlf"}
}

// textKind is what the attribute text, or crlf, says, and "" for a value that
// git does not know.
func textKind(v string) string {
	switch v {
	case attrSet, attrUnset, "auto", "input":
		return v
	}
	return ""
}

// autocrlf is "true", "input" or "".
func (s settings) autocrlf() string {
	switch {
	case strings.EqualFold(s["core.autocrlf"], "input"):
		return "input"
	case s.bool("core.autocrlf", false):
		return "true"
	}
	return ""
}

// textIsCRLF tells whether lines of text end in CR LF in the worktree.
func (s settings) textIsCRLF() bool {
	switch auto := s.autocrlf(); {
	case auto != "":
		return auto == "true"
	case strings.EqualFold(s["core.eol"], "crlf"):
		return true
	case strings.EqualFold(s["core.eol"], "lf"):
		return false
	}
	return runtime.GOOS == "windows"
}

// textStat counts what git decides by.
type textStat struct {
	nul, loneCR, loneLF, crlf int
	printable, unprintable    int
}

func statText(b []byte) (st textStat) {
	for i, c := range b {
		switch {
		case c == '\r' && i+1 < len(b) && b[i+1] == '\n':
			st.crlf++
		case c == '\r':
			st.loneCR++
		case c == '\n' && i > 0 && b[i-1] == '\r':
		case c == '\n':
			st.loneLF++
		case c == 0:
			st.nul++
			st.unprintable++
		case c == '\b', c == '\t', c == '\f', c == 0x1b, c >= ' ' && c != 0x7f:
			st.printable++
		case c == 0x1a && i == len(b)-1:
			// The end-of-file mark of DOS.
		default:
			st.unprintable++
		}
	}
	return st
}

func (st textStat) binary() bool {
	return st.loneCR > 0 || st.nul > 0 || st.printable>>7 < st.unprintable
}

// in returns the content as git stores it. kept tells whether git has the path
// with CR LF already, in which case it leaves them where it had to guess.
func (e lineEnds) in(b []byte, kept func() (bool, error)) ([]byte, error) {
	if !e.text || !hasCRLF(b) {
		return b, nil
	}
	if e.auto {
		if statText(b).binary() {
			return b, nil
		}
		if keep, err := kept(); err != nil || keep {
			return b, err
		}
	}
	return bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n")), nil
}

// out returns the content as git checks it out.
func (e lineEnds) out(b []byte) []byte {
	st := statText(b)
	if !e.adds(st) {
		return b
	}
	out := make([]byte, 0, len(b)+st.loneLF)
	for i, c := range b {
		if c == '\n' && (i == 0 || b[i-1] != '\r') {
			out = append(out, '\r')
		}
		out = append(out, c)
	}
	return out
}

// adds tells whether CR are added to content on the way out.
func (e lineEnds) adds(st textStat) bool {
	if !e.text || !e.crlf || st.loneLF == 0 {
		return false
	}
	return !e.auto || st.loneCR == 0 && st.crlf == 0 && !st.binary()
}

// irreversible is core.safecrlf: it tells whether content would come back with
// other line ends than it went in with.
func (e lineEnds) irreversible(file, blob []byte) bool {
	if !e.text || e.auto && statText(file).binary() {
		return false
	}
	before, after := statText(file), statText(blob)
	if e.adds(after) {
		after.crlf, after.loneLF = after.crlf+after.loneLF, 0
	}
	return before.crlf > 0 && after.crlf == 0 || before.loneLF > 0 && after.loneLF == 0
}

// convert fills in what git would make of the contents: of those on disk, and
// of those that the plan puts somewhere. Where git would do more than change
// line ends it refuses.
//
// A file that is changed or moved keeps its line ends in the worktree; one
// that is new gets those with which git would check it out.
func (a *attempt) convert() error {
	rd := newAttributeReader(a)
	for _, t := range a.paths {
		attrs := rd.of(t.path)
		if what := attrs.conversion(); what != "" {
			return converted(t.rel, what)
		}
		if err := a.convertPath(t, attrs.lineEnds(a.settings)); err != nil {
			return err
		}
	}
	return nil
}

func (a *attempt) convertPath(t *touched, ends lineEnds) error {
	t.cleanID = t.disk.id
	if hasCRLF(t.disk.data) {
		clean, err := ends.in(t.disk.data, func() (bool, error) { return a.r.keepsCRLF(t) })
		if err != nil {
			return err
		}
		t.cleanID = hashObject("blob", clean)
	}
	if t.untracked {
		t.file = t.kept
	}
	if !t.commits() {
		return nil
	}
	before := t.blobID
	var err error
	t.file = t.data
	if t.blob, err = ends.in(t.data, func() (bool, error) { return a.r.keepsCRLF(t.from) }); err != nil {
		return err
	}
	if t.from == nil {
		t.file = ends.out(t.blob)
	}
	if t.blobID = hashObject("blob", t.blob); before != (oid{}) && before != t.blobID {
		return errMoved // the commit was made of something else
	}
	if t.kept == nil && isTrue(safeCRLF(a.settings)) && ends.irreversible(t.file, t.blob) {
		return unsupported("Git would not bring the line ends of %s back as they are (core.safecrlf).", t.rel).
			Suggest("Give the file one kind of line ends.")
	}
	if t.kept != nil {
		t.file = t.kept
	}
	return nil
}

// safeCRLF is the setting as a boolean; that git only warns is none.
func safeCRLF(s settings) string {
	if v, ok := s["core.safecrlf"]; ok && !strings.EqualFold(v, "warn") {
		return v
	}
	return "false"
}

// keepsCRLF tells whether the index has text with CR LF at the path of t, or at
// the one it comes from.
func (r *Repo) keepsCRLF(t *touched) (bool, error) {
	if t == nil || !t.inIndex() || t.entry.intentToAdd() || !t.entry.isFile() {
		return false, nil
	}
	b, err := r.object(plumbing.BlobObject, t.entry.id)
	if err != nil {
		return false, failure.New(failure.Git, "The staged content of %s cannot be read from the git repository.", t.rel).
			Suggest("Run git fsck there.").Wrap(err)
	}
	st := statText(b)
	return st.crlf > 0 && !st.binary(), nil
}

// CleanID returns the id of the blob that git would make of a file with this
// content at a root-relative path: that of the content itself but where git
// changes line ends.
func (r *Repo) CleanID(ctx context.Context, path string, content []byte) ([20]byte, error) {
	if !hasCRLF(content) {
		return hashObject("blob", content), nil
	}
	s, err := r.readSettings(ctx)
	if err != nil {
		return oid{}, err
	}
	root, err := os.OpenRoot(r.top)
	if err != nil {
		return oid{}, storageFailure(err)
	}
	defer root.Close()
	t := &touched{path: r.full(path), rel: path, disk: diskFile{data: content, id: hashObject("blob", content)}}
	a := &attempt{r: r, settings: s, root: root, paths: []*touched{t}}
	if a.index, err = r.readIndex(ctx); err != nil {
		return oid{}, err
	}
	if err := a.scanIndex(); err != nil {
		return oid{}, err
	}
	if err := a.convert(); err != nil {
		return oid{}, err
	}
	return t.cleanID, nil
}
