package session

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/fsnotify/fsnotify"
)

// maxWatched is how many folders of a root the operating system is asked about,
// whose own limits all programs share. It is a variable so that tests need not
// make so many.
var maxWatched = watchedOn(runtime.GOOS)

// watchedOn is less where a watched folder costs an open file for each in it.
func watchedOn(system string) int {
	if system == "linux" || system == "windows" {
		return 1000
	}
	return 50
}

// watchFolder asks for word of a folder. It is a variable so that tests can have a
// system that has no more to give.
var watchFolder = (*fsnotify.Watcher).Add

// events brings the word of the operating system to the poller of a root, where
// the person has asked for it. What it names waits like what a client announces.
// Nothing depends on it: events get lost, and the poller looks all the same. It
// belongs to one goroutine.
type events struct {
	root    *Root
	watcher *fsnotify.Watcher
	folders map[string]bool
	// failed says that the system refused, and the person knows; told that they
	// know of the folders that are too many. Either holds until the setting is
	// turned off.
	failed, told bool
	// stopped is closed when nothing of the watcher is heard any more.
	stopped chan struct{}
}

// follow does what the setting says now, for the folders that there are now.
func (e *events) follow() {
	if e.root.Settings().Watch.Fsnotify != "on" {
		e.stop()
		e.failed, e.told = false, false
		return
	}
	if e.failed {
		return
	}
	err := e.start()
	if err == nil {
		err = e.watch(e.root.watchable())
	}
	if err != nil {
		e.stop()
		e.failed = true
		e.root.log.Warn("watch.fsnotify", "err", err)
		e.root.warn("watch.fsnotify: the operating system does not tell of more folders. Changes are found as without it.")
	}
}

func (e *events) start() (err error) {
	if e.watcher != nil {
		return nil
	}
	if e.watcher, err = fsnotify.NewWatcher(); err != nil {
		return err
	}
	e.folders, e.stopped = map[string]bool{}, make(chan struct{})
	go e.listen(e.watcher, e.stopped)
	return nil
}

// watch asks about folders that are not asked about yet, and forgets those that
// are gone, of which the system tells nothing any more.
func (e *events) watch(folders []string) error {
	if len(folders) > maxWatched {
		if !e.told {
			e.told = true
			e.root.warn(fmt.Sprintf("watch.fsnotify: %d of %d folders are watched. Changes in the others are found as without it.",
				maxWatched, len(folders)))
		}
		folders = folders[:maxWatched]
	}
	now := make(map[string]bool, len(folders))
	for _, folder := range folders {
		now[folder] = true
		if e.folders[folder] {
			continue
		}
		if err := watchFolder(e.watcher, e.root.Abs(folder)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	for folder := range e.folders {
		if !now[folder] {
			// It is gone, or there are too many: either way no word is missed.
			_ = e.watcher.Remove(e.root.Abs(folder))
		}
	}
	e.folders = now
	return nil
}

// listen passes on what the system tells. An error of it, an overflow for one,
// says that something was missed, which the poller finds.
func (e *events) listen(watcher *fsnotify.Watcher, stopped chan struct{}) {
	defer close(stopped)
	for {
		select {
		case event, open := <-watcher.Events:
			if !open {
				return
			}
			if path, err := filepath.Rel(e.root.dir, event.Name); err == nil && !event.Has(fsnotify.Chmod) {
				e.root.announced.notice(filepath.ToSlash(path))
			}
		case _, open := <-watcher.Errors:
			if !open {
				return
			}
			e.root.announced.notice(".")
		}
	}
}

// stop ends the watching, if there is any.
func (e *events) stop() {
	if e.watcher == nil {
		return
	}
	if err := e.watcher.Close(); err != nil {
		e.root.log.Debug("stop watching", "err", err)
	}
	<-e.stopped
	e.watcher = nil
}

// watchable are the folders of the root that are looked into, by path.
func (r *Root) watchable() []string {
	r.disk.Lock()
	defer r.disk.Unlock()
	folders := make([]string, 0, len(r.folders))
	for folder := range r.folders {
		folders = append(folders, folder)
	}
	slices.Sort(folders)
	return folders
}
