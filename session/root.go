package session

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
	"github.com/memhtml-ls/memhtml-ls/index"
	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/internal/settings"
	"github.com/memhtml-ls/memhtml-ls/store"
)

// Options are what the owner of a root decides.
type Options struct {
	Logger *slog.Logger
	// User are the person's own settings, the last layer on top; see
	// [Root.Configure].
	User []settings.Layer
	// Model is for a root that is asked what the model of User knows. Without it a
	// root keeps no account of vectors.
	Model bool
	// EmbedderKey is sent to the server of a model when User has no key for it.
	EmbedderKey string
	// Warn is told what the person should know about the repository's settings, a
	// sentence each; nil leaves it to the log. It must return at once.
	Warn func(message string)
	// OneCommand is for a root that is opened for one command and ends with it: an
	// Index of every file writes the database meanwhile. Otherwise that is done
	// afterwards, so that nobody waits for it.
	OneCommand bool
	// OnChange is told every new View, in order, while the funnel is held: it
	// must return at once and must not modify the root. After the first Index
	// every file may have something to tell, and only the open ones are named.
	OnChange func(Change)
	// Untrusted is for a root whose repository the person does not vouch for: its
	// settings are not read.
	Untrusted bool
	// Now is the clock of commands; nil means time.Now.
	Now func() time.Time
}

// Root is one memory root: its files, its repository, its open buffers, and the
// View of all of them. All methods are safe for concurrent use.
type Root struct {
	dir     string
	options Options
	log     *slog.Logger
	files   *os.Root
	// repo is nil where there is no repository to commit to; repoErr says why.
	repo    *store.Repo
	repoErr error
	cache   *cache
	claims  claimCache
	// model is nil where the wording alone is looked at.
	model *model
	// committedLast is the last answer of committedFile.
	committedLast atomic.Pointer[committedAnswer]

	view      atomic.Pointer[View]
	ready     chan struct{}
	readyOnce sync.Once

	// recalled are the rows of the last run until the first Index took them.
	recalled     []index.Row
	rememberOnce sync.Once
	// scanTook is how long the first Index looked at the files, in nanoseconds.
	scanTook atomic.Int64

	// unrepaired says that the last repair failed and the log knows.
	unrepaired atomic.Bool

	// rebuilt is why the index was built from every file, nil when it was not.
	rebuilt atomic.Pointer[string]
	// work counts what was done since the root was opened.
	work work
	// announced are the files that others say may differ on disk.
	announced announcements
	// looking is held over one look at the disk; it is taken before disk.
	looking sync.Mutex

	// disk is held over every pass that reads the tree or git and guards what
	// follows it; it is taken before mu.
	disk sync.Mutex
	// gitStamp is the last look at HEAD and the index file.
	gitStamp string
	// folders are what the folders looked like when their names were last read.
	folders index.Folders
	// overtaken, while a sweep is under way, are the paths that others have read.
	overtaken map[string]bool
	// settingsStamp is the last look at the repository's settings, and
	// settingsProblems what was wrong with them.
	settingsStamp    string
	settingsProblems []settings.Problem

	// mu guards the making of the next View and what follows it.
	mu sync.Mutex
	// shared and own are the layers of the settings: the repository's and the
	// person's.
	shared settings.Layer
	own    []settings.Layer
	// head is the commit whose tree File.Tracked speaks of.
	head store.Head
	// moves are the claims that wait to be compared.
	moves claimMoves
	// openings counts opened buffers, for File.Incoming.
	openings uint64
	// stats are what the files on disk looked like when they were read.
	stats map[string]index.Stat
	// headOnly holds the paths of HEAD's tree that are not on disk.
	headOnly map[string]bool
	// unmerged holds the paths with conflict stages in git's index.
	unmerged map[string]bool
}

