package main

import (
	"fmt"
	"strconv"
	"sync"
	"time"
)

// A progress line appears only after progressDelay, so that quick work leaves
// no flicker, and changes at most every progressPace.
const (
	progressDelay = 300 * time.Millisecond
	progressPace  = 100 * time.Millisecond
)

// progress is one line on a terminal that says how far some work is.
type progress struct {
	ui   *ui
	what string

	// mu guards what was shown; updates come from many goroutines.
	mu    sync.Mutex
	next  time.Time
	shown bool
}

func (u *ui) progress(what string) *progress {
	return &progress{ui: u, what: what, next: time.Now().Add(progressDelay)}
}

// update shows that done of total are through.
func (p *progress) update(done, total int) {
	if !p.ui.errTerminal || p.ui.quiet {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if now.Before(p.next) {
		return
	}
	p.next, p.shown = now.Add(progressPace), true
	fmt.Fprintf(p.ui.err, "\r\x1b[K%s %s of %s", p.what, thousands(done), thousands(total))
}

// done takes the line away.
func (p *progress) done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown {
		fmt.Fprint(p.ui.err, "\r\x1b[K")
	}
}

// thousands groups the digits of a count.
func thousands(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// counted is "1 file", "2 files".
func counted(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return thousands(n) + " " + one + "s"
}
