package session

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/memhtml-ls/memhtml-ls/index"
	"github.com/memhtml-ls/memhtml-ls/store"
)

// Recall makes a View of what the last run knew, before any file was looked at, so
// that an editor has something to show meanwhile. It is provisional: Ready stays
// open, no command believes it, and the Index that has to follow corrects it. It
// reports whether there was anything to recall.
func (r *Root) Recall(ctx context.Context) bool {
	if r.remember(ctx); len(r.recalled) == 0 {
		return false
	}
	r.disk.Lock()
	defer r.disk.Unlock()
	r.replaceDisk(r.recalled, nil)
	return true
}

// Index makes the first View of the whole root: the rows of the last run, and
// from the disk what moved since. It is called once; Ready is closed when it
// has succeeded. progress may be nil and may be called from any goroutine.
func (r *Root) Index(ctx context.Context, progress func(done, total int)) error {
	return r.build(ctx, func() []index.Row {
		r.remember(ctx)
		rows := r.recalled
		r.recalled = nil
		return rows
	}, progress)
}

// remember reads the rows of the last run into recalled, once. Why there are none
// is kept for the status.
func (r *Root) remember(ctx context.Context) {
	r.rememberOnce.Do(func() {
		r.openCache(ctx)
		rows, why := r.lastRows(ctx)
		if r.recalled = rows; why != "" {
			r.log.Info("read every file for the index", "why", why)
			r.rebuilt.Store(&why)
		}
	})
}

// lastRows are the rows of the last run, or why they are not believed. Of an
// index that has a commit from somewhere else nobody knows what it is of.
func (r *Root) lastRows(ctx context.Context) (rows []index.Row, why string) {
	rows, mark, why := r.cache.load(ctx)
	if why != "" || r.repo == nil {
		return nil, why
	}
	head, err := r.repo.Head(ctx)
	if err == nil {
		_, err = r.repo.Diff(ctx, mark.Head, head.Commit)
	}
	if err != nil {
		return nil, "The index database was of a commit that is not to be had."
	}
	return rows, ""
}

// Rebuild makes the View from the files alone, whatever the database says, and
// writes the database anew.
func (r *Root) Rebuild(ctx context.Context, progress func(done, total int)) error {
	r.openCache(ctx)
	return r.build(ctx, func() []index.Row { return nil }, progress)
}

// build makes the View of the files and of what recall says is known of them, which
// is asked while they are looked for.
func (r *Root) build(ctx context.Context, recall func() []index.Row, progress func(done, total int)) error {
	r.disk.Lock()
	defer r.disk.Unlock()
	head, err := r.readHead(ctx)
	if err != nil {
		return err
	}
	first := firstScan{root: r, head: head, recall: recall, progress: progress}
	if err := first.run(ctx); err != nil {
		return err
	}
	found, tracked := first.found, first.tracked
	r.folders = found.Folders
	r.work.parsed.Add(int64(found.Parsed))
	r.work.passes.Add(1)
	retracked := r.track(found.Rows, tracked)
	r.replaceDisk(found.Rows, tracked)
	r.setHead(head)
	r.readyOnce.Do(func() { close(r.ready) })
	if first.written != nil {
		return nil
	}
	defer r.cache.mark(head.Commit)
	if len(first.known) == 0 {
		r.cache.replace(found.Rows)
		return nil
	}
	for _, row := range append(found.Moved, retracked...) {
		r.cache.put(row)
	}
	for _, path := range found.Removed {
		r.cache.remove(path)
	}
	return nil
}

// readHead reads where HEAD and git's index stand, before the files are read,
// so that what moves meanwhile is seen by the next poll.
func (r *Root) readHead(ctx context.Context) (store.Head, error) {
	if r.repo == nil {
		return store.Head{}, nil
	}
	stamp, err := r.repo.Stamp(ctx)
	if err != nil {
		return store.Head{}, err
	}
	head, err := r.repo.Head(ctx)
	if err != nil {
		return store.Head{}, err
	}
	unmerged, err := r.readUnmerged(ctx)
	if err != nil {
		return store.Head{}, err
	}
	r.gitStamp = stamp
	r.mu.Lock()
	r.unmerged = unmerged
	r.mu.Unlock()
	return head, nil
}

