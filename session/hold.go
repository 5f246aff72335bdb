package session

import (
	"context"
	"time"

	"github.com/memhtml-ls/memhtml-ls/store"
)

// While git is at work the disk is on its way to something else: what is read
// then would be read again, and shown and taken back.
const (
	// gitQuiet is how long HEAD and the index must have been as they are; git
	// moves HEAD a moment after it lets go of the index.
	gitQuiet = 250 * time.Millisecond
	// operationQuiet is the same in a merge, a rebase or their like, which go
	// through many commits, and wait for the person where they cannot go on.
	operationQuiet = 2 * time.Second
	// holdLimit bounds a hold: after it a lock that a killed git left behind is
	// taken no notice of, and what takes longer is looked at in between.
	holdLimit = 30 * time.Second
	// holdTick is the time between two looks at git during a hold.
	holdTick = 50 * time.Millisecond
)

// hold knows for how long git has been at work. It belongs to one goroutine.
type hold struct {
	stamp string
	// moved is when HEAD or the index was first seen as stamp, since when the hold
	// began, zero without one.
	moved, since time.Time
}

// on reports whether the disk is to be left alone at the moment.
func (h *hold) on(ctx context.Context, repo *store.Repo, now time.Time) bool {
	if repo == nil {
		return false
	}
	// What cannot be read is the business of the look that follows.
	if stamp, err := repo.Stamp(ctx); err == nil && stamp != h.stamp {
		h.stamp, h.moved = stamp, now
	}
	quiet := gitQuiet
	if operation, err := repo.Operation(ctx); err == nil && operation != "" {
		quiet = operationQuiet
	}
	if !repo.Busy() && now.Sub(h.moved) >= quiet {
		h.since = time.Time{}
		return false
	}
	if h.since.IsZero() {
		h.since = now
	}
	if now.Sub(h.since) < holdLimit {
		return true
	}
	if now.Sub(h.moved) < holdLimit {
		h.since = now
	}
	return false
}