// Open opens the memory root at dir without reading its files; Index does that.
// A commit that a killed process left half done is repaired first. A folder
// without a repository opens too: findings work there, commands say why they
// cannot (format.md §1).
func Open(ctx context.Context, dir string, options Options) (*Root, error) {
	dir, err := filepath.Abs(dir)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return nil, failure.New(failure.PathNotFound, "There is no folder %s.", diagnostics.Shown(dir)).Wrap(err)
	}
	files, err := os.OpenRoot(dir)
	if err != nil {
		return nil, failure.New(failure.PathNotFound, "%s is not a folder that can be read.", diagnostics.Shown(dir)).Wrap(err)
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	if options.Logger == nil {
		options.Logger = slog.New(slog.DiscardHandler)
	}
	r := &Root{
		dir: dir, options: options, files: files, ready: make(chan struct{}),
		log: options.Logger.With("root", dir), own: options.User,
		stats: map[string]index.Stat{}, headOnly: map[string]bool{}, unmerged: map[string]bool{},
	}
	r.announced.wake = make(chan struct{}, 1)
	r.moves = claimMoves{claims: map[string]bool{}, wake: make(chan struct{}, 1)}
	chosen := newChosen(settings.Resolve(options.User...))
	r.view.Store(&View{
		Snapshot: index.New(), today: r.today(), root: r, buffers: map[string]*buffer{},
		chosen: chosen, near: wordingState(chosen.settings.Embedder),
	})
	r.readSettings()
	r.cache = newCache(r)
	r.openRepository(ctx)
	if options.Model {
		r.chooseModel()
	}
	return r, nil
}

func (r *Root) openRepository(ctx context.Context) {
	repo, err := store.Open(ctx, r.dir, store.Options{Hooks: r.hooks})
	if err != nil {
		r.repoErr = err
		return
	}
	r.repo = repo
	r.repair(ctx)
}

// repair finishes or forgets a commit that was cut short. That it cannot is told
// once, not at every look.
func (r *Root) repair(ctx context.Context) {
	recovered, err := r.repo.Recover(ctx)
	switch {
	case err != nil && ctx.Err() == nil && !r.unrepaired.Swap(true):
		r.log.Error("repair an interrupted commit", "err", err)
	case err == nil && recovered:
		r.unrepaired.Store(false)
		r.log.Info("repaired an interrupted commit")
	}
}

// repairInterrupted repairs what a process left that was killed in a commit.
func (r *Root) repairInterrupted(ctx context.Context) {
	if r.repo != nil && r.repo.Interrupted() {
		r.repair(ctx)
	}
}

// openCache opens the database in the state folder. Without a repository, or
// when it cannot be opened, the root works from memory alone (R1, R12). A root
// that is opened for one command and never indexed does not pay for it.
func (r *Root) openCache(ctx context.Context) {
	if r.repo != nil {
		r.cache.open(ctx, r.databasePath())
	}
}

// Dir is the absolute folder of the root, links resolved.
func (r *Root) Dir() string { return r.dir }

// Prefix is the path of the root in its repository, with '/'; "" at the top and
// without a repository.
func (r *Root) Prefix() string {
	if r.repo == nil {
		return ""
	}
	return r.repo.Prefix()
}

// View is what the root knows at this moment.
func (r *Root) View() *View { return r.view.Load() }

// Ready is closed when the first Index has finished.
func (r *Root) Ready() <-chan struct{} { return r.ready }

// indexed reports whether the first Index has finished.
func (r *Root) indexed() bool {
	select {
	case <-r.ready:
		return true
	default:
		return false
	}
}

// repository returns the repository, or why there is none to commit to.
func (r *Root) repository() (*store.Repo, error) {
	if r.repo == nil {
		return nil, r.repoErr
	}
	return r.repo, nil
}

// NoCommits says why no command can commit here, and "" when one can.
func (r *Root) NoCommits() string {
	var known *failure.Error
	switch {
	case r.repo != nil:
		return ""
	case errors.As(r.repoErr, &known):
		return known.Message
	default:
		return "This folder has no git repository."
	}
}

// Flush writes what the database has not seen, as long as that may take; Close
// gives up after a while.
func (r *Root) Flush(ctx context.Context) error {
	if r.cache.handle() == nil {
		return nil
	}
	return r.cache.flush(ctx)
}

// Close writes what the database has not seen and lets go of everything. The
// tree is not touched (P17).
func (r *Root) Close() error {
	err := r.cache.close()
	r.recordLate()
	if r.repo != nil {
		err = errors.Join(err, r.repo.Close())
	}
	return errors.Join(err, r.files.Close())
}
