package fakeeditor

import (
	"cmp"
	"fmt"
	"strings"
	"time"
)

// Patience is how long a wait lasts before the test fails, if [Config] does not
// say otherwise.
const Patience = 20 * time.Second

// Wait returns once cond holds. It is asked again after every message that
// arrives, and after Patience the test fails naming what was waited for. cond
// may call the editor's own queries.
func (e *Editor) Wait(what string, cond func() bool) {
	e.t.Helper()
	patience := cmp.Or(e.config.Patience, Patience)
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	for {
		changed := e.changes()
		if cond() {
			return
		}
		select {
		case <-changed:
		case <-e.gone:
			if cond() {
				return
			}
			e.t.Fatalf("the server ended before %s", what)
		case <-deadline.C:
			e.t.Fatalf("waited %v in vain for %s", patience, what)
		}
	}
}

// changes returns a channel that is closed when the next message arrives.
func (e *Editor) changes() <-chan struct{} {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.changed
}

// note appends to the wire log and wakes the waiters. Caller holds e.mu.
func (e *Editor) noteLocked(direction string, body []byte) {
	text := string(body)
	if len(text) > 2000 {
		text = text[:2000] + fmt.Sprintf("… (%d bytes)", len(body))
	}
	e.log = append(e.log, fmt.Sprintf("%8.3f %s %s", time.Since(e.started).Seconds(), direction, text))
	close(e.changed)
	e.changed = make(chan struct{})
}

// Log returns the messages so far, one a line, the last 200 of them.
func (e *Editor) Log() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return strings.Join(e.log[max(0, len(e.log)-200):], "\n")
}
