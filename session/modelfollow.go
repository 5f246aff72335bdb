package session

import (
	"context"
	"slices"
	"time"

	"github.com/memhtml-ls/memhtml-ls/index"
	"github.com/memhtml-ls/memhtml-ls/internal/failure"
)

// A model that fails is asked again after modelPause, and after twice as long each
// time, up to modelLongestPause.
const (
	modelPause        = 2 * time.Second
	modelLongestPause = 5 * time.Minute
)

// FollowModel gets the vectors of what is new in the root until ctx ends; it
// returns at once where no model is chosen. It asks nobody anything while a
// buffer of the root has unsaved changes.
func (r *Root) FollowModel(ctx context.Context) {
	if r.model == nil {
		return
	}
	timer := time.NewTimer(0)
	defer timer.Stop()
	var failing time.Duration
	var retryAt time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case <-r.model.wake:
		case <-timer.C:
		}
		if wait := time.Until(retryAt); wait > 0 {
			timer.Reset(wait)
			continue
		}
		err := r.model.round(ctx)
		if err == nil || ctx.Err() != nil {
			failing = 0
			if pause := r.model.source.pause(); pause > 0 {
				timer.Reset(pause)
			}
			continue
		}
		if failing == 0 {
			r.log.Warn("the embedder fails", "err", err)
		}
		failing = min(max(2*failing, modelPause), modelLongestPause)
		retryAt = time.Now().Add(failing)
		timer.Reset(failing)
	}
}

// EmbedAll gets the vectors of all memories of the root at once, for a command. A
// model that fails is a state, see [View.Near], and no failure of the command.
// progress is told how many memories are done.
func (r *Root) EmbedAll(ctx context.Context, progress func(done, total int)) {
	if r.model == nil {
		return
	}
	total := r.model.state().Missing
	for {
		left := r.model.state().Missing
		if progress != nil {
			progress(total-left, total)
		}
		if more, err := r.model.step(ctx); err != nil || !more {
			return
		}
	}
}

// round fetches until nothing is wanted, a buffer is dirty, or the model fails.
func (m *model) round(ctx context.Context) error {
	for {
		if more, err := m.step(ctx); err != nil || !more {
			return err
		}
	}
}

// step fetches one batch and lets the files that it concerns be looked at again.
// more says that another one may be worth it.
func (m *model) step(ctx context.Context) (more bool, err error) {
	view := m.root.View()
	if view.dirty() {
		return false, nil
	}
	paths := m.wanted(view)
	left := len(paths)
	paths = paths[:min(len(paths), m.source.batch())]
	var files []*index.File
	for _, path := range paths {
		if file := view.Snapshot.File(path); isCompared(file) {
			files = append(files, file)
		}
	}
	id, vectors, err := m.source.fetch(ctx, files)
	if failure.CodeOf(err) == failure.Cancelled {
		return false, err
	}
	var touched []string
	moved := false
	if err == nil {
		touched, moved = m.put(id, vectors)
	}
	m.root.reconsider(touched, m.answered(err))
	return err == nil && (moved || len(vectors) > 0 && left > len(files)), err
}

// dirty reports whether a buffer of the View has unsaved changes.
func (v *View) dirty() bool {
	for path, b := range v.buffers {
		if !b.isSaved(v.Snapshot.Disk(path)) {
			return true
		}
	}
	return false
}

// reconsider makes a View with the coverage as it is, in which what may be found
// of some files by their vectors is judged again: of the paths and their
// neighbours, and of all files when all is news. Open files are told first.
func (r *Root) reconsider(paths []string, all bool) {
	if len(paths) == 0 && !all {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	old := r.View()
	next := *old
	next.near = r.model.state()
	r.view.Store(&next)
	open := map[string]bool{}
	for path := range next.buffers {
		open[path] = true
	}
	affected := r.model.touched(paths, all)
	if first := slices.DeleteFunc(slices.Clone(affected), func(path string) bool { return !open[path] }); len(first) > 0 {
		r.tell(Change{View: &next, Affected: first})
	}
	if rest := slices.DeleteFunc(affected, func(path string) bool { return open[path] }); len(rest) > 0 {
		r.tell(Change{View: &next, Affected: rest})
	}
}
