package session

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/memhtml-ls/memhtml-ls/index"
	"github.com/memhtml-ls/memhtml-ls/internal/settings"
)

// eventsRoot is a root that is watched with the setting, and whose poller looks at
// every file so seldom that a file written in place is only found by an event.
type eventsRoot struct {
	*fixture
	mu     sync.Mutex
	warned []string
}

func newEventsRoot(t *testing.T, texts map[string]string) *eventsRoot {
	e := &eventsRoot{fixture: newFixture(t, texts)}
	e.root.options.Warn = func(message string) {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.warned = append(e.warned, message)
	}
	e.configure("on")
	e.root.scanTook.Store(int64(time.Hour))
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		e.root.Watch(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	return e
}

func (e *eventsRoot) configure(word string) {
	layer, problems := settings.Parse([]byte(`{"watch": {"fsnotify": "`+word+`"}}`), settings.User)
	if len(problems) > 0 {
		e.t.Fatal(problems)
	}
	e.root.Configure(layer)
}

// words are what the person was told so far.
func (e *eventsRoot) words() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return strings.Join(e.warned, "\n")
}

func (e *eventsRoot) until(what string, cond func() bool) {
	e.t.Helper()
	ticker, deadline := time.NewTicker(5*time.Millisecond), time.After(20*time.Second)
	defer ticker.Stop()
	for !cond() {
		select {
		case <-ticker.C:
		case <-deadline:
			e.t.Fatalf("waited in vain for %s", what)
		}
	}
}

// has reports whether the View has what is on disk.
func (e *eventsRoot) has(path string) bool {
	text, err := os.ReadFile(filepath.Join(e.dir, path))
	file := e.root.View().Snapshot.Disk(path)
	return err == nil && file != nil && file.Blob == index.BlobOf(text)
}

// The word of the operating system wakes the poller for files that were written in
// place, also in folders that came later.
func TestSystemTellsOfFilesWrittenInPlace(t *testing.T) {
	e := newEventsRoot(t, pools())
	e.write("areas/fresh/gate.html", claim("The gate code is 1", 1))
	e.until("the file in a folder that is new", func() bool { return e.has("areas/fresh/gate.html") })
	e.write("areas/fresh/second.html", claim("The lamp is broken", 1))
	e.until("a second look", func() bool { return e.has("areas/fresh/second.html") })
	e.write("areas/fresh/gate.html", claim("The gate code is 2", 1))
	e.until("what was written in place", func() bool { return e.has("areas/fresh/gate.html") })
	if got := e.words(); got != "" {
		t.Errorf("told %q", got)
	}
}

// A system that refuses is told of once and costs nothing but the word, until the
// setting is turned off and on.
func TestSystemThatTellsOfNoMoreFolders(t *testing.T) {
	was := watchFolder
	t.Cleanup(func() { watchFolder = was })
	watchFolder = func(*fsnotify.Watcher, string) error { return syscall.ENOSPC }
	e := newEventsRoot(t, pools())
	e.until("a word", func() bool { return e.words() != "" })
	for i := range 2 {
		path := fmt.Sprintf("areas/%d.html", i)
		e.write(path, claim("The gate code is 1", 1))
		e.until("the next look", func() bool { return e.has(path) })
	}
	if got := e.words(); strings.Count(got, "\n") > 0 || !strings.Contains(got, "does not tell of more folders") {
		t.Errorf("told %q", got)
	}
}

// Of more folders than are watched the others are found by the poller.
func TestMoreFoldersThanAreWatched(t *testing.T) {
	was := maxWatched
	t.Cleanup(func() { maxWatched = was })
	maxWatched = 1
	e := newEventsRoot(t, pools())
	e.until("a word", func() bool { return strings.Contains(e.words(), "watch.fsnotify: 1 of ") })
	e.write("projects/z/x.html", claim("The gate code is 1", 1))
	e.until("a file in a folder that is not watched", func() bool { return e.has("projects/z/x.html") })
	if got := e.words(); strings.Count(got, "\n") > 0 {
		t.Errorf("told %q", got)
	}
}
