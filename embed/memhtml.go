package embed

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	_ "modernc.org/sqlite" // registers the driver

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/memory"
)

// Space is what stored vectors have in common.
type Space struct {
	// ID is that of the model, to be compared with [Embedder.ID].
	ID  string
	Dim int
}

// memhtmlFile is the database of the memhtml tools in a memory root. It is
// theirs: nothing is written to it or beside it.
const memhtmlFile = ".memhtml/index.db"

// memhtmlSchemaNext begins the names of the migrations that memhtml 0.15.1 does
// not have yet; what they do to the two tables nobody knows.
const memhtmlSchemaNext = "0013"

// memhtmlQuery reads the first chunk of each content; the other chunks are not
// about the claim. The order of the tables lets embeddings, which are large, be
// read once.
const memhtmlQuery = `SELECT e.chunk_id, c.content_hash, e.model, e.dim, e.vec FROM embeddings e CROSS JOIN chunks c ON c.chunk_id = e.chunk_id WHERE c.ordinal = 0`

// ReadMemhtml hands over the vectors that the memhtml tools have stored for a
// root, by content hash, each scaled to length one. One that is no vector of its
// space is left out, for its content has none then. A database in use is copied
// to scratch first, a folder outside the tree, because reading it in place would
// leave files beside it.
//
// No database, one that is locked, damaged or of another schema, and one with
// several models are ModelUnavailable failures; what was handed over before the
// failure is not to be used.
func ReadMemhtml(ctx context.Context, dir, scratch string, take func(memory.Hash, []float32)) (Space, error) {
	space, err := readMemhtml(ctx, dir, scratch, take)
	switch {
	case err == nil:
		return space, nil
	case ctx.Err() != nil:
		return Space{}, failure.New(failure.Cancelled, "The vectors of memhtml were not read: the work was cancelled.").Wrap(err)
	case errors.Is(err, fs.ErrNotExist):
		err = unusable("there are none").Wrap(err)
	case failure.CodeOf(err) == failure.Unknown:
		err = unusable("the database cannot be read").Wrap(err)
	}
	return Space{}, err
}

func unusable(why string) *failure.Error {
	return failure.New(failure.ModelUnavailable, "The vectors of memhtml are not used: %s.", why).
		Suggest("Run `memhtml index update` with its embedder on, or choose another embedder in your settings.")
}

func readMemhtml(ctx context.Context, dir, scratch string, take func(memory.Hash, []float32)) (space Space, err error) {
	files, err := os.OpenRoot(dir)
	if err != nil {
		return Space{}, err
	}
	defer files.Close()
	before := stamps(files)
	path, done, err := quiet(files, scratch)
	if err != nil {
		return Space{}, err
	}
	defer func() { err = errors.Join(err, done()) }()
	db, err := sql.Open("sqlite", memhtmlSource(path))
	if err != nil {
		return Space{}, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1)
	if err := known(ctx, db); err != nil {
		return Space{}, err
	}
	if space, err = vectors(ctx, db, take); err == nil && stamps(files) != before {
		return Space{}, unusable("the database is being written")
	}
	return space, err
}

// memhtmlSource opens a file that nobody changes meanwhile, and trusts nothing
// in it.
func memhtmlSource(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	q := url.Values{"immutable": {"1"}, "mode": {"ro"}, "_pragma": {
		"query_only(1)", "trusted_schema(0)", "cell_size_check(1)", "mmap_size(0)",
	}}
	u := url.URL{Scheme: "file", Path: path, RawQuery: q.Encode()}
	return u.String()
}

// quiet is a file that can be read as if nobody wrote to it: the database
// itself while it has nothing beside it, else a copy that has taken in what
// stood beside it.
func quiet(files *os.Root, scratch string) (path string, done func() error, err error) {
	beside := false
	for _, suffix := range []string{"", "-wal", "-journal"} {
		info, err := files.Lstat(memhtmlFile + suffix)
		switch {
		case errors.Is(err, fs.ErrNotExist) && suffix != "":
			continue
		case err != nil:
			return "", nil, err
		case !info.Mode().IsRegular():
			return "", nil, unusable("the database is not a regular file")
		}
		beside = beside || suffix != "" && info.Size() > 0
	}
	if !beside {
		return filepath.Join(files.Name(), filepath.FromSlash(memhtmlFile)), func() error { return nil }, nil
	}
	return copied(files, scratch)
}

