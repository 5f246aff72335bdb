package session

import (
	"context"
	"time"

	"github.com/memhtml-ls/memhtml-ls/index"
)

// The poller spends at most one part in pollShare of one core, and is never
// slower than pollSlowest or faster than pollFastest.
const (
	pollFastest = time.Second
	pollSlowest = time.Minute
	pollShare   = 20
)

// Watch polls the root until ctx ends. Events of a client or an operating
// system get lost (P55); a look at the stat of every file does not, and costs
// little: its interval grows with what it costs.
func (r *Root) Watch(ctx context.Context) {
	timer := time.NewTimer(pollFastest)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		start := time.Now()
		if _, err := r.Poll(ctx); err != nil && ctx.Err() == nil {
			r.log.Warn("poll the root", "err", err)
		}
		timer.Reset(min(max(time.Since(start)*pollShare, pollFastest), pollSlowest))
	}
}

// Poll looks once for changes that nobody announced, in HEAD, in git's index, in
// the repository's settings and in the files, and lets them enter the funnel. A
// commit that a process left half done when it was killed is repaired first.
func (r *Root) Poll(ctx context.Context) (Change, error) {
	if r.repo != nil && r.repo.Interrupted() {
		r.repair(ctx)
	}
	r.disk.Lock()
	defer r.disk.Unlock()
	if r.repo != nil && r.repo.Busy() {
		return Change{View: r.View()}, nil
	}
	r.readSettings()
	read, err := r.readGit(ctx)
	if err != nil {
		return Change{View: r.View()}, err
	}
	found, err := index.Scan(ctx, r.dir, r.knownRows(), nil)
	if err != nil {
		return Change{View: r.View()}, err
	}
	read.rows = make(map[string]*index.Row, len(found.Moved)+len(found.Removed))
	for i := range found.Moved {
		read.rows[found.Moved[i].File.Path] = &found.Moved[i]
	}
	for _, path := range found.Removed {
		read.rows[path] = nil
	}
	return r.install(nil, read), nil
}

// knownRows are the files of the disk as they were last read.
func (r *Root) knownRows() []index.Row {
	r.mu.Lock()
	defer r.mu.Unlock()
	rows := make([]index.Row, 0, len(r.stats))
	for file := range r.View().Snapshot.DiskFiles() {
		rows = append(rows, index.Row{File: file, Stat: r.stats[file.Path]})
	}
	return rows
}

// staleness counts against the disk, not against what was announced: how many
// files differ from the View, and whether HEAD is another commit.
func (r *Root) staleness(ctx context.Context) (files int, headMoved bool, err error) {
	r.disk.Lock()
	defer r.disk.Unlock()
	if r.repo != nil {
		head, err := r.repo.Head(ctx)
		if err != nil {
			return 0, false, err
		}
		headMoved = head.Commit != r.Head().Commit
	}
	found, err := index.Scan(ctx, r.dir, r.knownRows(), nil)
	if err != nil {
		return 0, false, err
	}
	view := r.View().Snapshot
	for _, row := range found.Moved {
		if was := view.Disk(row.File.Path); was == nil || !sameFile(was, row.File) {
			files++
		}
	}
	return files + len(found.Removed), headMoved, nil
}
