package session

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"time"

	"github.com/memhtml-ls/memhtml-ls/index"
	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/store"
)

// Where a memory comes from stands in three places: in its head, in the trailers
// of the commit, and in the database, which is asked by memory and by session
// (M110-M112). What each command records:
//
//	write, apply       wrote a new memory; reinforced one that says it already
//	correct            wrote the correction, corrected its target
//	supersede, merge   reinforced the winner, corrected the loser
//	update, link       reinforced the memory
//	keep both          reinforced both memories
//	archive            corrected the memory
//
// Undo records nothing and takes nothing back: that a session did it stays true.

// recordLimit bounds how long the end of a command waits to record its session.
const recordLimit = time.Second

// provenance are the trailers that say where a commit comes from (M110).
func provenance(session, prompt string) []store.Trailer {
	var trailers []store.Trailer
	if id := strings.TrimSpace(session); id != "" {
		trailers = append(trailers, store.Trailer{Key: "Memhtml-Session", Value: id})
	}
	if id := strings.TrimSpace(prompt); id != "" {
		trailers = append(trailers, store.Trailer{Key: "Memhtml-Prompt", Value: id})
	}
	return trailers
}

// record notes what a session did with memories at an instant, nothing without a
// session. It is written behind, or when a root that is not indexed is closed; a
// failure is logged and nobody's (M111).
func (r *Root) record(session, at string, kind index.SessionKind, paths ...string) {
	session = strings.TrimSpace(session)
	if session == "" {
		return
	}
	links := make([]index.SessionLink, len(paths))
	for i, path := range paths {
		links[i] = index.SessionLink{Path: path, Session: session, Kind: kind, At: at}
	}
	r.cache.record(links)
}

// recordWrite records one write: a memory that says it already was reinforced,
// whether that changed anything or not.
func (r *Root) recordWrite(d *draft, outcome Outcome, path, at string) {
	kind := index.SessionReinforced
	if outcome == OutcomeCreated {
		kind = index.SessionWrote
	}
	r.record(d.request.SessionID, at, kind, path)
}

// recordBatch records what became of each operation, for its own session.
func (r *Root) recordBatch(a *application, at string) {
	for i, did := range a.results {
		if !did.OK || did.ConsolidatedInto != nil {
			continue
		}
		r.recordWrite(a.drafts[i], did.Action, did.Path, at)
		if did.SupersededPath != "" {
			r.record(a.drafts[i].request.SessionID, at, index.SessionCorrected, did.SupersededPath)
		}
	}
}

// recordCorrection records a correction that was made.
func (r *Root) recordCorrection(session string, did CorrectResult) {
	r.record(session, did.At, index.SessionWrote, did.Path)
	r.record(session, did.At, index.SessionCorrected, did.ArchivedPath)
}

// recordLate writes what a root without an open database has to record.
func (r *Root) recordLate() {
	links := r.cache.unrecorded()
	if len(links) == 0 || r.repo == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), recordLimit)
	defer cancel()
	db, err := index.OpenUnread(ctx, r.databasePath())
	if err == nil {
		err = errors.Join(db.Record(ctx, links), db.Close())
	}
	if err != nil {
		r.log.Warn(unrecorded, "err", err)
	}
}

// unrecorded is what the log has of links that are lost.
const unrecorded = "record the session of a commit"

func (r *Root) databasePath() string { return filepath.Join(r.repo.StateDir(), "index.db") }

// SessionsOf returns which sessions had to do with the memory at a path, by
// time. Refusals are *failure.Error.
func (r *Root) SessionsOf(ctx context.Context, path string) ([]index.SessionLink, error) {
	return r.askSessions(ctx, func(db *index.DB) ([]index.SessionLink, error) { return db.SessionsOf(ctx, path) })
}

// MemoriesOf returns with which memories a session had to do, by time; those
// that are gone are left out. Refusals are *failure.Error.
func (r *Root) MemoriesOf(ctx context.Context, session string) ([]index.SessionLink, error) {
	session = strings.TrimSpace(session)
	return r.askSessions(ctx, func(db *index.DB) ([]index.SessionLink, error) { return db.MemoriesOf(ctx, session) })
}

// askSessions asks the database once it knows of the last commit. It needs no
// writer lock: what another process commits meanwhile is not told.
func (r *Root) askSessions(ctx context.Context, ask func(*index.DB) ([]index.SessionLink, error)) ([]index.SessionLink, error) {
	if _, err := r.repository(); err != nil {
		return nil, err
	}
	if !r.indexed() {
		r.recordLate()
	}
	corpus, err := r.openCorpus(ctx)
	if err != nil {
		return nil, err
	}
	defer corpus.close()
	if corpus.db == nil {
		return nil, failure.New(failure.Storage, "The sessions are not known: the index database cannot be used.").
			Suggest("Make the state folder in the git directory writable.")
	}
	if r.indexed() {
		if err := r.cache.flush(ctx); err != nil {
			return nil, err
		}
	}
	return ask(corpus.db)
}