// copied copies the database with what stands beside it, and lets SQLite make
// one file of it.
func copied(files *os.Root, scratch string) (path string, done func() error, err error) {
	if scratch == "" {
		return "", nil, unusable("the database is in use")
	}
	if err := os.MkdirAll(scratch, 0o700); err != nil {
		return "", nil, err
	}
	forgetCopies(scratch)
	folder, err := os.MkdirTemp(scratch, copyPrefix)
	if err != nil {
		return "", nil, err
	}
	done = func() error { return os.RemoveAll(folder) }
	defer func() {
		if err != nil {
			err = errors.Join(err, done())
		}
	}()
	for _, suffix := range []string{"", "-wal", "-journal"} {
		if err := copyFile(files, memhtmlFile+suffix, filepath.Join(folder, "index.db"+suffix)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", nil, err
		}
	}
	path = filepath.Join(folder, "index.db")
	return path, done, fold(path)
}

// copyPrefix begins the names of the folders with copies. One that is older than
// staleCopy was left by a process that was killed.
const (
	copyPrefix = "memhtml-copy-"
	staleCopy  = time.Hour
)

func forgetCopies(scratch string) {
	folders, _ := filepath.Glob(filepath.Join(scratch, copyPrefix+"*"))
	for _, folder := range folders {
		if info, err := os.Lstat(folder); err == nil && time.Since(info.ModTime()) > staleCopy {
			_ = os.RemoveAll(folder)
		}
	}
}

// MemhtmlStamp tells two states of the vectors of a root apart; "" is none at all.
func MemhtmlStamp(dir string) string {
	files, err := os.OpenRoot(dir)
	if err != nil {
		return ""
	}
	defer files.Close()
	return stamps(files)
}

// stamps tells two states of the files apart.
func stamps(files *os.Root) string {
	var all strings.Builder
	for _, suffix := range []string{"", "-wal", "-journal"} {
		if info, err := files.Lstat(memhtmlFile + suffix); err == nil {
			fmt.Fprintln(&all, suffix, info.Size(), info.ModTime().UnixNano())
		}
	}
	return all.String()
}

func copyFile(files *os.Root, from, to string) error {
	source, err := files.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(target, source)
	return errors.Join(err, target.Close())
}

// fold takes the log beside a copy into it.
func fold(path string) (err error) {
	u := url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(filepath.ToSlash(path), "/"), RawQuery: "_pragma=trusted_schema(0)"}
	db, err := sql.Open("sqlite", u.String())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	_, err = db.Exec("PRAGMA journal_mode = DELETE")
	return err
}

// known refuses a database that does not have the tables as plain tables, or was
// made by a later memhtml.
func known(ctx context.Context, db *sql.DB) error {
	var tables int
	err := db.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_schema WHERE type = 'table'
		AND name IN ('chunks', 'embeddings', 'schema_migrations') AND sql LIKE 'CREATE TABLE%'`).Scan(&tables)
	if err != nil {
		return err
	}
	if tables != 3 {
		return unusable("the database has another schema")
	}
	var last string
	if err := db.QueryRowContext(ctx, `SELECT coalesce(max(name), '') FROM schema_migrations`).Scan(&last); err != nil {
		return unusable("the database has another schema").Wrap(err)
	}
	if last >= memhtmlSchemaNext {
		return unusable("the database is that of a later memhtml")
	}
	return nil
}

// chunkID is the key of the first chunk of a content.
func chunkID(hash string) string {
	sum := sha256.Sum256([]byte(hash + ":0"))
	return hex.EncodeToString(sum[:])
}

func vectors(ctx context.Context, db *sql.DB, take func(memory.Hash, []float32)) (space Space, err error) {
	rows, err := db.QueryContext(ctx, memhtmlQuery)
	if err != nil {
		return Space{}, unusable("the database has another schema").Wrap(err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var id, hash, model string
		var dim int
		var raw sql.RawBytes
		if err := rows.Scan(&id, &hash, &model, &dim, &raw); err != nil {
			return Space{}, err
		}
		switch now := (Space{ID: "memhtml:" + model, Dim: dim}); {
		case space == Space{}:
			space = now
		case now != space:
			return Space{}, unusable("they are of more than one model")
		}
		h, ok := memory.ParseHash(hash)
		v, sound := FromBytes(raw, dim)
		if ok && id == chunkID(hash) && sound && Unit(v) {
			take(h, v)
		}
	}
	if err := rows.Err(); err != nil {
		return Space{}, err
	}
	if space == (Space{}) {
		return Space{}, unusable("there are none")
	}
	return space, nil
}
