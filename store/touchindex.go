package store

import (
	"bytes"
	"os"
	"strconv"
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
)

// checkIndex reads the index's state of every touched path and refuses what
// cannot be patched without loss. It costs one pass over the index.
func (a *attempt) checkIndex() error {
	want := map[string]*touched{}
	above := map[string]*touched{}
	for _, t := range a.paths {
		t.entry = indexEntry{}
		want[t.path] = t
		for _, dir := range parents(t.path) {
			above[dir] = t
		}
	}
	a.attributeBlobs = map[string]oid{}
	twins := a.twins()
	err := a.index.scan(func(e *indexEntry) error {
		if e.stage() > 0 {
			return failure.New(failure.GitState, "Git has files in conflict in this repository.").
				Suggest("Resolve them, then try again.")
		}
		if t := want[string(e.name)]; t != nil {
			t.entry = *e
			t.entry.name = nil
		}
		if bytes.HasSuffix(e.name, []byte(".gitattributes")) {
			a.attributeBlobs[string(e.name)] = e.id
		}
		if t := above[string(e.name)]; t != nil {
			return notAFile(t.rel)
		}
		return a.checkNeighbour(e, twins)
	})
	if err != nil {
		return err
	}
	for _, t := range a.paths {
		if err := t.checkEntry(a.settings); err != nil {
			return err
		}
	}
	return nil
}

// checkNeighbour refuses an entry that would collide with a new path: one
// below it, or its twin where the file system cannot tell them apart.
func (a *attempt) checkNeighbour(e *indexEntry, twins map[string]*touched) error {
	for _, t := range a.paths {
		if t.taken && len(e.name) > len(t.path) && e.name[len(t.path)] == '/' && bytes.HasPrefix(e.name, []byte(t.path)) {
			return notAFile(t.rel)
		}
	}
	if len(twins) == 0 {
		return nil
	}
	if t := twins[a.fold(string(e.name))]; t != nil && t.path != string(e.name) {
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

func (a *attempt) fold(name string) string {
	if a.settings.bool("core.precomposeunicode", false) {
		name = norm.NFC.String(name)
	}
	if a.settings.bool("core.ignorecase", false) {
		name = cases.Fold().String(name)
	}
	return name
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
	asDisk := id == t.disk.id && mode == t.diskMode(s)
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
	if t.from == nil {
		return modeFile
	}
	return t.from.diskMode(s)
}

// wantPerm is the permission of the file to be written.
func (t *touched) wantPerm() os.FileMode {
	if t.from == nil {
		return 0
	}
	return t.from.disk.stat.Mode().Perm()
}

func hasCRLF(b []byte) bool { return strings.Contains(string(b), "\r\n") }

// marks returns the index entry before and after.
func (t *touched) marks(s settings) (before, after indexMark) {
	if t.inIndex() {
		before = indexMark{Mode: t.entry.mode, ID: t.entry.id.String(), Flags: t.entry.flags & flagAssumeValid}
	}
	if t.taken {
		mode := uint32(indexFileMode)
		if t.wantMode(s) == modeExecutable {
			mode = indexExecMode
		}
		after = indexMark{Mode: mode, ID: hashObject("blob", t.data).String()}
		if t.from != nil {
			after.Flags = t.from.entry.flags & flagAssumeValid
		}
	}
	return before, after
}