// firstScan looks at all files, and meanwhile at the rows of the last run and at
// which paths are in the tree of a commit, which does not change.
type firstScan struct {
	root     *Root
	head     store.Head
	recall   func() []index.Row
	progress func(done, total int)

	known   []index.Row
	found   index.Scanned
	tracked map[string][20]byte
	// written is not nil when the rows are written while they are read.
	written *along
}

func (s *firstScan) run(ctx context.Context) error {
	group, inner := errgroup.WithContext(ctx)
	listed := make(chan struct{})
	group.Go(func() (err error) {
		defer close(listed)
		if s.root.repo != nil {
			s.tracked, err = s.root.repo.Tracked(inner, s.head.Commit)
		}
		return err
	})
	group.Go(func() error { return s.scan(ctx, inner, listed) })
	err := group.Wait()
	if s.written != nil {
		s.written.end(err)
	}
	return err
}

// scan looks at the files. Writing them has the context of the whole, which goes on
// when the scan is over; listed is closed when tracked is there.
func (s *firstScan) scan(whole, ctx context.Context, listed <-chan struct{}) error {
	start := time.Now()
	var walked *index.Walked
	var walk errgroup.Group
	walk.Go(func() (err error) {
		walked, err = index.Walk(s.root.dir)
		s.root.scanTook.Store(int64(time.Since(start)))
		return err
	})
	s.known = s.recall()
	if err := walk.Wait(); err != nil {
		return err
	}
	defer walked.Close()
	if len(s.known) == 0 && s.root.options.OneCommand {
		s.written = s.root.cache.replaceAlong(whole, s.head.Commit)
	}
	start = time.Now()
	var err error
	if s.written == nil {
		s.found, err = walked.Scan(ctx, s.known, s.progress)
	} else {
		s.found, err = walked.ScanAll(ctx, s.progress, func(rows []index.Row) {
			<-listed
			s.root.track(rows, s.tracked)
			s.written.rows.Add(rows)
		})
	}
	s.root.scanTook.Add(int64(time.Since(start)))
	return err
}

// track sets what git says of each file and returns the rows for which that is
// not what the database has.
func (r *Root) track(rows []index.Row, tracked map[string][20]byte) []index.Row {
	var moved []index.Row
	for i, row := range rows {
		if row.File == nil {
			continue
		}
		_, in := tracked[row.File.Path]
		if row.File.Tracked == in && row.File.Unmerged == r.unmerged[row.File.Path] {
			continue
		}
		rows[i].File = row.File.With(in, r.unmerged[row.File.Path], 0)
		moved = append(moved, rows[i])
	}
	return moved
}

// replaceDisk installs a whole reading of the disk under the open buffers. The
// Change names these alone: which other files have something to tell is a question
// for the View, and costs a look at each of them.
func (r *Root) replaceDisk(rows []index.Row, tracked map[string][20]byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	old := r.View()
	files := make([]*index.File, len(rows))
	r.stats = make(map[string]index.Stat, len(rows))
	for i, row := range rows {
		files[i] = row.File
		r.stats[row.File.Path] = row.Stat
		delete(tracked, row.File.Path)
	}
	r.headOnly = make(map[string]bool)
	for path := range tracked {
		r.headOnly[strings.Clone(path)] = true
	}
	snapshot := index.Build(files)
	buffers := maps.Clone(old.buffers)
	open := map[string]*index.File{}
	for path, b := range buffers {
		disk := snapshot.Disk(path)
		buffers[path] = b.leftBehind(old.Snapshot.Disk(path), disk).refreshed(path, disk, false)
		open[path] = buffers[path].file
	}
	next := &View{Snapshot: snapshot.Apply(index.Delta{Open: open}), today: r.today(), root: r, buffers: buffers, chosen: old.chosen, near: old.near}
	if r.model != nil {
		r.model.noteAll(next)
		next.near = r.model.state()
	}
	r.view.Store(next)
	r.tell(Change{View: next, Affected: slices.Sorted(maps.Keys(buffers))})
}
