package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"
	_ "modernc.org/sqlite" // registers the driver
)

// Reasons why a file is moved aside; [DB.Recreated] returns them.
const (
	reasonDamaged = "it was damaged"
	reasonForeign = "it was not an index database"
	reasonNewer   = "it was written by a newer version"
)

// asideSuffix is added to the name of a file that is moved aside. There is at
// most one such file: the one before is overwritten.
const asideSuffix = ".aside"

// Open opens or makes the database at path and its folder. A file that is
// damaged, not ours or from a newer version is moved aside and a new one made,
// see [DB.Recreated]. The error is a Storage failure: the caller goes on
// without a database.
func Open(ctx context.Context, path string) (*DB, error) {
	return open(ctx, path, usualPatience)
}

// OpenUnread is [Open] without reading the whole file to see whether it is
// sound, for a process that asks a few questions: damage is then met, as an
// error, by the question that runs into it.
func OpenUnread(ctx context.Context, path string) (*DB, error) {
	return openAs(ctx, path, usualPatience, false)
}

func open(ctx context.Context, path string, p patience) (*DB, error) {
	return openAs(ctx, path, p, true)
}

// openAs opens the database; whole says to read all of it first.
func openAs(ctx context.Context, path string, p patience, whole bool) (*DB, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, storage(err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, storage(err)
	}
	handle, reason, err := openSound(ctx, path, p, whole)
	if err == nil && reason != "" {
		handle, reason, err = recreate(ctx, path, p)
	}
	if err != nil {
		return nil, storage(err)
	}
	openDatabases.Add(1)
	return &DB{
		generation: generations.Add(1), recreated: reason, patience: p, sql: handle,
		writing: make(chan struct{}, 1), refs: 1,
	}, nil
}

// recreate moves a file that cannot be used aside and makes a new one. Only one
// process at a time does it, and looks again first: a file that another has
// just made and is using must stay where it is.
func recreate(ctx context.Context, path string, p patience) (handle *sql.DB, reason string, err error) {
	lock := flock.New(path + ".lock")
	if _, err := lock.TryLockContext(ctx, p.first); err != nil {
		return nil, "", err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	handle, reason, err = openSound(ctx, path, p, true)
	if err != nil || reason == "" {
		return handle, reason, err
	}
	if err := moveAside(path); err != nil {
		return nil, "", err
	}
	handle, again, err := openSound(ctx, path, p, true)
	if err == nil && again != "" {
		err = errors.New("a fresh index database cannot be used: " + again)
	}
	return handle, reason, err
}

// openSound opens the file and takes its schema up to date. A reason says that
// the file should be moved aside; then it is closed again.
func openSound(ctx context.Context, path string, p patience, whole bool) (handle *sql.DB, reason string, err error) {
	handle, err = sql.Open("sqlite", source(path, p))
	if err != nil {
		return nil, "", err
	}
	handle.SetMaxOpenConns(4)
	var current bool
	err = p.try(ctx, func() (err error) {
		reason, current, err = examine(ctx, handle, whole)
		return err
	})
	// A file that is up to date is only read: whoever writes to it for long does
	// not hold up a start.
	if err == nil && reason == "" && !current {
		err = p.try(ctx, func() error { return transact(ctx, handle, nil, migrate) })
	}
	if damaged(err) {
		reason, err = reasonDamaged, nil
	}
	if err == nil && reason == "" {
		return handle, "", nil
	}
	return nil, reason, errors.Join(err, handle.Close())
}

// source is the URI of a database file. The path is escaped: a '?' in it would
// otherwise open another file.
func source(path string, p patience) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	q := url.Values{"_txlock": {"immediate"}, "_pragma": {
		fmt.Sprintf("busy_timeout(%d)", p.busy.Milliseconds()),
		"journal_mode(WAL)", "synchronous(NORMAL)", "foreign_keys(1)", "journal_size_limit(16777216)",
	}}
	u := url.URL{Scheme: "file", Path: path, RawQuery: q.Encode()}
	return u.String()
}

// examine returns why a file cannot be used, "" when it can, and whether its
// schema is up to date. whole says to look at all of the file.
func examine(ctx context.Context, handle *sql.DB, whole bool) (reason string, current bool, err error) {
	sound := "ok"
	if whole {
		if err := handle.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&sound); err != nil {
			return "", false, err
		}
	}
	if sound != "ok" {
		return reasonDamaged, false, nil
	}
	var version, id, objects int
	if err := handle.QueryRowContext(ctx, `SELECT user_version, application_id, (SELECT count(*) FROM sqlite_schema)
FROM pragma_user_version, pragma_application_id`).Scan(&version, &id, &objects); err != nil {
		return "", false, err
	}
	switch {
	case version == 0 && id == 0 && objects == 0:
		return "", false, nil
	case id != applicationID:
		return reasonForeign, false, nil
	case version > len(steps):
		return reasonNewer, false, nil
	}
	return "", version == len(steps), nil
}

// migrate takes the schema up to date.
func migrate(tx *sql.Tx) error {
	var version int
	if err := tx.QueryRow("PRAGMA user_version").Scan(&version); err != nil {
		return err
	}
	if version == len(steps) {
		return nil
	}
	rebuild := false
	for _, s := range steps[version:] {
		if _, err := tx.Exec(s.sql); err != nil {
			return err
		}
		rebuild = rebuild || s.rebuild
	}
	if rebuild {
		if _, err := tx.Exec(clearSQL); err != nil {
			return err
		}
	}
	_, err := tx.Exec(fmt.Sprintf("PRAGMA user_version = %d; PRAGMA application_id = %d", len(steps), applicationID))
	return err
}

// moveAside renames a database. Its log goes first: left behind, it would be
// played into the database that is made next.
func moveAside(path string) error {
	for _, part := range []string{"-wal", "-shm", ""} {
		err := os.Rename(path+part, path+asideSuffix+part)
		if errors.Is(err, fs.ErrNotExist) {
			err = os.Remove(path + asideSuffix + part)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
