package store

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"sync"

	"golang.org/x/sync/errgroup"
)

// writeTemps writes all that needs space before anything is visible: objects,
// new files, a second name for old ones, the index, both values of the
// reference, the content of the locks, the journal. A disk that is full is
// full here, and all of it is synced in one round.
func (w *writer) writeTemps(context.Context) error {
	var jobs []job
	var files sync.WaitGroup
	for _, f := range w.journal.Files {
		if f.New != "" {
			files.Add(1)
			jobs = append(jobs, func(sync syncing) error { return w.writeFileTemp(f, files.Done, sync) })
		}
	}
	// The index holds the stat fields of the files, which are begun before it.
	jobs = append(jobs, func(sync syncing) error {
		files.Wait()
		return w.writeIndexTemp(sync)
	})
	w.made = w.r.lacking(w.objects)
	for i, o := range w.made {
		jobs = append(jobs, func(sync syncing) error { return writeObject(w.objectTemp(i), o, sync) })
	}
	for _, f := range w.journal.Files {
		if f.Old != "" {
			jobs = append(jobs, func(sync syncing) error { return w.backup(f, sync) })
		}
	}
	texts := map[string]string{"ref": w.journal.New + "\n", "lock": w.journal.Token + "\n", "journal": w.journal.text()}
	for kind, text := range texts {
		jobs = append(jobs, func(sync syncing) error {
			return errors.Join(writeNew(w.temp(kind), []byte(text), 0o666, sync), w.r.share(w.temp(kind)))
		})
	}
	return together(jobs)
}

// syncing makes what was written to a file durable.
type syncing func(*os.File) error

// job writes a file and syncs it with what it is given.
type job func(sync syncing) error

