package lsp

import (
	"maps"
	"time"
)

// missedAfter is how long a file that was missed is left alone.
const missedAfter = time.Second

// miss remembers a file that was not on disk what its View says. Mostly a newer
// View is under way and marks it. But git, like many an editor, takes a file away
// and puts the same bytes in its place: that is no change, and what was found
// meanwhile would never be shown.
func (d *diagnoser) miss(key string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.missed == nil {
		d.missed = map[string]bool{}
		time.AfterFunc(missedAfter, d.lookAtMissed)
	}
	d.missed[key] = true
}

func (d *diagnoser) lookAtMissed() {
	d.mark(func() {
		maps.Copy(d.marked, d.missed)
		d.missed = nil
	})
}
