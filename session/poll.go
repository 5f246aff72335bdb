package session

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/memhtml-ls/memhtml-ls/index"
)

// The poller looks at git and at the folders often, and at every file now and
// then: only that sees a file that was written in place. Either takes at most one
// part of so many of one core, and its interval is kept within bounds.
const (
	glanceShare   = 20
	glanceFastest = time.Second
	glanceSlowest = 10 * time.Second
	sweepShare    = 40
	sweepFastest  = time.Second
	sweepSlowest  = time.Minute
)

// Watch follows the root until ctx ends. Events of a client or an operating
// system get lost (P55); what the disk looks like does not. It leaves the disk
// alone while git is at work on it.
func (r *Root) Watch(ctx context.Context) {
	timer := time.NewTimer(glanceFastest)
	defer timer.Stop()
	var held hold
	events := events{root: r}
	defer events.stop()
	sweepAt := time.Now().Add(untilSweep(time.Duration(r.scanTook.Load())))
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		case <-r.announced.wake:
		}
		start := time.Now()
		if wait := r.announced.wait(start); wait > 0 {
			timer.Reset(wait)
			continue
		}
		// A killed command may have left git's lock, which is no git at work.
		if !r.unrepaired.Load() {
			r.repairInterrupted(ctx)
		}
		if held.on(ctx, r.repo, start) {
			timer.Reset(holdTick)
			continue
		}
		whole := !start.Before(sweepAt)
		if _, err := r.look(ctx, whole); err != nil && ctx.Err() == nil {
			r.log.Warn("poll the root", "err", err)
		}
		events.follow()
		took := time.Since(start)
		if whole {
			sweepAt = time.Now().Add(untilSweep(took))
			took = 0
		}
		timer.Reset(min(max(took*glanceShare, glanceFastest), glanceSlowest))
	}
}

// untilSweep is how long after a look at every file, which took so long, the next
// one comes.
func untilSweep(took time.Duration) time.Duration {
	return min(max(took*sweepShare, sweepFastest), sweepSlowest)
}

// Poll looks once for changes that nobody announced, in HEAD, in git's index, in
// the repository's settings and in every file, and lets them enter the funnel. A
// commit that a process left half done when it was killed is repaired first.
func (r *Root) Poll(ctx context.Context) (Change, error) { return r.look(ctx, true) }

// look is Poll, or the same for the folders alone.
func (r *Root) look(ctx context.Context, whole bool) (Change, error) {
	r.repairInterrupted(ctx)
	r.looking.Lock()
	defer r.looking.Unlock()
	found, err := index.Scanned{}, error(nil)
	if whole {
		found, err = r.sweep(ctx)
	}
	return r.takeIn(ctx, found, err, whole)
}

// takeIn lets what a sweep found, or else what the folders show now, enter with
// what git says and with what was announced.
func (r *Root) takeIn(ctx context.Context, found index.Scanned, err error, swept bool) (Change, error) {
	r.disk.Lock()
	defer r.disk.Unlock()
	overtaken := r.overtaken
	r.overtaken = nil
	if err != nil {
		return Change{View: r.View()}, err
	}
	r.readSettings()
	read, err := r.readGit(ctx)
	if err != nil {
		return Change{View: r.View()}, err
	}
	if !swept {
		found, err = index.ScanMoved(ctx, r.dir, r.folders, r.rowsIn)
	}
	if r.folders = found.Folders; err != nil {
		return Change{View: r.View()}, err
	}
	r.work.parsed.Add(int64(found.Parsed))
	read.rows = rowsOf(found)
	for path := range overtaken {
		delete(read.rows, path)
	}
	r.readAlso(read.rows, r.announced.take())
	return r.install(nil, read), nil
}

// sweep looks at the stat of every file. It does not hold r.disk meanwhile, so
// that what is saved need not wait for it; what others read since it began is
// newer and gathers in r.overtaken.
func (r *Root) sweep(ctx context.Context) (index.Scanned, error) {
	r.disk.Lock()
	r.overtaken = map[string]bool{}
	r.disk.Unlock()
	return index.Scan(ctx, r.dir, r.knownRows(), nil)
}

// rowsOf is a scan as a reading: nil is a file that is gone.
func rowsOf(found index.Scanned) map[string]*index.Row {
	rows := make(map[string]*index.Row, len(found.Moved)+len(found.Removed))
	for i := range found.Moved {
		rows[found.Moved[i].File.Path] = &found.Moved[i]
	}
	for _, path := range found.Removed {
		rows[path] = nil
	}
	return rows
}

// rowBatch is how many rows are gathered before a keystroke gets its turn.
const rowBatch = 1024

// knownRows are the files of the disk as they were last read, by path.
func (r *Root) knownRows() []index.Row {
	snapshot := r.View().Snapshot
	rows := make([]index.Row, 0, snapshot.Len())
	for file := range snapshot.DiskFiles() {
		rows = append(rows, index.Row{File: file})
	}
	for batch := range slices.Chunk(rows, rowBatch) {
		r.addStats(batch)
	}
	return rows
}

// rowsIn are the known rows of a folder, as [index.ScanMoved] asks for them.
func (r *Root) rowsIn(folder string) []index.Row {
	snapshot := r.View().Snapshot
	var rows []index.Row
	if file := snapshot.Disk(folder); file != nil && !strings.Contains(folder, "/") {
		rows = append(rows, index.Row{File: file})
	}
	for file := range snapshot.DiskIn(folder) {
		rows = append(rows, index.Row{File: file})
	}
	r.addStats(rows)
	return rows
}

func (r *Root) addStats(rows []index.Row) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range rows {
		rows[i].Stat = r.stats[rows[i].File.Path]
	}
}

// staleness counts against the disk, not against what was announced: how many
// files differ from the View, and whether HEAD is another commit.
func (r *Root) staleness(ctx context.Context) (files int, headMoved bool, err error) {
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
		if was := view.Disk(row.File.Path); was == nil || was.Blob != row.File.Blob || was.Unread != row.File.Unread {
			files++
		}
	}
	for _, path := range found.Removed {
		if view.Disk(path) != nil {
			files++
		}
	}
	return files, headMoved, nil
}
