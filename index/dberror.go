package index

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
)

// try runs f until it succeeds, fails for another reason than that others hold
// the database, or the patience ends.
func (p patience) try(ctx context.Context, f func() error) error {
	deadline := time.Now().Add(p.total)
	pause := p.first
	for {
		err := f()
		if err != nil && ctx.Err() != nil {
			// A transaction that was rolled back for it says only that it is over.
			return errors.Join(ctx.Err(), err)
		}
		if err == nil || !busy(err) || time.Now().After(deadline) {
			return err
		}
		select {
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		case <-time.After(pause/2 + rand.N(pause/2+1)):
		}
		pause = min(2*pause, p.longest)
	}
}

// resultCode is SQLite's primary result code in an error, 0 when there is none.
func resultCode(err error) int {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code() & 0xff
	}
	return 0
}

func busy(err error) bool {
	code := resultCode(err)
	return code == sqlite3.SQLITE_BUSY || code == sqlite3.SQLITE_LOCKED
}

// damaged reports an error that says that the file is no sound database.
func damaged(err error) bool {
	code := resultCode(err)
	return code == sqlite3.SQLITE_CORRUPT || code == sqlite3.SQLITE_NOTADB
}

// storage makes what leaves the room of an error: a typed failure that says
// what stood in the way and carries the cause for the log. Nil stays nil and a
// failure stays as it is.
func storage(err error) error {
	var done *failure.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &done):
		return err
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return failure.New(failure.Cancelled, "The index database was not used: the work was cancelled.").Wrap(err)
	}
	code, known := storageCauses[resultCode(err)]
	if !known {
		code = storageCause{"it could not be used", "Delete the index database; it is rebuilt at the next start."}
	}
	return failure.New(failure.Storage, "The index database was not used: %s.", code.what).Suggest(code.todo).Wrap(err)
}

// storageCause is what a result code means to a person.
type storageCause struct{ what, todo string }

var storageCauses = map[int]storageCause{
	sqlite3.SQLITE_BUSY:     {"another process holds it", "Close other servers of this repository, or try again."},
	sqlite3.SQLITE_LOCKED:   {"another process holds it", "Close other servers of this repository, or try again."},
	sqlite3.SQLITE_CORRUPT:  {"it is damaged", "Restart; a damaged index database is rebuilt at the next start."},
	sqlite3.SQLITE_NOTADB:   {"it is damaged", "Restart; a damaged index database is rebuilt at the next start."},
	sqlite3.SQLITE_FULL:     {"the disk is full", "Make room on the disk."},
	sqlite3.SQLITE_IOERR:    {"the disk reported an error", "Check the disk and the room on it."},
	sqlite3.SQLITE_READONLY: {"it cannot be written", "Make the state folder in the git directory writable."},
	sqlite3.SQLITE_CANTOPEN: {"it cannot be opened", "Make the state folder in the git directory readable and writable."},
	sqlite3.SQLITE_PERM:     {"it cannot be opened", "Make the state folder in the git directory readable and writable."},
}
