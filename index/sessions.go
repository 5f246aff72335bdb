package index

import (
	"context"
	"database/sql"
	"errors"

	"github.com/memhtml-ls/memhtml-ls/memory"
)

// SessionKind is what a session did with a memory (M111).
type SessionKind string

// The kinds. What is only read is recorded by whoever reads on behalf of a
// session, which no command does.
const (
	SessionWrote SessionKind = "wrote"
	SessionRead  SessionKind = "read"
	// SessionCorrected is a memory that the session took out of use, for a better one or
	// for none.
	SessionCorrected SessionKind = "corrected"
	// SessionReinforced is a memory that was there and that the session said again, or
	// went on with.
	SessionReinforced SessionKind = "reinforced"
)

// SessionLink says that a session did something with a memory at an instant.
// All four together are its key.
type SessionLink struct {
	Path    string      `json:"path"`
	Session string      `json:"session"`
	Kind    SessionKind `json:"kind"`
	// At is UTC with Z, as the files have it.
	At string `json:"at"`
}

// Record keeps session links; one that is there already stays as it is. They
// are the only rows that cannot all be made from the files again: a rebuild
// keeps them, and they follow their memory into the archive and out of it as
// its row does, whoever moves it (M100). A link whose file is gone is kept, and
// told again when a file of its path comes back.
func (db *DB) Record(ctx context.Context, links []SessionLink) error {
	return db.write(ctx, func(tx *sql.Tx) error {
		for _, l := range links {
			if _, err := tx.ExecContext(ctx, recordSessionSQL, l.Path, l.Session, l.Kind, l.At); err != nil {
				return err
			}
		}
		return nil
	})
}

// SessionsOf returns what is recorded of the memory at a path and what the files
// say, each once, by time.
func (db *DB) SessionsOf(ctx context.Context, path string) ([]SessionLink, error) {
	return db.sessionLinks(ctx, sessionsOfSQL, path)
}

// MemoriesOf returns what is recorded of a session and what the files say, each
// once, by time. Memories that are not there any more are left out.
func (db *DB) MemoriesOf(ctx context.Context, session string) ([]SessionLink, error) {
	return db.sessionLinks(ctx, memoriesOfSQL, session)
}

func (db *DB) sessionLinks(ctx context.Context, query, key string) (links []SessionLink, err error) {
	err = db.read(ctx, func(tx *sql.Tx) (err error) {
		links = []SessionLink{}
		rows, err := tx.QueryContext(ctx, query, key)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, rows.Close()) }()
		for rows.Next() {
			var l SessionLink
			if err := rows.Scan(&l.Path, &l.Session, &l.Kind, &l.At); err != nil {
				return err
			}
			links = append(links, l)
		}
		return rows.Err()
	})
	return links, err
}

// follow gives the files that came into the archive what was recorded of them
// where they were. The files of the pass are all written by then.
func (p *pass) follow(ctx context.Context) error {
	if len(p.archived) == 0 {
		return nil
	}
	var any bool
	if err := p.anySession.QueryRowContext(ctx).Scan(&any); err != nil || !any {
		return err
	}
	for _, f := range p.archived {
		original, ok := memory.UnarchivePath(f.Path)
		if !ok {
			continue
		}
		ended := ""
		if f.Origin != nil {
			ended = f.Origin.Ended
		}
		if _, err := p.archiveSessions.ExecContext(ctx, original, f.Path, ended); err != nil {
			return err
		}
	}
	return nil
}

// restore gives what was recorded of a file that left the archive back to where
// it came from.
func (p *pass) restore(ctx context.Context, path string) error {
	original, ok := memory.UnarchivePath(path)
	if !ok {
		return nil
	}
	_, err := p.restoreSessions.ExecContext(ctx, path, original)
	return err
}
