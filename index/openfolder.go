package index

import (
	"errors"
	"io/fs"
	"os"
	"strings"
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

// list opens a folder below its parent and reads its names. It is a variable
// for the same reason as [readFile].
var list = func(parent folder, name string) (folder, []fs.DirEntry, error) {
	d, err := parent.into(name)
	if err != nil {
		return folder{}, nil, err
	}
	entries, err := d.names.ReadDir(-1)
	if err != nil {
		d.close()
		return folder{}, nil, err
	}
	return d, entries, nil
}

// parent opens the folder that a path is in, if a walk from the buckets would
// come there: through folders that are not hidden and no links.
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
	}
	return folder{}, "", false
}
