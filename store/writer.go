package store

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
)

// writer carries one attempt from its journal to its end. What it has done so
// far is in its fields, so that undo can take back exactly that.
type writer struct {
	*attempt
	indexLock, headLock, refLock gitLock
	logs                         []string
	folders                      []string
	refMoved                     bool
	done                         []*journalFile
	byPath                       map[string]*touched
	warnings                     []string
	made                         []newObject
}

func (a *attempt) newWriter() (*writer, error) {
	w := &writer{attempt: a, byPath: map[string]*touched{}}
	j := &journal{
		Token: a.token, Ref: a.head.ref(), Old: a.head.Commit, New: a.commit.String(),
		Loose: exists(a.r.refPath(a.head.ref())), Folders: w.missingFolders(),
	}
	j.Log = w.logLine()
	for i, t := range a.paths {
		w.byPath[t.path] = t
		f := &journalFile{Path: t.path, Aside: j.Token + ".aside" + strconv.Itoa(i)}
		f.OldEntry, f.NewEntry = t.marks(a.settings)
		if t.vacated {
			f.Old = t.disk.id.String()
			f.Backup = j.Token + ".old" + strconv.Itoa(i)
		}
		if t.taken {
			f.New = hashObject("blob", t.file).String()
			f.Temp = j.Token + ".new" + strconv.Itoa(i)
			f.Perm, f.Kept = uint32(t.wantPerm()), t.kept != nil
		}
		j.Files = append(j.Files, f)
	}
	a.journal = j
	return w, a.r.makeDir(a.r.tempDir())
}

// missingFolders are those that must be made, outermost first.
func (a *attempt) missingFolders() []string {
	var missing []string
	seen := map[string]bool{}
	for _, t := range a.paths {
		if !t.taken {
			continue
		}
		for _, dir := range parents(t.path) {
			if _, err := a.root.Lstat(filepath.FromSlash(dir)); errors.Is(err, fs.ErrNotExist) && !seen[dir] {
				seen[dir] = true
				missing = append(missing, dir)
			}
		}
	}
	return missing
}

// write runs the steps in order. Before the reference moves an error leaves
// nothing behind; after it, what was done is taken back while the locks are
// still held.
func (w *writer) write(ctx context.Context) error {
	err := w.steps(ctx)
	if err == nil {
		w.finish()
		return nil
	}
	if uerr := w.undo(); uerr != nil {
		return failure.New(failure.Storage, "The disk failed in the middle of the commit.").
			Suggest("It is finished or taken back the next time memhtml-ls starts here; free some space first.").
			Wrap(errors.Join(err, uerr))
	}
	if errors.Is(err, errMoved) {
		return err
	}
	return storageFailure(err)
}

func (w *writer) steps(ctx context.Context) error {
	for _, s := range []struct {
		name string
		do   func(context.Context) error
	}{
		{StepWrite, w.writeTemps},
		{StepObjects, w.nameObjects},
		{StepJournal, w.nameJournal},
		{StepIndexLock, w.lockIndex},
		{StepRecheck, w.recheck},
		{StepFolders, w.makeFolders},
		{StepHeadLock, w.lockHead},
		{StepRefLock, w.lockRef},
		{StepReflog, w.logBranch},
		{StepReflogHead, func(context.Context) error { return w.appendLog("HEAD") }},
		{StepRef, w.moveRef},
	} {
		if err := at(s.name); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return cancelled(err)
		}
		if err := s.do(ctx); err != nil {
			return err
		}
	}
	return w.moveFiles()
}

// moveFiles follows the commit point: files, then the index.
func (w *writer) moveFiles() error {
	if err := w.each(StepCreate, func(f *journalFile) bool { return f.Old == "" }, w.createFile); err != nil {
		return err
	}
	if err := w.each(StepReplace, func(f *journalFile) bool { return f.Old != "" && f.New != "" }, w.replaceFile); err != nil {
		return err
	}
	if err := w.each(StepDelete, func(f *journalFile) bool { return f.New == "" }, w.deleteFile); err != nil {
		return err
	}
	if err := at(StepSync); err != nil {
		return err
	}
	if err := w.syncFiles(); err != nil {
		return err
	}
	if err := at(StepIndex); err != nil {
		return err
	}
	return w.moveIndex()
}

