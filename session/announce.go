package session

import (
	"maps"
	"slices"
	"sync"
	"time"
)

const (
	// announceQuiet is how long nobody must have announced anything before what
	// was announced enters as one change: clients tell of a checkout in many
	// messages.
	announceQuiet = 250 * time.Millisecond
	// announceLimit is how long something announced waits at most, should there
	// be no end of it.
	announceLimit = 2 * time.Second
)

// announcements are the files that others say may differ on disk, and that wait
// for a quiet moment.
type announcements struct {
	// wake holds one token when something waits.
	wake chan struct{}

	mu          sync.Mutex // guards everything below
	paths       map[string]bool
	first, last time.Time
}

// Announce takes in that files may differ on disk. A first word in a quiet moment
// is not kept: it returns true, and the caller lets the files enter with Modify.
// Further ones, and all while git is at work, wait for [Root.Watch], so that a
// checkout is one change.
func (r *Root) Announce(paths []string) (enter bool) {
	now := time.Now()
	busy := r.repo != nil && r.repo.Busy()
	a := &r.announced
	a.mu.Lock()
	defer a.mu.Unlock()
	quiet := len(a.paths) == 0 && now.Sub(a.last) >= announceQuiet
	if a.last = now; quiet && !busy {
		return true
	}
	a.keepLocked(now, paths)
	return false
}

// notice is Announce for those who have nobody to let the files enter: they wait.
func (a *announcements) notice(paths ...string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.last = time.Now()
	a.keepLocked(a.last, paths)
}

// keepLocked lets files wait for Watch. Caller holds mu.
func (a *announcements) keepLocked(now time.Time, paths []string) {
	if len(a.paths) == 0 {
		a.paths, a.first = map[string]bool{}, now
	}
	for _, path := range paths {
		a.paths[path] = true
	}
	select {
	case a.wake <- struct{}{}:
	default:
	}
}

// wait is how long what waits should wait on.
func (a *announcements) wait(now time.Time) time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.paths) == 0 {
		return 0
	}
	return min(a.last.Add(announceQuiet).Sub(now), a.first.Add(announceLimit).Sub(now))
}

// take takes what waits, sorted.
func (a *announcements) take() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	paths := slices.Sorted(maps.Keys(a.paths))
	a.paths = nil
	return paths
}
