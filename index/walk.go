package index

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/memhtml-ls/memhtml-ls/memory"
)

// TooLarge is the [File.Unread] of a file above [memory.MaxSize] (D20).
const TooLarge = unreadTooLarge

// Values of [File.Unread].
const (
	unreadTooLarge   = "too-large"
	unreadUnreadable = "unreadable"
	unreadNotRegular = "not-regular"
)

// sighting is a file that the walk came by. unread is why there is no point in
// reading it, "" for a file to be read.
type sighting struct {
	path, unread string
	stat         Stat
}

// walk finds the files of the buckets of a root, by path, and adds the folders it
// goes through to folders; those that are there already it leaves out. It does
// not follow links: each folder is opened below its parent and no further up.
// What is not there is no error, what cannot be looked into is sighted as
// unreadable.
func walk(root folder, seen time.Time, folders Folders) []sighting {
	w := walker{seen: seen, folders: folders}
	for _, bucket := range memory.Buckets {
		w.look(root, bucket, bucket)
	}
	return w.sorted()
}

// markerFolder makes the folder it is in a root. In a bucket of another root that
// is not looked into: a file belongs to the innermost root it is in.
const markerFolder = ".memhtml"

type walker struct {
	seen    time.Time
	found   []sighting
	folders Folders
}

// sorted are the sightings by path, each once.
func (w *walker) sorted() []sighting {
	slices.SortFunc(w.found, func(a, b sighting) int { return strings.Compare(a.path, b.path) })
	return slices.CompactFunc(w.found, func(a, b sighting) bool { return a.path == b.path })
}

// look takes in one name of a folder, if it is there.
func (w *walker) look(dir folder, name, at string) {
	if stat, mode, err := dir.look(name, w.seen); err == nil {
		w.entry(dir, entry{name, mode, stat}, at)
	}
}

// entry takes in what is in a folder.
func (w *walker) entry(dir folder, e entry, at string) {
	switch kindOf(dir, e.name, at, e.mode) {
	case kindFolder:
		w.folder(dir, e, at)
	case kindOdd:
		w.found = append(w.found, sighting{at, unreadNotRegular, e.stat})
	case kindFile:
		w.found = append(w.found, sighting{at, unreadBySize(e.stat), e.stat})
	}
}

func unreadBySize(s Stat) string {
	if s.Size > memory.MaxSize {
		return unreadTooLarge
	}
	return ""
}

func (w *walker) folder(parent folder, e entry, at string) {
	if _, done := w.folders[at]; done {
		return
	}
	dir, entries, err := list(parent, e.name, w.seen)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			w.found = append(w.found, sighting{path: at, unread: unreadUnreadable})
		}
		return
	}
	defer dir.close()
	w.folders[strings.Clone(at)] = e.stat
	if slices.ContainsFunc(entries, func(e entry) bool { return e.name == markerFolder && e.mode.IsDir() }) {
		return
	}
	for _, e := range entries {
		w.entry(dir, e, at+"/"+e.name)
	}
}

// kind is what a name in a folder is to us.
type kind int

const (
	kindNothing kind = iota
	kindFolder
	kindFile
	kindOdd
)

// kindOf tells a name by its mode. A link is odd where a memory or a folder of
// them would be. Names with a dot in front are left alone unless they are plain
// files: editors put their locks there, as links that lead nowhere.
func kindOf(dir folder, name, at string, mode fs.FileMode) kind {
	hidden := strings.HasPrefix(name, ".")
	switch {
	case mode.IsRegular() && memory.IsMemoryPath(at):
		return kindFile
	case hidden || mode.IsRegular():
		return kindNothing
	case mode.IsDir():
		return kindFolder
	case memory.IsMemoryPath(at), mode&fs.ModeSymlink != 0 && mayBeFolder(dir, name):
		return kindOdd
	}
	return kindNothing
}

// mayBeFolder reports whether a link leads to a folder, or out of the folder
// that it is in, where nothing is looked at.
func mayBeFolder(dir folder, name string) bool {
	info, err := dir.below.Stat(name)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	return info.IsDir()
}
