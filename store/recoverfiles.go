package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/go-git/go-git/v5/plumbing"
)

// order is the writer's: what appears, what changes, what leaves.
func (v *recovery) order() []*journalFile {
	files := slices.Clone(v.j.Files)
	rank := func(f *journalFile) int {
		switch {
		case f.Old == "":
			return 0
		case f.New != "":
			return 1
		}
		return 2
	}
	slices.SortStableFunc(files, func(a, b *journalFile) int { return rank(a) - rank(b) })
	return files
}

// agreed tells whether HEAD still says of a path what the commit said.
func (v *recovery) agreed(f *journalFile) (bool, error) {
	e, ok, err := v.r.lookup(v.tree, f.Path)
	if err != nil {
		return false, err
	}
	if f.NewEntry == (indexMark{}) {
		return !ok, nil
	}
	return ok && e.isFile() && e.id.String() == f.NewEntry.ID, nil
}

func (v *recovery) file(f *journalFile) error {
	if ok, err := v.agreed(f); err != nil || !ok {
		return err
	}
	if err := v.keepOld(f); err != nil {
		return err
	}
	switch {
	case f.New == "" && v.r.diskIs(v.root, f.Path, f.Old):
		return without(v.r.remove(f, f.Old), errChanged)
	case f.New == "":
		return nil
	case f.Old == "":
		return v.create(f)
	case v.r.diskIs(v.root, f.Path, f.Old):
		return v.place(f, true)
	}
	return nil
}

// keepOld writes the blob of an old content once more before it leaves the disk:
// what no commit had may be all there is of it, if git has pruned since.
func (v *recovery) keepOld(f *journalFile) error {
	id, err := parseOID(f.Old)
	if err != nil || v.r.hasObject(id) || !v.r.diskIs(v.root, f.Path, f.Old) {
		return nil
	}
	d, err := readFile(v.root, f.Path)
	if err != nil {
		return err
	}
	temp := v.r.tempName(v.j.Token + ".kept" + f.Old)
	_ = os.Remove(temp) // of a repair that was killed
	if err := writeObject(temp, newObject{kind: plumbing.BlobObject, data: d.data, id: d.id}, (*os.File).Sync); err != nil {
		return err
	}
	dirs, err := v.r.nameObject(temp, d.id)
	if err != nil {
		return err
	}
	return syncDirs(dirs)
}

// create makes a file that is not there.
func (v *recovery) create(f *journalFile) error {
	if _, err := v.root.Lstat(filepath.FromSlash(f.Path)); err == nil {
		return nil
	}
	if err := at(RecoverFolders); err != nil {
		return err
	}
	if dirs := parents(f.Path); len(dirs) > 0 {
		if err := v.root.MkdirAll(filepath.FromSlash(dirs[len(dirs)-1]), 0o777); err != nil {
			return err
		}
	}
	if err := v.place(f, false); !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// place uses the temp file if it still is the new content, else the blob of it,
// which is the commit's where nothing is kept; its line ends are as good to git
// as those it would check out.
func (v *recovery) place(f *journalFile, over bool) (err error) {
	temp := v.r.tempName(f.Temp)
	if !fileIs(temp, f.New) {
		id := f.NewEntry.ID
		if f.Kept {
			id = f.New
		}
		b, err := v.r.blob(id)
		if err != nil {
			return err
		}
		if err := writeWhole(temp, b, os.FileMode(f.Perm)); err != nil {
			return err
		}
	}
	v.removeBeside()
	if over {
		_, err = v.r.replace(f, f.Temp, f.Old)
		err = without(err, errChanged)
	} else {
		_, err = v.r.place(f)
	}
	if err != nil {
		return err
	}
	return syncDir(filepath.Dir(v.r.abs(f.Path)))
}

// removeBeside removes what a dead process left beside the files (place).
func (v *recovery) removeBeside() {
	for _, f := range v.j.Files {
		dir, _ := filepath.Split(filepath.FromSlash(f.Path))
		for _, temp := range []string{f.Temp, f.Backup, f.Aside} {
			if temp != "" {
				_ = v.root.Remove(filepath.Join(dir, "."+temp))
				_ = v.root.Remove(filepath.Join(dir, "."+temp+partSuffix))
			}
		}
	}
}
