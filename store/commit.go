package store

import (
	"context"
	"errors"
	"os"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
)

// errMoved says that HEAD is not what the commit was derived from any more.
var errMoved = errors.New("HEAD moved")

// ErrMoved is in the chain of the refusal of a commit that other commits were
// faster than, twice: nothing was changed, and a command that decides anew may
// be repeated.
var ErrMoved = errMoved

// attempt is one try at a plan: everything that was read, and what was made of
// it, until the locks are taken.
type attempt struct {
	r        *Repo
	plan     Plan
	settings settings
	who      identity
	root     *os.Root
	// hooks are the files of those that will run, by name.
	hooks map[string]string
	// token marks what this attempt leaves on the disk until it is done.
	token string

	paths    []*touched
	head     Head
	headTree oid
	// indexAhead waits for the index that was read while git answered; nil
	// once it was taken, and then the index is read where it is needed.
	indexAhead     func() (*indexFile, error)
	index          *indexFile
	attributeBlobs map[string]oid

	objects []newObject
	// dirs are folders of objects whose names are not durable yet, and a file
	// that git has written.
	dirs []string
	tree oid
	// message is the text of the commit, as hooks leave it.
	message string
	commit  oid
	patched *patchedIndex
	journal *journal
}

// Commit carries out a plan as exactly one commit on HEAD, or refuses it and
// leaves files, index, references and logs as they were. Once the reference
// has moved it can no longer be cancelled. A process that dies in between is
// repaired by the next Commit or Recover of the same worktree.
func (r *Repo) Commit(ctx context.Context, p Plan) (res Result, err error) {
	asked := r.askSettings(ctx)
	err = r.exclusive(ctx, func() (err error) {
		index := r.readIndexAhead(ctx)
		defer index() // nothing of it outlives a refusal
		res, err = r.commitHeld(ctx, p, asked, index)
		return err
	})
	return res, err
}

// Exclusive runs work while no other process of ours writes to the worktree,
// for a command whose plan rests on more than the files it names, such as "no
// file says this yet". work commits with commit, as often as it likes, and
// must not call Commit. A process that died in between is repaired first. Git is
// asked for its settings, and the index is read, while work reads, because most
// work ends in a commit.
func (r *Repo) Exclusive(ctx context.Context, work func(commit func(Plan) (Result, error)) error) error {
	asking, stop := context.WithCancel(ctx)
	defer stop()
	asked := r.askSettings(asking)
	return r.exclusive(ctx, func() error {
		index := r.readIndexAhead(asking)
		defer index() // nothing of it outlives a refusal
		return work(func(p Plan) (Result, error) {
			if asked == nil {
				asked, index = r.askSettings(ctx), r.readIndexAhead(ctx)
			}
			first, ahead := asked, index
			asked = nil
			return r.commitHeld(ctx, p, first, ahead)
		})
	})
}

func (r *Repo) exclusive(ctx context.Context, work func() error) error {
	release, err := r.lockWriter(ctx)
	if err != nil {
		return err
	}
	defer release()
	if _, err := r.recover(ctx); err != nil {
		return err
	}
	return work()
}

// commitHeld is Commit for a caller that holds the writer lock.
func (r *Repo) commitHeld(ctx context.Context, p Plan, asked func() (settings, identity, error), index func() (*indexFile, error)) (Result, error) {
	paths, err := r.gather(p)
	if err != nil {
		return Result{}, err
	}
	root, err := os.OpenRoot(r.top)
	if err != nil {
		return Result{}, storageFailure(err)
	}
	defer root.Close()
	first := &attempt{r: r, plan: p, root: root, paths: paths, indexAhead: index}
	if err := first.readPaths(ctx); err != nil {
		return Result{}, err
	}
	if first.settings, first.who, err = asked(); err != nil {
		return Result{}, err
	}
	if err := r.checkOperation(ctx); err != nil {
		return Result{}, err
	}
	if first.hooks, err = r.findHooks(ctx, first.settings); err != nil {
		return Result{}, err
	}
	res, err := first.run(ctx)
	if !errors.Is(err, errMoved) {
		return res, err
	}
	return first.again(ctx)
}

// askSettings starts the questions to git and returns how to wait for the
// answers, so that they cost no time beside the reading of files.
func (r *Repo) askSettings(ctx context.Context) func() (settings, identity, error) {
	type answer struct {
		s   settings
		who identity
		err error
	}
	ch := make(chan answer, 1)
	go func() {
		var a answer
		if a.err = r.checkOwner(ctx); a.err == nil {
			a.s, a.err = r.readSettings(ctx)
		}
		if a.err == nil {
			a.who, a.err = r.identity(ctx, a.s)
		}
		ch <- a
	}()
	return func() (settings, identity, error) {
		a := <-ch
		if a.err != nil && ctx.Err() != nil {
			a.err = cancelled(ctx.Err())
		}
		return a.s, a.who, a.err
	}
}

