package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/gofrs/flock"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
)

// Recover finishes or forgets a commit whose process died, and tells whether
// there was one. Call it when a root is opened; Commit does by itself. It
// never touches a file, an index entry or a log line that somebody has changed
// since.
func (r *Repo) Recover(ctx context.Context) (recovered bool, err error) {
	if !exists(r.journalPath()) {
		return false, r.sweep()
	}
	release, err := r.lockWriter(ctx)
	if err != nil {
		return false, err
	}
	defer release()
	return r.recover(ctx)
}

// TakeFinished returns the id of the commit that a repair by this Repo has
// finished last, once; "" for none.
func (r *Repo) TakeFinished() string {
	r.noticesMu.Lock()
	defer r.noticesMu.Unlock()
	id := r.finished
	r.finished = ""
	return id
}

func (r *Repo) setFinished(id string) {
	r.noticesMu.Lock()
	defer r.noticesMu.Unlock()
	r.finished = id
}

// sweep removes the temps of a process that died before its journal. It waits
// for nobody: a living writer has temps too, and clears them itself.
func (r *Repo) sweep() error {
	entries, err := os.ReadDir(r.tempDir())
	if err != nil || len(entries) == 0 {
		return nil
	}
	l := flock.New(r.writerLockPath())
	if ok, err := l.TryLock(); !ok || err != nil {
		return nil
	}
	defer l.Unlock()
	// A writer may have died with its journal since.
	if !exists(r.journalPath()) {
		_ = r.clearTemps()
	}
	return nil
}

// Interrupted reports whether Recover has something to do at once: a journal is
// left and nobody is writing. It costs one look at a file when there is none.
func (r *Repo) Interrupted() bool {
	if !exists(r.journalPath()) {
		return false
	}
	_, held := r.Writer()
	return !held
}

// recovery is one run over a journal.
type recovery struct {
	r    *Repo
	j    *journal
	root *os.Root
	// took is set when the index lock is not the dead process's but our own.
	took bool
	// tree is that of HEAD as it stands now: only what it agrees with is
	// brought to the disk and the index.
	tree oid
}

// recover does the work; the caller holds the writer lock.
func (r *Repo) recover(ctx context.Context) (bool, error) {
	j, err := r.readJournal()
	if errors.Is(err, errJournal) {
		err = r.setJournalAside(err)
		return err == nil, err
	}
	if err != nil {
		return false, recoverFailure(err)
	}
	if j == nil {
		return false, storageOrNil(r.clearTemps())
	}
	root, err := os.OpenRoot(r.top)
	if err != nil {
		return false, recoverFailure(err)
	}
	defer root.Close()
	v := &recovery{r: r, j: j, root: root}
	if err := v.run(ctx); err != nil {
		return false, recoverFailure(err)
	}
	return true, nil
}

func storageOrNil(err error) error {
	if err == nil {
		return nil
	}
	return storageFailure(err)
}

func recoverFailure(err error) error {
	var f *failure.Error
	if errors.As(err, &f) {
		return err
	}
	return failure.New(failure.Storage, "A commit that was cut short could not be finished or taken back.").
		Suggest("Check the free space and the permissions of the git folder, then try again.").Wrap(err)
}

func (v *recovery) run(ctx context.Context) (err error) {
	if err := at(RecoverRead); err != nil {
		return err
	}
	// The long look at the history is taken while git may still work.
	head, forward, err := v.direction(ctx, Head{}, false)
	if err != nil {
		return err
	}
	if err := at(RecoverLock); err != nil {
		return err
	}
	if err := v.lockIndex(ctx); err != nil {
		return err
	}
	defer func() {
		if err != nil && v.took {
			_ = (gitLock{v.r.indexLockPath()}).release(v.j.Token)
		}
	}()
	if head, forward, err = v.direction(ctx, head, forward); err != nil {
		return err
	}
	for _, f := range v.j.Files {
		if err := v.r.settle(f); err != nil {
			return err
		}
	}
	if forward {
		if err = v.forward(ctx, head); err == nil {
			v.r.setFinished(v.j.New)
		}
	} else {
		err = v.back()
	}
	if err != nil {
		return err
	}
	if err := v.unlock(); err != nil {
		return err
	}
	if err := at(RecoverForget); err != nil {
		return err
	}
	v.removeBeside()
	return v.r.forget()
}

// direction tells whether HEAD has the commit; known is what was found out for
// an earlier HEAD.
func (v *recovery) direction(ctx context.Context, before Head, known bool) (Head, bool, error) {
	head, err := v.r.Head(ctx)
	if err != nil || head == before {
		return head, known, err
	}
	forward, err := v.r.builtOn(head.id(), v.j)
	return head, forward, err
}

