package lsp

import (
	"context"
	"time"

	"go.lsp.dev/protocol"
)

// refreshDelay is how long changes are collected before the client is told to
// ask again. It gives the client time to ask by itself: it does after every
// change of its own.
const refreshDelay = 50 * time.Millisecond

// refreshes remembers what the client was told to ask again for.
type refreshes struct {
	// refreshed are the open documents for which it was.
	refreshed map[string]refresh
	// newsAt is when something last changed that the client does not know,
	// newsTold what that was when it was told to ask for the workspace again.
	newsAt, newsTold time.Time
	// polledAt is when a request for the workspace was last answered, zero before
	// the first.
	polledAt time.Time
}

// refresh is what a document showed when the client was told to ask again.
type refresh struct {
	id string
	at time.Time
}

// refreshWhenStale tells the client to ask again when findings changed that it
// does not ask for by itself: of an open document that was not edited, because
// another file was; and of closed files, when it does not come back to ask for
// the workspace. One request is under way at a time, and none is sent for what
// the client knows.
func (s *server) refreshWhenStale(ctx context.Context) {
	for wait := time.Hour; ; {
		pause(ctx, wait, s.pulled.stale)
		pause(ctx, refreshDelay, nil)
		if ctx.Err() != nil {
			return
		}
		stale := false
		stale, wait = s.pulled.takeStale(time.Now(), s.options.RepollWait)
		if stale {
			// What the client says to it, or that it says nothing, is in the log.
			_ = s.client.call(ctx, protocol.MethodWorkspaceDiagnosticRefresh, nil, nil)
		}
	}
}

// pause returns after a time, when it is woken, or when ctx ends.
func pause(ctx context.Context, atMost time.Duration, wake <-chan struct{}) {
	timer := time.NewTimer(atMost)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-wake:
	case <-ctx.Done():
	}
}

// takeStale reports whether the client has to be told to ask again, once for
// each state of affairs, and after which time to look again unless something
// changes.
func (p *pulled) takeStale(now time.Time, repoll time.Duration) (stale bool, wait time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	stale, wait = p.takeOldLocked(now, repoll)
	if len(p.news) == 0 || p.poll != nil || p.newsTold.Equal(p.newsAt) {
		return stale, wait
	}
	switch {
	case p.related:
	case p.polledAt.IsZero():
		return stale, wait
	default:
		due := p.newsAt
		if p.polledAt.After(due) {
			due = p.polledAt
		}
		if left := due.Add(repoll).Sub(now); left > 0 {
			return stale, min(wait, left)
		}
	}
	p.newsTold = p.newsAt
	return true, wait
}

// takeOldLocked is takeStale for the open documents. One that the client does
// not ask for although it was told to is out of its sight, such as behind a
// closed tab; that is told of with the workspace from then on. Caller holds mu.
func (p *pulled) takeOldLocked(now time.Time, repoll time.Duration) (stale bool, wait time.Duration) {
	wait = time.Hour
	for name := range p.old {
		id, last := p.idLocked(name), p.refreshed[name]
		left := last.at.Add(repoll).Sub(now)
		switch {
		case last.id != id:
			p.refreshed[name], stale, left = refresh{id, now}, true, repoll
		case left <= 0:
			delete(p.documents, name)
			p.compareLocked(name)
			p.wakeLocked()
			continue
		}
		wait = min(wait, left)
	}
	return stale, wait
}