// again is the one repetition after HEAD moved. It is made only where the new
// commit left the touched paths alone.
func (a *attempt) again(ctx context.Context) (Result, error) {
	paths, err := a.r.gather(a.plan)
	if err != nil {
		return Result{}, err
	}
	b := &attempt{r: a.r, plan: a.plan, settings: a.settings, who: a.who, root: a.root, hooks: a.hooks, paths: paths}
	before := a.headBlobs()
	conflict := func(err error) (Result, error) {
		return Result{}, failure.New(failure.WriteConflict, "Another commit was made at the same moment.").
			Suggest("Look at the result and repeat the command.").Wrap(err)
	}
	if err := b.readPaths(ctx); err != nil {
		return Result{}, err
	}
	for path, id := range b.headBlobs() {
		if before[path] != id {
			return conflict(errMoved)
		}
	}
	res, err := b.run(ctx)
	if errors.Is(err, errMoved) {
		return conflict(err)
	}
	return res, err
}

func (a *attempt) headBlobs() map[string]oid {
	blobs := map[string]oid{}
	for _, t := range a.paths {
		blobs[t.path] = t.head.id
	}
	return blobs
}

// run reads the index, derives and writes, once the paths are read.
func (a *attempt) run(ctx context.Context) (Result, error) {
	var err error
	if a.index, err = a.takeIndex(ctx); err != nil {
		return Result{}, err
	}
	if err := a.checkIndex(); err != nil {
		return Result{}, err
	}
	err = a.derive(ctx)
	if err == nil && ctx.Err() != nil {
		err = cancelled(ctx.Err())
	}
	if err != nil {
		_ = a.r.clearTemps() // of hooks and signing
		return Result{}, err
	}
	w, err := a.newWriter()
	if err != nil {
		return Result{}, storageFailure(err)
	}
	if err := w.write(ctx); err != nil {
		return Result{}, err
	}
	warnings := append(a.r.takeNotices(), w.warnings...)
	res := Result{Commit: a.commit.String(), Uncommitted: a.uncommitted(), Warnings: append(warnings, a.runPostCommit(ctx)...)}
	if a.head.Detached {
		res.Warnings = append(res.Warnings, onNoBranch)
	}
	return res, nil
}

// readPaths fills in what the last commit and the disk have of the touched paths
// and refuses what does not hold. It changes nothing, and needs no settings: git
// is still answering.
func (a *attempt) readPaths(ctx context.Context) (err error) {
	if a.head, err = a.r.Head(ctx); err != nil {
		return err
	}
	if err := checkBranch(a.head); err != nil {
		return err
	}
	a.headTree = oid{}
	if !a.head.Unborn {
		if a.headTree, err = a.r.commitTree(a.head.Commit); err != nil {
			return err
		}
	}
	// Sources first: where both a source is gone and its destination is there,
	// somebody has made this move already, and the source is what says so.
	for _, vacated := range []bool{true, false} {
		for _, t := range a.paths {
			if t.vacated != vacated {
				continue
			}
			if err := t.readDisk(a.root); err != nil {
				return err
			}
		}
	}
	for _, t := range a.paths {
		if err := t.checkHead(a.r, a.headTree); err != nil {
			return err
		}
	}
	return nil
}

// readIndexAhead starts to read the index, which takes about as long as git
// takes to answer, and returns how to wait for it. What changes meanwhile is
// noticed when the index is locked. The writer verifies it.
func (r *Repo) readIndexAhead(ctx context.Context) func() (*indexFile, error) {
	done := make(chan struct{})
	var x *indexFile
	var err error
	go func() {
		defer close(done)
		x, err = r.openIndex(ctx, r.indexPath())
	}()
	return func() (*indexFile, error) {
		<-done
		return x, err
	}
}

func (a *attempt) takeIndex(ctx context.Context) (*indexFile, error) {
	take := a.indexAhead
	if a.indexAhead = nil; take == nil {
		return a.r.readIndex(ctx)
	}
	return take()
}

// derive makes the objects of the commit and the index that goes with it.
func (a *attempt) derive(ctx context.Context) error {
	if err := a.deriveTree(); err != nil {
		return err
	}
	a.token, a.message = newToken(), a.withUncommitted(a.plan.Message).text()
	if err := a.runHooks(ctx); err != nil {
		return err
	}
	if err := a.seal(ctx); err != nil {
		return err
	}
	return a.patchIndex()
}

// deriveTree makes the blobs and trees of the commit.
func (a *attempt) deriveTree() error {
	var edits []treeEdit
	a.objects = nil
	for _, t := range a.paths {
		switch {
		case t.commits():
			o := newObject{kind: plumbing.BlobObject, data: t.blob, id: t.blobID}
			a.objects = append(a.objects, o)
			edits = append(edits, treeEdit{path: t.path, mode: t.wantMode(a.settings), id: o.id})
		case t.inHead():
			edits = append(edits, treeEdit{path: t.path})
		}
	}
	tree, err := a.r.deriveTree(a.headTree, edits, &a.objects)
	if err != nil {
		return err
	}
	if tree == (oid{}) {
		tree = hashObject("tree", nil)
		a.objects = append(a.objects, newObject{kind: plumbing.TreeObject, id: tree})
	}
	if tree == a.headTree {
		return failure.New(failure.GitState, "The last commit holds this already; there is nothing to commit.")
	}
	a.tree = tree
	return nil
}

// patchIndex encodes the new index from the one that was read.
func (a *attempt) patchIndex() (err error) {
	a.patched, err = a.index.patch(a.indexEdits(), newSmudge(a.root, a.index).racy)
	return err
}

func (a *attempt) indexEdits() []indexEdit {
	var edits []indexEdit
	for _, t := range a.paths {
		_, after := t.marks(a.settings)
		edits = append(edits, after.edit(t.path))
	}
	return edits
}
