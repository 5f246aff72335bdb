package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// undo takes back what the writer has done, in the reverse of its order and
// still under its locks. Until the reference is back, a process that dies here
// is rolled forward; from then on, back.
func (w *writer) undo() error {
	if err := w.undoFiles(); err != nil {
		return err
	}
	if err := w.undoRef(); err != nil {
		return err
	}
	for _, log := range w.logs {
		if err := errors.Join(at(UndoReflog), dropLog(log, w.journal.Log)); err != nil {
			return err
		}
	}
	if err := at(UndoFolders); err != nil {
		return err
	}
	for _, dir := range slices.Backward(w.folders) {
		// A folder that somebody has used since is kept.
		_ = w.root.Remove(filepath.FromSlash(dir))
	}
	for _, l := range []gitLock{w.refLock, w.headLock, w.indexLock} {
		if err := errors.Join(at(UndoUnlock), l.release(w.journal.Token)); err != nil {
			return err
		}
	}
	if err := at(UndoForget); err != nil {
		return err
	}
	return w.r.forget()
}

func (w *writer) undoFiles() error {
	for _, f := range slices.Backward(w.done) {
		if err := errors.Join(at(UndoFile), w.r.settle(f), w.undoFile(f)); err != nil {
			return err
		}
	}
	return nil
}

// undoFile leaves alone what the person has made of the file since.
func (w *writer) undoFile(f *journalFile) (err error) {
	t := w.byPath[f.Path]
	switch {
	case f.New != "" && t.placed == nil:
		return nil
	case f.New == "":
		_, err = w.r.placeTemp(f.Backup, f.Path)
	case !w.r.diskIs(w.root, f.Path, f.New):
		return nil
	case f.Old == "":
		err = w.r.remove(f, f.New)
	default:
		_, err = w.r.replace(f, f.Backup, f.New)
	}
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return without(err, errChanged)
}

// undoRef needs no space: the old value lies ready, or is still packed.
func (w *writer) undoRef() error {
	if !w.refMoved {
		return nil
	}
	if err := at(UndoRef); err != nil {
		return err
	}
	path := w.r.refPath(w.journal.Ref)
	if w.journal.Loose {
		return rename(w.temp("oldref"), path)
	}
	return os.Remove(path)
}

func sprintfPath(format, path string) string { return fmt.Sprintf(format, path) }
