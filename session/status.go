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
	// Commits is why no command can commit here and what to do, absent when one
	// can. CommitsNotice is what to know of those that can, such as that HEAD is
	// detached, absent for nothing.
	Commits       string `json:"commits,omitempty"`
	CommitsNotice string `json:"commitsNotice,omitempty"`
	// Database is why the database is not used or behind, absent when it is fine.
	Database string `json:"database,omitempty"`
	// Rebuilt is why the index was built from every file when the root was opened,
	// absent when that of the last run was brought up to date.
	Rebuilt string `json:"rebuilt,omitempty"`
	// NearDuplicates is how they are looked for.
	NearDuplicates NearState `json:"nearDuplicates"`
	// LeftOut is how many files with findings an editor does not show because of
	// diagnostics.maxFiles, in all its roots together. Only a server knows it.
	LeftOut int    `json:"leftOut,omitempty"`
	Counts  Counts `json:"counts"`
	Work    Work   `json:"work"`
}

// Counts are what the root holds.
type Counts struct {
	Files    int `json:"files"`
	Eligible int `json:"eligible"`
	Tasks    int `json:"tasks"`
	Archived int `json:"archived"`
	// Refused are the files outside the archive that have format errors or
	// could not be read: they take part in no relation.
	Refused int `json:"refused"`
	Open    int `json:"open"`
	// Inbox is what has no place yet; it is counted above as well.
	Inbox Inbox `json:"inbox"`
}

// Inbox is the depth of the inbox: what was put there because it fits no
// project, area or resource, and waits for somebody to place it.
type Inbox struct {
	Memories int `json:"memories"`
	Tasks    int `json:"tasks"`
}

// Up to so many memories and tasks an inbox is as it should be. The numbers are
// those of memhtml's doctor.
const (
	inboxMemories = 20
	inboxTasks    = 10
)

// Crowded reports whether the inbox has come to be where memories are kept.
func (i Inbox) Crowded() bool { return i.Memories > inboxMemories || i.Tasks > inboxTasks }

// Inbox counts the inbox of the View.
func (v *View) Inbox() (depth Inbox) {
	for file := range v.Snapshot.Below("areas/inbox") {
		if file.Type == "task" {
			depth.Tasks++
		} else {
			depth.Memories++
		}
	}
	return depth
}

// Status reports the state of the root; it reads the disk's folders and stats
// but no file.
func (r *Root) Status(ctx context.Context) (Status, error) {
	view := r.View()
	status := Status{
		Root: r.dir, Indexed: r.indexed(),
		Database: r.cache.problem(), Pending: r.cache.waiting(), NearDuplicates: r.nearState(),
	}
	status.Counts, status.Work = view.Counts(), r.work.report()
	if why := r.rebuilt.Load(); why != nil {
		status.Rebuilt = *why
	}
	status.CommitsNotice, status.Commits = r.obstacle(ctx)
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

// Counts partitions the files of a View.
func (v *View) Counts() Counts {
	counts := Counts{Open: len(v.buffers), Inbox: v.Inbox()}
	for file := range v.Snapshot.All() {
		counts.Files++
		switch {
		case file.Archived():
			counts.Archived++
		case !file.Accepted:
			counts.Refused++
		case file.Eligible():
			counts.Eligible++
		default:
			counts.Tasks++
		}
	}
	return counts
}

// obstacle says what keeps commands from committing until somebody does
// something about it, and else what to know before they do.
func (r *Root) obstacle(ctx context.Context) (notice, why string) {
	if r.repo == nil {
		return "", Refusal(r.repoErr).Sentences()
	}
	notice, err := r.repo.Ready(ctx)
	switch {
	case err != nil:
		return "", Refusal(err).Sentences()
	case r.repo.Busy():
		return "", "Another git command holds the index of this repository. Wait until it is done and try again."
	default:
		return notice, ""
	}
}
