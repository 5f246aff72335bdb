package session

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"reflect"
	"slices"
	"time"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
	"github.com/memhtml-ls/memhtml-ls/internal/settings"
	"github.com/memhtml-ls/memhtml-ls/store"
)

// repositorySettings is the file in which a repository sets what it may.
const repositorySettings = ".memhtml/ls.jsonc"

// justWritten is for how long the stat of a file may stay what it is although the
// file is written again, on any file system.
const justWritten = 2 * time.Second

// chosen are the settings of a View, ready for use. It is immutable.
type chosen struct {
	settings settings.Settings
	options  diagnostics.Options
	excluded func(path string) bool
}

func newChosen(s settings.Settings) *chosen {
	return &chosen{settings: s, options: s.Diagnostics.Options(), excluded: s.Diagnostics.Excluder()}
}

// Settings are those that are in force: the defaults, the repository's file over
// them, the person's own on top.
func (r *Root) Settings() settings.Settings { return r.View().chosen.settings }

// Configure replaces the person's own settings. Those that change findings make a
// new View, in which every file that may have one is affected; a commit obeys
// what is in force when it begins.
func (r *Root) Configure(user ...settings.Layer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.own = user
	r.chooseLocked()
}

// chooseLocked puts the settings in force. Caller holds r.mu.
func (r *Root) chooseLocked() {
	old := r.View()
	s := settings.Resolve(slices.Concat([]settings.Layer{r.shared}, r.own)...)
	if reflect.DeepEqual(s, old.chosen.settings) {
		return
	}
	next := &View{Snapshot: old.Snapshot, today: old.today, root: r, buffers: old.buffers, chosen: newChosen(s), near: old.near}
	change := Change{View: next}
	if !reflect.DeepEqual(s.Diagnostics, old.chosen.settings.Diagnostics) {
		// The files are the same: those with findings before are among them.
		for file := range next.Snapshot.All() {
			if !next.Quiet(file) {
				change.Affected = append(change.Affected, file.Path)
			}
		}
	}
	r.view.Store(next)
	r.tell(change)
}

// hooks is what the store does about hooks.
func (r *Root) hooks() store.Hooks { return store.Hooks(r.Settings().Git.Hooks) }

// readSettings reads the repository's file, unless it is what it was when it was
// last read. Problems in it are told when they appear. Caller holds r.disk, or
// nobody knows the root.
func (r *Root) readSettings() {
	if r.options.Untrusted {
		return
	}
	info, err := r.files.Lstat(repositorySettings)
	stamp := settingsStamp(info, err)
	if stamp == r.settingsStamp && stamp != "" {
		return
	}
	r.settingsStamp = stamp
	text, problem := r.settingsText(info, err)
	layer, problems := settings.Parse(text, settings.Repository)
	if problem != "" {
		problems = []settings.Problem{problem}
	}
	for _, problem := range problems {
		if !slices.Contains(r.settingsProblems, problem) {
			r.warn(repositorySettings + ": " + string(problem))
		}
	}
	r.settingsProblems = problems
	r.mu.Lock()
	defer r.mu.Unlock()
	r.shared = layer
	r.chooseLocked()
}

// settingsStamp tells two states of the file apart; "" is one that may change
// unseen.
func settingsStamp(info fs.FileInfo, err error) string {
	switch {
	case err != nil:
		return err.Error()
	case time.Since(info.ModTime()).Abs() < justWritten:
		return ""
	default:
		return fmt.Sprint(info.Mode(), info.Size(), info.ModTime().UnixNano())
	}
}

// settingsText reads the file as one that anybody may have put there: a plain one,
// through no link, and no more of it than settings take.
func (r *Root) settingsText(info fs.FileInfo, err error) ([]byte, settings.Problem) {
	const unreadable settings.Problem = "The settings cannot be read."
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, ""
	case err != nil:
		return nil, unreadable
	case !info.Mode().IsRegular():
		return nil, "The settings are not a plain file, and none of them is read."
	}
	file, err := r.files.Open(repositorySettings)
	if err != nil {
		return nil, unreadable
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, settings.MaxSize+1))
	if err != nil {
		return nil, unreadable
	}
	return text, ""
}

// warn tells the person, or the log where nobody listens.
func (r *Root) warn(message string) {
	if r.options.Warn != nil {
		r.options.Warn(message)
		return
	}
	r.log.Warn(message)
}