func (j *journal) newID() oid {
	id, _ := parseOID(j.New)
	return id
}

// lockIndex takes the index lock, or keeps the one that the dead process left.
func (v *recovery) lockIndex(ctx context.Context) error {
	if (gitLock{v.r.indexLockPath()}).holds(v.j.Token) {
		return nil
	}
	_, err := v.r.lockFile(ctx, filepath.Join(v.r.gitDir, "index"), v.j.Token)
	v.took = err == nil
	return err
}

func (r *Repo) indexLockPath() string { return filepath.Join(r.gitDir, "index.lock") }

// unlock removes the locks that carry the journal's token: our own and those
// of the dead process.
func (v *recovery) unlock() error {
	for _, path := range []string{v.r.refPath(v.j.Ref), v.r.refPath("HEAD"), filepath.Join(v.r.gitDir, "index")} {
		if err := errors.Join(at(RecoverUnlock), (gitLock{path + ".lock"}).release(v.j.Token)); err != nil {
			return err
		}
	}
	return nil
}

// back forgets a commit that never was: neither files nor index were touched.
func (v *recovery) back() error {
	if err := at(RecoverReflog); err != nil {
		return err
	}
	id, _, err := v.r.readRef(v.j.Ref)
	if err != nil {
		id = oid{}
	}
	// The commit may be on its branch although HEAD has left it.
	if there, err := v.r.builtOn(id, v.j); err != nil || !there {
		for _, name := range []string{v.j.Ref, "HEAD"} {
			if err := dropLog(v.r.logPath(name), v.j.Log); err != nil {
				return err
			}
		}
	}
	for _, dir := range slices.Backward(v.j.Folders) {
		if err := at(RecoverFolders); err != nil {
			return err
		}
		_ = v.root.Remove(filepath.FromSlash(dir))
	}
	return nil
}

// forward brings files and index to the commit.
func (v *recovery) forward(ctx context.Context, head Head) (err error) {
	if v.tree, err = v.r.commitTree(head.Commit); err != nil {
		return err
	}
	for _, f := range v.order() {
		if err := at(RecoverFile); err != nil {
			return err
		}
		if err := v.file(f); err != nil {
			return err
		}
	}
	if err := at(RecoverIndex); err != nil {
		return err
	}
	return v.index(ctx)
}

// index enters the commit's entries where the index still has the old ones.
func (v *recovery) index(ctx context.Context) error {
	x, err := v.r.readIndex(ctx)
	if err != nil {
		return err
	}
	edits, err := v.indexEdits(x)
	if err != nil || len(edits) == 0 {
		return err
	}
	p, err := x.patch(edits, newSmudge(v.root, x).racy)
	if err != nil {
		return err
	}
	for _, f := range v.j.Files {
		if d, err := readFile(v.root, f.Path); err == nil && !f.Kept && d.id.String() == f.New {
			p.fill(f.Path, d.stat)
		}
	}
	p.sum()
	temp := v.r.tempName(v.j.Token + ".index")
	_ = os.Remove(temp)
	perm := os.FileMode(0)
	if x.stat != nil {
		perm = x.stat.Mode().Perm()
	}
	if err := writeTempPerm(temp, p.bytes(), perm, (*os.File).Sync); err != nil {
		return err
	}
	return rename(temp, filepath.Join(v.r.gitDir, "index"))
}

func (v *recovery) indexEdits(x *indexFile) ([]indexEdit, error) {
	have := map[string]indexMark{}
	for _, f := range v.j.Files {
		have[f.Path] = indexMark{}
	}
	err := x.scan(func(e *indexEntry) error {
		if _, ok := have[string(e.name)]; ok {
			have[string(e.name)] = e.mark()
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var edits []indexEdit
	for _, f := range v.j.Files {
		ok, err := v.agreed(f)
		if err != nil {
			return nil, err
		}
		if ok && have[f.Path] == f.OldEntry && f.OldEntry != f.NewEntry {
			edits = append(edits, f.NewEntry.edit(f.Path))
		}
	}
	return edits, nil
}

// mark is the entry without its stat fields; one of a conflict equals none
// that the store writes.
func (e *indexEntry) mark() indexMark {
	return indexMark{Mode: e.mode, ID: e.id.String(), Flags: e.flags & (flagAssumeValid | flagStage)}
}

func (r *Repo) blob(hex string) ([]byte, error) {
	id, err := parseOID(hex)
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	return r.object(blobObject, id)
}