func (w *writer) each(step string, which func(*journalFile) bool, do func(*journalFile) error) error {
	for _, f := range w.journal.Files {
		if !which(f) {
			continue
		}
		if err := at(step); err != nil {
			return err
		}
		w.done = append(w.done, f)
		if err := do(f); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) lockIndex(ctx context.Context) (err error) {
	l, err := w.r.lockFile(ctx, filepath.Join(w.r.gitDir, "index"), w.journal.Token)
	if err == nil {
		w.indexLock = l
	}
	return err
}

// recheck holds the plan's expectations against disk, HEAD and index once
// more, now that git cannot change the index.
func (w *writer) recheck(ctx context.Context) error {
	if err := w.checkHeadStill(ctx); err != nil {
		return err
	}
	if err := w.r.checkOperation(ctx); err != nil {
		return err
	}
	for _, t := range w.paths {
		if err := t.unchanged(w.root); err != nil {
			return err
		}
	}
	if w.index.sameFile(w.r.gitDir) {
		return nil
	}
	var err error
	if w.index, err = w.r.readIndex(ctx); err != nil {
		return err
	}
	if err := w.checkIndex(); err != nil {
		return err
	}
	for i, t := range w.paths {
		w.journal.Files[i].OldEntry, w.journal.Files[i].NewEntry = t.marks(w.settings)
	}
	if err := w.patchIndex(); err != nil {
		return err
	}
	if err := os.Remove(w.temp("index")); err != nil {
		return err
	}
	return errors.Join(w.writeIndexTemp((*os.File).Sync), w.r.rewriteJournal(w.journal))
}

func (w *writer) checkHeadStill(ctx context.Context) error {
	head, err := w.r.Head(ctx)
	if err == nil && head != w.head {
		return errMoved
	}
	return err
}

func (w *writer) makeFolders(context.Context) error {
	for _, dir := range w.journal.Folders {
		err := w.root.Mkdir(filepath.FromSlash(dir), 0o777)
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		if err == nil {
			w.folders = append(w.folders, dir)
		}
	}
	return nil
}

// lockHead keeps HEAD on its branch; a detached HEAD is locked as the
// reference itself.
func (w *writer) lockHead(ctx context.Context) (err error) {
	if w.head.Detached {
		return nil
	}
	l, err := w.r.lockFile(ctx, w.r.refPath("HEAD"), w.journal.Token)
	if err == nil {
		w.headLock = l
	}
	return err
}

func (w *writer) lockRef(ctx context.Context) error {
	l, err := w.r.lockFile(ctx, w.r.refPath(w.head.ref()), w.journal.Token)
	if err != nil {
		return err
	}
	w.refLock = l
	if err := w.checkHeadStill(ctx); err != nil || !w.journal.Loose {
		return err
	}
	return w.keepOldRef()
}

// keepOldRef lays the reference's file by for undoRef: a second name for it, or
// a copy where the file system has no links.
func (w *writer) keepOldRef() error {
	if os.Link(w.r.refPath(w.journal.Ref), w.temp("oldref")) == nil {
		return nil
	}
	return writeTemp(w.temp("oldref"), []byte(w.journal.Old+"\n"), 0o666)
}

// moveRef is the commit point.
func (w *writer) moveRef(context.Context) error {
	path := w.r.refPath(w.head.ref())
	if err := rename(w.temp("ref"), path); err != nil {
		return err
	}
	w.refMoved = true
	return syncDir(filepath.Dir(path))
}

// moveIndex puts the index in its place, which git reads from then on.
func (w *writer) moveIndex() error {
	return rename(w.temp("index"), filepath.Join(w.r.gitDir, "index"))
}

// refillIndex brings the index that lies ready up to date where a file is not
// the one that was foreseen. One that the person has replaced since gets empty
// fields, which make git compare its content. The index is younger than all of
// them, or git would compare them every time.
func (w *writer) refillIndex() error {
	stale := false
	for _, f := range w.journal.Files {
		if f.New == "" {
			continue
		}
		st, err := w.root.Lstat(filepath.FromSlash(f.Path))
		if err != nil || !w.written(f, st) {
			st = nil
		}
		stale = w.patched.fill(f.Path, st) || stale
	}
	temp, now := w.temp("index"), time.Now()
	if !stale {
		return os.Chtimes(temp, now, now)
	}
	w.patched.sum()
	return w.patched.overwrite(temp)
}

// written tells whether the file at its place is the one that we put there, with
// the content of the index.
func (w *writer) written(f *journalFile, st fs.FileInfo) bool {
	ours := w.byPath[f.Path].placed
	return ours != nil && !f.Kept && os.SameFile(ours, st) && ours.Size() == st.Size() && ours.ModTime().Equal(st.ModTime())
}

// finish gives the locks back and forgets the journal. The commit is whole by
// now: what fails here is repaired by the next start.
func (w *writer) finish() {
	for _, l := range []gitLock{w.refLock, w.headLock, w.indexLock} {
		if l.path == "" {
			continue
		}
		if err := errors.Join(at(StepUnlock), l.release(w.journal.Token)); err != nil {
			w.warnings = append(w.warnings, "A lock could not be given back; it is removed the next time memhtml-ls starts here.")
			return
		}
	}
	if err := at(StepForget); err == nil {
		_ = w.r.forget()
	}
	_ = at(StepDone)
}

// temp is a file of this commit in the temp folder.
func (w *writer) temp(kind string) string {
	return filepath.Join(w.r.tempDir(), w.journal.Token+"."+kind)
}

func isBranch(name string) bool {
	return strings.HasPrefix(name, "refs/heads/") && validPath(name)
}
