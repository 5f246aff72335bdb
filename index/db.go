package index

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
)

// DB is a counted handle on the database that makes the next start fast. It is
// a cache of a disk's files: a caller that cannot open or write it goes on
// without, and shows the failure. Open buffers never enter it.
//
// A handle may be used by any number of goroutines. Writers of one handle take
// turns; writers of other handles and processes are waited for.
type DB struct {
	generation uint64
	recreated  string
	patience   patience
	sql        *sql.DB
	// writing holds one token: whoever has it may begin a write.
	writing chan struct{}

	refsMu sync.Mutex
	refs   int
	closed bool
}

// patience is how long a database that others hold is waited for.
type patience struct {
	// busy is how long SQLite itself waits for a lock, first and longest are
	// the bounds of the pauses between tries, total when to give up (M54).
	busy, first, longest, total time.Duration
}

var usualPatience = patience{
	busy: 5 * time.Second, first: 15 * time.Millisecond, longest: time.Second, total: 20 * time.Second,
}

// ErrClosed is what a handle answers once it is closed.
var ErrClosed = failure.New(failure.Storage, "The index database was not used: it was closed.")

var (
	generations atomic.Uint64
	// openDatabases counts the handles whose file is open.
	openDatabases atomic.Int64
)

// Generation tells this handle from every other one that the process opened,
// and grows.
func (db *DB) Generation() uint64 { return db.generation }

// Recreated returns why the file that was there had to be moved aside, and ""
// when it was taken as it was. To be told once.
func (db *DB) Recreated() string { return db.recreated }

// Acquire keeps the file open until release is called, whoever closes the
// handle meanwhile. The last release of a closed handle closes the file and
// returns its error. Calling release again does nothing.
func (db *DB) Acquire() (release func() error, err error) {
	db.refsMu.Lock()
	defer db.refsMu.Unlock()
	if db.closed {
		return nil, ErrClosed
	}
	db.refs++
	return sync.OnceValue(db.drop), nil
}

// Close gives up the handle. The file is closed when nothing that was acquired
// is left. Closing twice does nothing.
func (db *DB) Close() error {
	db.refsMu.Lock()
	if db.closed {
		db.refsMu.Unlock()
		return nil
	}
	db.closed = true
	db.refsMu.Unlock()
	return db.drop()
}

// drop gives one reference back.
func (db *DB) drop() error {
	db.refsMu.Lock()
	db.refs--
	last := db.refs == 0
	db.refsMu.Unlock()
	if !last {
		return nil
	}
	openDatabases.Add(-1)
	return storage(db.sql.Close())
}

// use runs f while the file is kept open.
func (db *DB) use(f func() error) (err error) {
	release, err := db.Acquire()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	return f()
}

// write runs f in one immediate transaction and again from the start when
// others hold the database for longer than SQLite waits. f must not keep what
// an earlier run of it left behind.
func (db *DB) write(ctx context.Context, f func(*sql.Tx) error) error {
	return db.use(func() error {
		select {
		case db.writing <- struct{}{}:
			defer func() { <-db.writing }()
		case <-ctx.Done():
			return storage(ctx.Err())
		}
		return storage(db.patience.try(ctx, func() error { return transact(ctx, db.sql, nil, f) }))
	})
}

// read runs f in one transaction that sees one state of the database.
func (db *DB) read(ctx context.Context, f func(*sql.Tx) error) error {
	return db.use(func() error {
		return storage(db.patience.try(ctx, func() error {
			return transact(ctx, db.sql, &sql.TxOptions{ReadOnly: true}, f)
		}))
	})
}

// transact runs f in a transaction that is committed when f returns nil and
// rolled back when it fails or panics. A commit that fails is an error like any
// other.
func transact(ctx context.Context, db *sql.DB, opts *sql.TxOptions, f func(*sql.Tx) error) (err error) {
	tx, err := db.BeginTx(ctx, opts)
	if err != nil {
		return err
	}
	defer func() {
		if back := tx.Rollback(); back != nil && !errors.Is(back, sql.ErrTxDone) {
			err = errors.Join(err, back)
		}
	}()
	if err := f(tx); err != nil {
		return err
	}
	return tx.Commit()
}
