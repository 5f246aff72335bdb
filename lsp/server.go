package lsp

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
	"github.com/memhtml-ls/memhtml-ls/session"
)

// server is one conversation with one client.
type server struct {
	unimplemented
	options Options
	log     *slog.Logger
	client  *client
	life    life

	// work ends when the client is gone; background counts what runs under it.
	work       context.Context
	background sync.WaitGroup

	// These are set by initialize, before anything else runs, and only read
	// after that.
	capabilities capabilities
	folders      []string

	choices choices
	// firstLevel is what the log was started with.
	firstLevel slog.Level

	initializedOnce sync.Once

	// rootOpening is held while a root is opened and made known.
	rootOpening sync.Mutex

	// folderChanges is held over one change of the workspace folders, and
	// guards watching, the id of the registration that is in force.
	folderChanges sync.Mutex
	watching      string

	session   *session.Session
	names     *spellings
	diagnoser *diagnoser
	// publisher is set by initialize; pulled is its channel for clients that
	// pull, and nil for those that are pushed to.
	publisher *publisher
	pulled    *pulled
	// maxFiles is how many closed files show findings.
	maxFiles atomic.Int64
	// published is how many sets of findings the client was told.
	published atomic.Int64
	// leftOut is the number of files with findings that are not shown.
	leftOut atomic.Int64
	// statusSending is held while a status is made and sent, so that the last one
	// is the newest.
	statusSending sync.Mutex

	// opened is closed when the folders of initialize have been looked at.
	opened chan struct{}

	// mu guards documents and roots. It is held while a buffer enters the
	// session, so that the session sees what the client sent in its order.
	mu sync.Mutex
	// documents are the open ones by uri as the client spells it; holders finds
	// the one that speaks for a real path.
	documents map[string]*document
	holders   map[string]*document
	roots     map[string]*root
	openings  int
}

func newServer(work context.Context, options Options) *server {
	s := &server{
		options: options, log: options.Logger, work: work, firstLevel: levelOf(options.Level),
		life:  life{exit: make(chan int, 1)},
		names: newSpellings(), opened: make(chan struct{}),
		documents: map[string]*document{}, holders: map[string]*document{}, roots: map[string]*root{},
	}
	s.diagnoser = newDiagnoser(s)
	s.session = session.New(func(dir string) session.Options {
		return session.Options{
			Logger: options.Logger, User: s.choices.in(dir), Untrusted: s.capabilities.untrusted,
			// Which of several roots is meant, its folder tells.
			Warn:     func(message string) { s.warn(diagnostics.Shown(filepath.Base(dir)) + "/" + message) },
			OnChange: func(change session.Change) { s.diagnoser.changed(dir, change.Affected) },
		}
	})
	return s
}

// start runs f in the background until the work ends. A panic in it is logged
// and ends only f.
func (s *server) start(what string, f func(ctx context.Context)) {
	s.background.Add(1)
	go func() {
		defer s.background.Done()
		defer recovered(s.log, what)
		f(s.work)
	}()
}

// close lets go of the roots after all work has ended.
func (s *server) close() {
	if err := s.session.Close(); err != nil && !errors.Is(err, context.Canceled) {
		s.log.Error("closing the roots", "error", err)
	}
}
