package store

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
)

// checkIndex reads the index's state of every touched path and refuses what
// cannot be patched without loss. It costs one pass over the index.
func (a *attempt) checkIndex() error {
	if err := a.scanIndex(); err != nil {
		return err
	}
	if err := a.convert(); err != nil {
		return err
	}
	for _, t := range a.paths {
		if err := t.checkEntry(a.settings); err != nil {
			return err
		}
	}
	return nil
}

func (a *attempt) scanIndex() error {
	c := indexChecker{a: a, byPath: map[string]*touched{}, twins: a.twins()}
	for _, t := range a.paths {
		t.entry = indexEntry{}
		c.byPath[t.path] = t
		c.names = append(c.names, indexName{t.path, t})
		for _, dir := range parents(t.path) {
			c.names = append(c.names, indexName{dir, t})
		}
		if t.taken {
			c.below = append(c.below, t.path+"/")
		}
	}
	slices.SortFunc(c.names, func(a, b indexName) int { return strings.Compare(a.name, b.name) })
	slices.Sort(c.below)
	a.attributeBlobs = map[string]oid{}
	return a.index.scan(c.entry)
}

// indexChecker is one pass over the index.
type indexChecker struct {
	a *attempt
	// byPath are the touched paths, twins the new ones by folded name.
	byPath, twins map[string]*touched
	// names are the touched paths and the folders over them, below the new paths
	// as folders, both in order; what the pass has gone by is cut off.
	names []indexName
	below []string
}

// indexName is a touched path, or a folder over one.
type indexName struct {
	name string
	t    *touched
}

var attributesFile = []byte(".gitattributes")

func (c *indexChecker) entry(e *indexEntry) error {
	if e.stage() > 0 {
		return failure.New(failure.GitState, "Git has files in conflict in this repository.").
			Suggest("Resolve them, then try again.")
	}
	for len(c.names) > 0 && c.names[0].name <= string(e.name) {
		switch named := c.names[0]; {
		case named.name < string(e.name):
		case named.name != named.t.path:
			return notAFile(named.t.rel)
		default:
			named.t.entry = *e
			named.t.entry.name = nil
		}
		c.names = c.names[1:]
	}
	if bytes.HasSuffix(e.name, attributesFile) {
		c.a.attributeBlobs[string(e.name)] = e.id
	}
	for len(c.below) > 0 && string(e.name) > c.below[0] {
		if strings.HasPrefix(string(e.name), c.below[0]) {
			return notAFile(c.byPath[strings.TrimSuffix(c.below[0], "/")].rel)
		}
		c.below = c.below[1:]
	}
	if len(c.twins) == 0 {
		return nil
	}
	if t := c.twins[c.a.fold(string(e.name))]; t != nil && t.path != string(e.name) {
		return destinationExists(t.rel)
	}
	return nil
}

// twins are the new paths by the name under which the file system files them;
// none where it tells all names apart.
func (a *attempt) twins() map[string]*touched {
	if !a.settings.bool("core.ignorecase", false) && !a.settings.bool("core.precomposeunicode", false) {
		return nil
	}
	twins := map[string]*touched{}
	for _, t := range a.paths {
		if t.taken && !t.vacated {
			twins[a.fold(t.path)] = t
		}
	}
	return twins
}

// fold returns what the file system takes a name for.
func (a *attempt) fold(name string) string {
	ascii := strings.IndexFunc(name, func(r rune) bool { return r > unicode.MaxASCII }) < 0
	if !ascii && a.settings.bool("core.precomposeunicode", false) {
		name = norm.NFC.String(name)
	}
	switch {
	case !a.settings.bool("core.ignorecase", false):
		return name
	case ascii:
		return strings.ToLower(name)
	}
	return cases.Fold().String(name)
}

// checkEntry holds one index entry against the last commit and the disk (D18).
func (t *touched) checkEntry(s settings) error {
	e := &t.entry
	switch {
	case t.inIndex() && e.skipWorktree():
		return failure.New(failure.GitState, "%s is outside this worktree's sparse checkout.", t.rel).
			Suggest("Add its folder with git sparse-checkout add.")
	case t.inIndex() && !e.isFile():
		return notAFile(t.rel)
	case !t.vacated && t.inIndex():
		return failure.New(failure.DestinationExists, "%s exists already in git's index.", t.rel).
			Suggest("Commit its removal, or restore it, first.")
	case !t.vacated || e.intentToAdd():
		return nil
	case !t.inIndex() && t.inHead():
		return failure.New(failure.GitState, "%s is removed in git's index but exists on disk.", t.rel).
			Suggest("Stage the file or unstage its removal, then try again.")
	case !t.inIndex():
		return nil
	}
	mode, id := gitMode(e.mode), e.id
	asHead := t.inHead() && id == t.head.id && (mode == t.head.mode || t.head.mode == "100664")
	asDisk := id == t.cleanID && mode == t.diskMode(s)
	if !asHead && !asDisk {
		return failure.New(failure.GitState, "%s is staged in part: git's index holds neither the last commit nor the file.", t.rel).
			Suggest("Stage all of it or unstage it, then try again.")
	}
	return nil
}

func gitMode(m uint32) string { return strconv.FormatUint(uint64(m), 8) }

// diskMode is the mode git would give to the file as it is on disk.
func (t *touched) diskMode(s settings) string {
	if !s.bool("core.filemode", true) {
		switch {
		case t.inIndex() && !t.entry.intentToAdd():
			return gitMode(t.entry.mode)
		case t.inHead():
			return t.head.mode
		}
		return modeFile
	}
	if executable(t.disk.stat) {
		return modeExecutable
	}
	return modeFile
}

// wantMode is the mode of the content that is put at the path.
func (t *touched) wantMode(s settings) string {
	switch {
	case t.mode != "":
		return t.mode
	case t.like() == nil:
		return modeFile
	}
	return t.like().diskMode(s)
}

// like is the file whose mode and permission the content has: the one it comes
// from, else the one whose place it takes, else none.
func (t *touched) like() *touched {
	if t.from == nil && t.vacated {
		return t
	}
	return t.from
}

// wantPerm is the permission of the file to be written.
func (t *touched) wantPerm() os.FileMode {
	switch {
	case t.like() != nil:
		return t.like().disk.stat.Mode().Perm()
	case t.mode == modeExecutable:
		return 0o755
	}
	return 0
}

func hasCRLF(b []byte) bool { return bytes.Contains(b, []byte("\r\n")) }

// marks returns the index entry before and after.
func (t *touched) marks(s settings) (before, after indexMark) {
	if t.inIndex() {
		before = indexMark{Mode: t.entry.mode, ID: t.entry.id.String(), Flags: t.entry.flags & flagAssumeValid}
	}
	if t.commits() {
		mode := uint32(indexFileMode)
		if t.wantMode(s) == modeExecutable {
			mode = indexExecMode
		}
		after = indexMark{Mode: mode, ID: t.blobID.String()}
		if t.from != nil {
			after.Flags = t.from.entry.flags & flagAssumeValid
		}
	}
	return before, after
}
