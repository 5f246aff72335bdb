package store

import (
	"bytes"
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
)

// The modes of tree entries, as they are written.
const (
	modeFile       = "100644"
	modeExecutable = "100755"
	modeTree       = "40000"
)

// treeEntry is one entry of a tree. The mode is kept as written, because old
// repositories hold modes that git reads but no longer writes.
type treeEntry struct {
	mode string
	name []byte
	id   oid
}

func (e treeEntry) isTree() bool { return e.mode == modeTree || e.mode == "040000" }
func (e treeEntry) isFile() bool { return strings.HasPrefix(e.mode, "100") }

var errTree = errors.New("malformed tree object")

// scanTree calls visit for each entry of a raw tree, in its order. The name is
// part of raw.
func scanTree(raw []byte, visit func(treeEntry) error) error {
	for len(raw) > 0 {
		e, n, ok := cutEntry(raw)
		if !ok {
			return errTree
		}
		if err := visit(e); err != nil {
			return err
		}
		raw = raw[n:]
	}
	return nil
}

func cutEntry(raw []byte) (e treeEntry, n int, ok bool) {
	sp := bytes.IndexByte(raw, ' ')
	nul := bytes.IndexByte(raw, 0)
	if sp < 0 || nul < sp || len(raw) < nul+1+len(e.id) {
		return e, 0, false
	}
	e.mode, e.name = modeString(raw[:sp]), raw[sp+1:nul]
	n = nul + 1 + copy(e.id[:], raw[nul+1:])
	return e, n, true
}

// modeString avoids an allocation for the modes that nearly all entries have.
func modeString(b []byte) string {
	switch string(b) {
	case modeFile:
		return modeFile
	case modeTree:
		return modeTree
	case modeExecutable:
		return modeExecutable
	}
	return string(b)
}

// tree returns the raw content of a tree object; the zero id is the empty tree.
func (r *Repo) tree(id oid) ([]byte, error) {
	if id == (oid{}) {
		return nil, nil
	}
	raw, err := r.object(plumbing.TreeObject, id)
	if err != nil {
		return nil, failure.New(failure.Git, "A folder of the last commit cannot be read from the git repository.").
			Suggest("Run git fsck there.").Wrap(err)
	}
	return raw, nil
}

// lookup finds the entry at a path below a tree, a folder's too.
func (r *Repo) lookup(tree oid, p string) (treeEntry, bool, error) {
	name, rest, deeper := strings.Cut(p, "/")
	e, ok, err := r.folders.find(r, tree, name)
	switch {
	case err != nil || !ok || !deeper:
		return e, ok, err
	case !e.isTree():
		return treeEntry{}, false, nil
	}
	return r.lookup(e.id, rest)
}

// treeEdit sets the blob at a path, or removes it (mode "").
type treeEdit struct {
	path, mode string
	id         oid
}

// deriveTree returns the id of base with the edits applied, and adds to made
// every tree object that this needs, in the order children first. Folders
// that are not touched are not read.
func (r *Repo) deriveTree(base oid, edits []treeEdit, made *[]newObject) (oid, error) {
	raw, err := r.tree(base)
	if err != nil {
		return oid{}, err
	}
	here, below := splitEdits(edits)
	children := map[string]oid{}
	err = scanTree(raw, func(e treeEntry) error {
		if below[string(e.name)] != nil && e.isTree() {
			children[string(e.name)] = e.id
		}
		return nil
	})
	if err != nil {
		return oid{}, err
	}
	for name, sub := range below {
		id, err := r.deriveTree(children[name], sub, made)
		if err != nil {
			return oid{}, err
		}
		e := treeEdit{path: name, mode: modeTree, id: id}
		if id == (oid{}) {
			e.mode = ""
		}
		here = append(here, e)
	}
	out, err := spliceTree(raw, here)
	if err != nil || len(out) == 0 {
		return oid{}, err
	}
	o := newObject{kind: plumbing.TreeObject, data: out, id: hashObject("tree", out)}
	*made = append(*made, o)
	return o.id, nil
}

// splitEdits separates the edits of a folder's own entries from those below.
func splitEdits(edits []treeEdit) (here []treeEdit, below map[string][]treeEdit) {
	below = map[string][]treeEdit{}
	for _, e := range edits {
		name, rest, deeper := strings.Cut(e.path, "/")
		if !deeper {
			here = append(here, e)
			continue
		}
		e.path = rest
		below[name] = append(below[name], e)
	}
	return here, below
}

// spliceTree replaces, inserts and removes entries and copies all others.
func spliceTree(raw []byte, edits []treeEdit) ([]byte, error) {
	touched := map[string]bool{}
	var put []treeEdit
	for _, e := range edits {
		touched[e.path] = true
		if e.mode != "" {
			put = append(put, e)
		}
	}
	slices.SortFunc(put, func(a, b treeEdit) int { return strings.Compare(a.sortKey(), b.sortKey()) })
	out := make([]byte, 0, len(raw)+64*len(put))
	for len(raw) > 0 {
		e, n, ok := cutEntry(raw)
		if !ok {
			return nil, errTree
		}
		for len(put) > 0 && entryAfter(e, put[0].sortKey()) {
			out, put = put[0].append(out), put[1:]
		}
		if !touched[string(e.name)] {
			out = append(out, raw[:n]...)
		}
		raw = raw[n:]
	}
	for _, e := range put {
		out = e.append(out)
	}
	return out, nil
}

// sortKey is the name as git orders tree entries: a folder as if it ended in
// '/'.
func (e treeEdit) sortKey() string {
	if e.mode == modeTree {
		return e.path + "/"
	}
	return e.path
}

func (e treeEdit) append(out []byte) []byte {
	out = append(out, e.mode...)
	out = append(out, ' ')
	out = append(out, e.path...)
	out = append(out, 0)
	return append(out, e.id[:]...)
}

// entryAfter holds when e sorts after key.
func entryAfter(e treeEntry, key string) bool {
	n := min(len(e.name), len(key))
	if c := strings.Compare(string(e.name[:n]), key[:n]); c != 0 {
		return c > 0
	}
	if len(e.name) >= len(key) {
		return len(e.name) > len(key) || e.isTree()
	}
	return e.isTree() && key[n] < '/'
}

// parents lists the folders above a path, nearest to the top first.
func parents(p string) []string {
	var dirs []string
	for d := path.Dir(p); d != "." && d != "/"; d = path.Dir(d) {
		dirs = append(dirs, d)
	}
	slices.Reverse(dirs)
	return dirs
}
