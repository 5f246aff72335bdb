package store

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"golang.org/x/sync/errgroup"
)

// writeTemps writes all that needs space before anything is visible: new
// files, a second name for old ones, the index, and both values of the
// reference. A disk that is full is full here.
func (w *writer) writeTemps(context.Context) error {
	var g errgroup.Group
	g.SetLimit(objectWriters)
	for _, f := range w.journal.Files {
		t := w.byPath[f.Path]
		if f.New != "" {
			g.Go(func() error { return writeTempPerm(w.r.tempName(f.Temp), t.data, os.FileMode(f.Perm)) })
		}
		if f.Old != "" {
			g.Go(func() error { return w.backup(f) })
		}
	}
	g.Go(w.writeIndexTemp)
	g.Go(func() error { return writeTemp(w.temp("ref"), []byte(w.journal.New+"\n"), 0o666) })
	if w.journal.Loose {
		g.Go(func() error { return writeTemp(w.temp("oldref"), []byte(w.journal.Old+"\n"), 0o666) })
	}
	return g.Wait()
}

func (r *Repo) tempName(name string) string { return filepath.Join(r.tempDir(), name) }

// writeTempPerm gives the file the permission of the one it replaces; 0 leaves
// it to the umask.
func writeTempPerm(path string, data []byte, perm os.FileMode) error {
	if err := writeTemp(path, data, 0o666); err != nil || perm == 0 {
		return err
	}
	return os.Chmod(path, perm)
}

func (w *writer) writeIndexTemp() error {
	perm := os.FileMode(0)
	if w.index.stat != nil {
		perm = w.index.stat.Mode().Perm()
	}
	return writeTempPerm(w.temp("index"), w.patched.raw, perm)
}

// overwrite replaces bytes in place: the file has its full size already, so
// that no space is needed.
func overwrite(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(data, 0)
	return errors.Join(err, f.Sync(), f.Close())
}

// backup keeps an old file under a second name, from which undo takes it back
// with its times; a copy where the file system has no links.
func (w *writer) backup(f *journalFile) error {
	abs := filepath.Join(w.r.top, filepath.FromSlash(f.Path))
	if os.Link(abs, w.r.tempName(f.Backup)) == nil {
		return nil
	}
	b, err := w.root.ReadFile(filepath.FromSlash(f.Path))
	if err != nil {
		return err
	}
	return writeTempPerm(w.r.tempName(f.Backup), b, w.byPath[f.Path].disk.stat.Mode().Perm())
}

// createFile puts a file where none is. One that the person has made there in
// the meantime stays: it is their later work.
func (w *writer) createFile(f *journalFile) error {
	err := w.r.place(w.root, w.r.tempName(f.Temp), f.Path, false)
	if errors.Is(err, fs.ErrExist) {
		w.warn(f, "%s was made by somebody else at the same moment and is left as it is.")
		return nil
	}
	return errors.Join(err, w.notePlaced(f))
}

// replaceFile replaces a file that still has its old content.
func (w *writer) replaceFile(f *journalFile) error {
	if !w.r.diskIs(w.root, f.Path, f.Old) {
		w.warn(f, "%s was changed at the same moment and is left as it is.")
		return nil
	}
	if err := w.r.place(w.root, w.r.tempName(f.Temp), f.Path, true); err != nil {
		return err
	}
	return w.notePlaced(f)
}

// deleteFile removes a moved source that still has its old content.
func (w *writer) deleteFile(f *journalFile) error {
	if !w.r.diskIs(w.root, f.Path, f.Old) {
		w.warn(f, "%s was changed at the same moment and is left where it is.")
		return nil
	}
	return w.root.Remove(filepath.FromSlash(f.Path))
}

func (w *writer) notePlaced(f *journalFile) error {
	st, err := w.root.Lstat(filepath.FromSlash(f.Path))
	w.byPath[f.Path].placed = st
	return err
}

func (w *writer) warn(f *journalFile, format string) {
	w.warnings = append(w.warnings, sprintfPath(format, w.byPath[f.Path].rel))
}

// diskIs tells whether the file has the content with this blob id.
func (r *Repo) diskIs(root *os.Root, p, id string) bool {
	st, err := root.Lstat(filepath.FromSlash(p))
	if err != nil || !st.Mode().IsRegular() {
		return false
	}
	d, err := readFile(root, p)
	return err == nil && d.id.String() == id
}

// place moves a temp file to its path, over what is there or only where
// nothing is. Where the git folder is on another file system than the files
// the content is copied beside its place first.
func (r *Repo) place(root *os.Root, temp, p string, over bool) error {
	abs := filepath.Join(r.top, filepath.FromSlash(p))
	err := put(temp, abs, over)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	beside := filepath.Join(filepath.Dir(abs), filepath.Base(besideName(temp)))
	if cerr := copyBeside(temp, beside); cerr != nil {
		return errors.Join(err, cerr)
	}
	defer os.Remove(beside)
	if err := put(beside, abs, over); err == nil || over || errors.Is(err, fs.ErrExist) {
		return err
	}
	// No links here: the check and the rename are two steps.
	if _, err := root.Lstat(filepath.FromSlash(p)); err == nil {
		return fs.ErrExist
	}
	return rename(beside, abs)
}

func put(temp, abs string, over bool) error {
	if over {
		return rename(temp, abs)
	}
	return os.Link(temp, abs)
}

// besideName is what a temp is called in the folder of its destination.
func besideName(temp string) string { return "." + filepath.Base(temp) }

func copyBeside(temp, beside string) error {
	st, err := os.Stat(temp)
	if err != nil {
		return err
	}
	b, err := os.ReadFile(temp)
	if err != nil {
		return err
	}
	return writeTempPerm(beside, b, st.Mode().Perm())
}

// syncFolders makes the names of all touched files durable.
func (w *writer) syncFolders() error {
	dirs := slices.Clone(w.folders)
	for _, f := range w.journal.Files {
		dirs = append(dirs, path.Dir(f.Path))
	}
	slices.Sort(dirs)
	var g errgroup.Group
	g.SetLimit(objectWriters)
	for _, dir := range slices.Compact(dirs) {
		abs := filepath.Join(w.r.top, filepath.FromSlash(dir))
		g.Go(func() error {
			if err := syncDir(abs); !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			return nil
		})
	}
	return g.Wait()
}
