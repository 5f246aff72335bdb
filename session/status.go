package session

import (
	"context"
)

// Status is the data of "status.report" (cli.md). Nothing here needs a network
// or waits for the index.
type Status struct {
	Root string `json:"root"`
	// Head is the commit the index speaks of, nil without one.
	Head *string `json:"head"`
	// Fresh says that HEAD and the disk are what the index holds; StaleBy is
	// how many files differ, counted against the disk.
	Fresh   bool `json:"fresh"`
	StaleBy int  `json:"staleBy"`
	// Indexed is false until the first pass over the root has finished.
	Indexed bool `json:"indexed"`
	// Pending is how many changes the database has not seen.
	Pending int `json:"pending"`
	// Commits is why no command can commit here, absent when one can.
	Commits string `json:"commits,omitempty"`
	// Database is why the database is not used or behind, absent when it is fine.
	Database string `json:"database,omitempty"`
	Counts   Counts `json:"counts"`
}

// Counts are what the root holds.
type Counts struct {
	Files    int `json:"files"`
	Eligible int `json:"eligible"`
	Archived int `json:"archived"`
	Open     int `json:"open"`
}

// Status reports the state of the root; it reads the disk's folders and stats
// but no file.
func (r *Root) Status(ctx context.Context) (Status, error) {
	view := r.View()
	status := Status{
		Root: r.dir, Indexed: r.indexed(), Commits: r.NoCommits(),
		Database: r.cache.problem(), Pending: r.cache.waiting(),
	}
	for file := range view.Snapshot.All() {
		status.Counts.Files++
		if file.Eligible() {
			status.Counts.Eligible++
		}
		if file.Archived() {
			status.Counts.Archived++
		}
	}
	status.Counts.Open = len(view.buffers)
	stale, headMoved, err := r.staleness(ctx)
	if err != nil {
		return status, err
	}
	if head := r.Head(); head.Commit != "" {
		status.Head = &head.Commit
	}
	status.StaleBy, status.Fresh = stale, stale == 0 && !headMoved && status.Indexed
	return status, nil
}