// together runs jobs side by side. No file is synced before all that are written
// beside it are, so that one flush of the file system's own journal serves them
// all.
func together(jobs []job) error {
	for some := range slices.Chunk(jobs, writers) {
		var g errgroup.Group
		var written sync.WaitGroup
		written.Add(len(some))
		for _, do := range some {
			arrive := sync.OnceFunc(written.Done)
			g.Go(func() error {
				defer arrive()
				return do(func(f *os.File) error {
					arrive()
					written.Wait()
					return f.Sync()
				})
			})
		}
		if err := g.Wait(); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) objectTemp(i int) string { return w.temp("object" + strconv.Itoa(i)) }

// placeObjects writes the objects made so far, for git and hooks to look at.
// The writer finds them there; their names become durable with its own.
func (a *attempt) placeObjects() error {
	if err := a.r.makeDir(a.r.tempDir()); err != nil {
		return err
	}
	for i, o := range a.r.lacking(a.objects) {
		temp := a.r.tempName(a.token + ".early" + strconv.Itoa(i))
		if err := writeObject(temp, o, (*os.File).Sync); err != nil {
			return err
		}
		dirs, err := a.r.nameObject(temp, o.id)
		if err != nil {
			return err
		}
		a.dirs = append(a.dirs, dirs...)
	}
	return nil
}

// nameObjects gives the objects their names, side by side because each may need
// a new folder after a repacking. They are durable before the reference moves,
// because nameJournal syncs their folders.
func (w *writer) nameObjects(context.Context) error {
	dirs := make([][]string, len(w.made))
	var g errgroup.Group
	g.SetLimit(writers)
	for i, o := range w.made {
		g.Go(func() (err error) {
			dirs[i], err = w.r.nameObject(w.objectTemp(i), o.id)
			return err
		})
	}
	err := g.Wait()
	w.dirs = append(w.dirs, slices.Concat(dirs...)...)
	return err
}

// nameJournal makes the journal durable, and the objects' names with it. A
// journal without its objects is one of a commit that never was. The index that
// all this rests on is verified while the disk writes.
func (w *writer) nameJournal(context.Context) error {
	if err := rename(w.temp("journal"), w.r.journalPath()); err != nil {
		return err
	}
	var g errgroup.Group
	g.Go(w.index.verify)
	g.Go(func() error { return syncDirs(append(w.dirs, w.r.writerDir())) })
	return g.Wait()
}

func (r *Repo) tempName(name string) string { return filepath.Join(r.tempDir(), name) }

// writeTempPerm gives the file the permission of the one it replaces; 0 leaves
// it to the umask.
func writeTempPerm(path string, data []byte, perm os.FileMode, sync syncing) error {
	if err := writeNew(path, data, 0o666, sync); err != nil || perm == 0 {
		return err
	}
	return os.Chmod(path, perm)
}

// writeFileTemp writes a new file and looks at it, which written is told.
func (w *writer) writeFileTemp(f *journalFile, written func(), sync syncing) error {
	looked := false
	look := func(file *os.File) (err error) {
		w.byPath[f.Path].temp, err = file.Stat()
		looked = true
		written()
		return errors.Join(err, sync(file))
	}
	err := writeTempPerm(w.r.tempName(f.Temp), w.byPath[f.Path].file, os.FileMode(f.Perm), look)
	if !looked {
		written()
	}
	return err
}

// writeIndexTemp writes the index with the stat fields that the files have under
// their temp names, and will have under their own.
func (w *writer) writeIndexTemp(sync syncing) error {
	for _, f := range w.journal.Files {
		if t := w.byPath[f.Path]; t.temp != nil && !f.Kept {
			w.patched.fill(f.Path, t.temp)
		}
	}
	w.patched.sum()
	temp := w.temp("index")
	err := writeNew(temp, nil, 0o666, func(f *os.File) error {
		return errors.Join(w.patched.write(f), sync(f))
	})
	if err == nil && w.index.stat != nil {
		err = os.Chmod(temp, w.index.stat.Mode().Perm())
	}
	return errors.Join(err, w.r.share(temp))
}

// backup keeps an old file under a second name, from which undo takes it back
// with its times; a copy where the file system has no links.
func (w *writer) backup(f *journalFile, sync syncing) error {
	abs := filepath.Join(w.r.top, filepath.FromSlash(f.Path))
	if os.Link(abs, w.r.tempName(f.Backup)) == nil {
		return nil
	}
	b, err := w.root.ReadFile(filepath.FromSlash(f.Path))
	if err != nil {
		return err
	}
	return writeTempPerm(w.r.tempName(f.Backup), b, w.byPath[f.Path].disk.stat.Mode().Perm(), sync)
}

// createFile puts a file where none is. One that the person has made there in
// the meantime stays: it is their later work.
func (w *writer) createFile(f *journalFile) error {
	placed, err := w.r.place(f)
	if errors.Is(err, fs.ErrExist) {
		w.warn(f, "%s was made by somebody else at the same moment and is left as it is.")
		return nil
	}
	if err == nil {
		w.byPath[f.Path].placed = placed
	}
	return err
}

// replaceFile replaces a file that still has its old content.
func (w *writer) replaceFile(f *journalFile) error {
	err := errChanged
	var placed fs.FileInfo
	if w.looksOld(f) {
		placed, err = w.r.replace(f, f.Temp, f.Old)
	}
	if errors.Is(err, errChanged) {
		w.warn(f, "%s was changed at the same moment and is left as it is.")
		return without(err, errChanged)
	}
	w.byPath[f.Path].placed = placed
	return err
}

// deleteFile removes a moved source that still has its old content.
func (w *writer) deleteFile(f *journalFile) error {
	err := errChanged
	if w.looksOld(f) {
		err = w.r.remove(f, f.Old)
	}
	if errors.Is(err, errChanged) {
		w.warn(f, "%s was changed at the same moment and is left where it is.")
		return without(err, errChanged)
	}
	return err
}

// looksOld spares a file that has visibly changed the way out and back.
func (w *writer) looksOld(f *journalFile) bool {
	st, err := w.root.Lstat(filepath.FromSlash(f.Path))
	if err != nil {
		return false
	}
	was := w.byPath[f.Path].disk.stat
	if os.SameFile(st, was) && st.Size() == was.Size() && st.ModTime().Equal(was.ModTime()) {
		return true
	}
	return w.r.diskIs(w.root, f.Path, f.Old)
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

// place gives a file its name where nothing has it, and returns the file.
func (r *Repo) place(f *journalFile) (fs.FileInfo, error) { return r.placeTemp(f.Temp, f.Path) }

func (r *Repo) placeTemp(temp, p string) (fs.FileInfo, error) {
	abs := r.abs(p)
	return near(r.tempName(temp), abs, func(temp string) error { return linkNew(temp, abs) })
}

// linkNew gives a file another name that must be free. Where there are no
// links the check and the rename are two steps, which a copy in the same
// folder can take.
func linkNew(temp, abs string) error {
	err := os.Link(temp, abs)
	switch {
	case err == nil || errors.Is(err, fs.ErrExist) || filepath.Dir(temp) != filepath.Dir(abs):
		return err
	case exists(abs):
		return fs.ErrExist
	}
	return rename(temp, abs)
}

// writeWhole is writeTempPerm for a name under which recovery must not find a
// part of the content.
func writeWhole(path string, data []byte, perm os.FileMode) error {
	part := path + partSuffix
	_ = os.Remove(part)
	if err := writeTempPerm(part, data, perm, (*os.File).Sync); err != nil {
		return err
	}
	return rename(part, path)
}

const partSuffix = ".part"

func copyBeside(temp, beside string) error {
	st, err := os.Stat(temp)
	if err != nil {
		return err
	}
	b, err := os.ReadFile(temp)
	if err != nil {
		return err
	}
	return writeWhole(beside, b, st.Mode().Perm())
}

// syncFiles makes the names of all touched files durable, and in the same round
// what had to be changed in the index.
func (w *writer) syncFiles() error {
	var g errgroup.Group
	g.Go(w.refillIndex)
	dirs := slices.Clone(w.folders)
	for _, f := range w.journal.Files {
		dirs = append(dirs, path.Dir(f.Path))
	}
	for i, dir := range dirs {
		dirs[i] = filepath.Join(w.r.top, filepath.FromSlash(dir))
	}
	g.Go(func() error { return syncDirs(dirs) })
	return g.Wait()
}
