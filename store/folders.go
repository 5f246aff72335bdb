package store

import (
	"errors"
	"sync"
)

// folders keeps the trees that were looked into last, because a batch looks for
// a thousand names in a few folders. The zero value is ready.
type folders struct {
	// mu guards all below.
	mu   sync.Mutex
	kept map[oid]*folder
	// size is of the trees kept, in bytes.
	size int
}

// folder is one tree.
type folder struct {
	raw []byte
	// looks counts the names that were looked for.
	looks int
	// byName is of all entries, once looks has reached decodeAfter.
	byName map[string]treeEntry
}

const (
	// foldersSize bounds what is kept, in bytes of trees.
	foldersSize = 8 << 20
	// decodeAfter is the number of names from which it is cheaper to decode a
	// folder once than to go through it for each.
	decodeAfter = 8
)

// find returns the entry of a name in a tree. It belongs to the caller but for
// its name, which must not be written to.
func (fs *folders) find(r *Repo, tree oid, name string) (treeEntry, bool, error) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	f := fs.kept[tree]
	if f == nil {
		raw, err := r.tree(tree)
		if err != nil {
			return treeEntry{}, false, err
		}
		f = &folder{raw: raw}
		fs.keep(tree, f)
	}
	return f.find(name)
}

// keep adds a folder, in place of all others where there is no room beside them.
func (fs *folders) keep(tree oid, f *folder) {
	if fs.kept == nil || fs.size+len(f.raw) > foldersSize {
		fs.kept, fs.size = map[oid]*folder{}, 0
	}
	fs.kept[tree] = f
	fs.size += len(f.raw)
}

var errFound = errors.New("found")

func (f *folder) find(name string) (hit treeEntry, ok bool, err error) {
	f.looks++
	if f.byName == nil && f.looks < decodeAfter {
		err = scanTree(f.raw, func(e treeEntry) error {
			if string(e.name) != name {
				return nil
			}
			hit = e
			return errFound
		})
		if errors.Is(err, errFound) {
			return hit, true, nil
		}
		return treeEntry{}, false, err
	}
	if f.byName == nil {
		if err := f.decode(); err != nil {
			return treeEntry{}, false, err
		}
	}
	hit, ok = f.byName[name]
	return hit, ok, nil
}

func (f *folder) decode() error {
	byName := map[string]treeEntry{}
	err := scanTree(f.raw, func(e treeEntry) error {
		if _, twice := byName[string(e.name)]; !twice {
			byName[string(e.name)] = e
		}
		return nil
	})
	if err == nil {
		f.byName = byName
	}
	return err
}
