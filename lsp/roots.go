package lsp

import (
	"context"
	"log/slog"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/session"
)

// smallRoot is the number of files below which a request waits for the first
// index (cli.md "Server side").
const smallRoot = 2000

// root is an open memory root and how far its first index is.
type root struct {
	*session.Root
	// fed says that the open documents have entered the session; guarded by
	// server.mu. Until then they wait: a buffer that came before its file was
	// read or recalled would count as new.
	fed bool
	// recalled says that open documents are shown what the last run knew.
	recalled atomic.Bool
	// ready is closed when the documents have entered after the first index.
	ready chan struct{}
	// reading is closed when what was saved or touched so far has entered;
	// guarded by server.mu.
	reading chan struct{}
	// indexing is the first index.
	indexing task
	// stop ends the root's background work, stopped is closed when it ended.
	stop    context.CancelFunc
	stopped chan struct{}
}

// openRootOf opens the root that holds path unless it is open, and starts to
// index it. A path without a root is left alone.
//
// Whoever comes second waits until the root is known: it must not be told that
// there is none.
func (s *server) openRootOf(ctx context.Context, path string) {
	s.rootOpening.Lock()
	defer s.rootOpening.Unlock()
	opened, isNew, err := s.session.RootOf(ctx, path)
	if err != nil {
		s.log.Error("a root cannot be opened", "path", path, "error", err)
		return
	}
	if !isNew {
		return
	}
	work, stop := context.WithCancel(s.work)
	r := &root{
		Root: opened, ready: make(chan struct{}), reading: make(chan struct{}),
		stop: stop, stopped: make(chan struct{}),
	}
	close(r.reading)
	s.mu.Lock()
	s.roots[opened.Dir()] = r
	for _, d := range s.documents {
		s.assignLocked(d)
	}
	s.mu.Unlock()
	s.start("index", func(context.Context) {
		defer close(r.stopped)
		s.indexAndWatch(work, r)
	})
}

// indexAndWatch is the life of a root: its first index, then a look at the disk
// now and then.
func (s *server) indexAndWatch(ctx context.Context, r *root) {
	settingsTold := s.awaitSettings(ctx)
	r.indexing.title = "index " + filepath.Base(r.Dir())
	r.indexing.told = func() { s.status(r, "indexing") }
	announced := s.announce(ctx, &r.indexing)
	if r.Recall(ctx) {
		settingsTold()
		s.feedProvisionally(r)
	}
	err := r.Index(ctx, r.indexing.update)
	settingsTold()
	s.feed(r)
	announced(err)
	if err != nil && ctx.Err() == nil {
		s.log.Error("the first index failed", "root", r.Dir(), "error", err)
	}
	s.status(r, "idle")
	var following sync.WaitGroup
	following.Go(func() {
		defer recovered(s.log, "comparing claims")
		s.followClaims(ctx, r)
	})
	r.Watch(ctx)
	following.Wait()
}

// followClaims looks for near-duplicates, once in all memories and from then on
// in what changes. One processor is left to those who wait for an answer.
func (s *server) followClaims(ctx context.Context, r *root) {
	if !isReady(r) {
		return
	}
	cores := max(runtime.NumCPU()-1, 1)
	comparing := &task{title: "compare the claims of " + filepath.Base(r.Dir())}
	end := s.announce(ctx, comparing)
	err := r.CompareClaims(ctx, cores, comparing.update)
	end(err)
	if err == nil {
		r.FollowClaims(ctx, cores)
	}
}

// feedProvisionally lets the open documents see what the last run knew, until the
// first index has looked at the files.
func (s *server) feedProvisionally(r *root) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.fed = true
	r.recalled.Store(true)
	for _, d := range s.inOrderLocked(r) {
		s.enterLocked(d)
	}
}

// feed lets the documents that were opened during the first index enter. Those
// that have entered provisionally do it again: whether somebody edited them was
// decided by what the last run knew of the disk.
func (s *server) feed(r *root) {
	// It takes a quarter of a second among 100,000, in which keys pass.
	marked := s.worthALook(r)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range s.inOrderLocked(r) {
		if r.fed {
			s.enterUnansweredLocked(d)
		} else {
			s.enterLocked(d)
		}
		marked = append(marked, d.key)
	}
	r.fed = true
	s.diagnoser.ready(r, marked)
}

// allReady reports whether every root is known and has its first index.
func (s *server) allReady() bool {
	select {
	case <-s.opened:
	default:
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.roots {
		if !isReady(r) {
			return false
		}
	}
	return true
}

// rootOfLocked returns the innermost open root that holds a real path. Caller
// holds s.mu.
func (s *server) rootOfLocked(real string) (*root, string) {
	var best *root
	for dir, r := range s.roots {
		if _, ok := below(dir, real); ok && (best == nil || len(dir) > len(best.Dir())) {
			best = r
		}
	}
	if best == nil {
		return nil, ""
	}
	rest, _ := below(best.Dir(), real)
	return best, filepath.ToSlash(rest)
}

// rootOf is rootOfLocked for callers that do not hold s.mu.
func (s *server) rootOf(real string) (*root, string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rootOfLocked(real)
}

// await waits for the first index of a small root. A large one, or one that
// takes longer, refuses and says how far it is.
func (s *server) await(ctx context.Context, r *root) error {
	select {
	case <-r.ready:
		return nil
	default:
	}
	if r.indexing.total.Load() < smallRoot {
		timer := time.NewTimer(s.options.IndexWait)
		defer timer.Stop()
		select {
		case <-r.ready:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-timer.C:
		}
	}
	return failure.New(failure.IndexStale, "Indexing %d/%d files.", r.indexing.done.Load(), r.indexing.total.Load()).
		Suggest("Try again in a moment.")
}

// awaitFolders waits, as long as a request may, until the folders that the
// client began with have been looked at. Whether a file is in a root is not known
// before, so that a wait that was cut short is no answer to that.
func (s *server) awaitFolders(ctx context.Context) error {
	timer := time.NewTimer(s.options.IndexWait)
	defer timer.Stop()
	select {
	case <-s.opened:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return failure.New(failure.IndexStale, "The folders are still being opened.").Suggest("Try again in a moment.")
	}
}

// forget closes a root and takes away everything it showed.
func (s *server) forget(r *root) {
	s.mu.Lock()
	delete(s.roots, r.Dir())
	for _, d := range s.documents {
		if d.root == r {
			d.root, d.path = nil, ""
		}
	}
	s.mu.Unlock()
	r.stop()
	<-r.stopped
	s.diagnoser.drop(r.Dir())
	if err := s.session.Forget(r.Root); err != nil {
		s.log.Error("closing a root", "root", r.Dir(), "error", err)
	}
}

// recovered logs a panic in background work, which then ends.
func recovered(log *slog.Logger, what string) {
	if p := recover(); p != nil {
		log.Error("panic in the background", "in", what, "panic", p, "stack", string(debug.Stack()))
	}
}
