package index

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"time"
)

// folder is an open folder. What is in it is looked at and opened by name: no
// link is followed, and no path is walked again for every file.
type folder struct {
	// below opens the folders in it, names what else there is.
	below *os.Root
	names *os.File
}

// openFolder takes over the root.
func openFolder(root *os.Root, err error) (folder, error) {
	if err != nil {
		return folder{}, err
	}
	names, err := root.Open(".")
	if err != nil {
		return folder{}, errors.Join(err, root.Close())
	}
	return folder{root, names}, nil
}

func (d folder) close() {
	d.names.Close()
	d.below.Close()
}

// into opens a folder of d.
func (d folder) into(name string) (folder, error) { return openFolder(d.below.OpenRoot(name)) }

// entry is a name in a folder and what it looks like.
type entry struct {
	name string
	mode fs.FileMode
	stat Stat
}

// list opens a folder below its parent and looks at all that is in it. It is a
// variable for the same reason as [readFile].
var list = func(parent folder, name string, seen time.Time) (folder, []entry, error) {
	d, err := parent.into(name)
	if err != nil {
		return folder{}, nil, err
	}
	entries, err := d.entries(seen)
	if err != nil {
		d.close()
		return folder{}, nil, err
	}
	return d, entries, nil
}

// entries asks for the names alone, because [os.File.ReadDir] looks at each of
// them too in a folder that a root opened. What is gone meanwhile is left out.
func (d folder) entries(seen time.Time) ([]entry, error) {
	names, err := d.names.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	entries := make([]entry, 0, len(names))
	for _, name := range names {
		stat, mode, err := d.look(name, seen)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		entries = append(entries, entry{name, mode, stat})
	}
	return entries, nil
}

// isMarked reports whether a folder below a root is a root of its own.
func isMarked(dir *os.Root) bool {
	info, err := dir.Lstat(markerFolder)
	return err == nil && info.IsDir()
}

// parent opens the folder that a path is in, if a walk from the buckets would
// come there: through folders that are not hidden, no links, and no roots of
// their own.
func parent(root *os.Root, at string) (d folder, name string, ok bool) {
	dir, err := root.OpenRoot(".")
	for err == nil {
		first, rest, more := strings.Cut(at, "/")
		if !more {
			d, err = openFolder(dir, nil)
			return d, at, err == nil
		}
		info, missing := dir.Lstat(first)
		if missing != nil || !info.IsDir() || strings.HasPrefix(first, ".") {
			dir.Close()
			return folder{}, "", false
		}
		outer := dir
		dir, err = outer.OpenRoot(first)
		outer.Close()
		at = rest
		if err == nil && isMarked(dir) {
			dir.Close()
			return folder{}, "", false
		}
	}
	return folder{}, "", false
}
