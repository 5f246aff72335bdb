package index

import (
	"context"
	"database/sql"
	"errors"
	"iter"
	"strings"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/memory"
)

// Row is one file of the disk with what it was read from.
type Row struct {
	File *File
	Stat Stat
}

// Watermark is what the rows were made from.
type Watermark struct {
	// Head is the commit that HEAD named, empty when there was none.
	Head string
}

// metaHead is the key of [Watermark.Head] in meta.
const metaHead = "head"

// Load returns every row by path, and the watermark. A fresh database has
// neither.
func (db *DB) Load(ctx context.Context) (rows []Row, w Watermark, err error) {
	err = db.read(ctx, func(tx *sql.Tx) error {
		links, err := loadLinks(ctx, tx)
		if err != nil {
			return err
		}
		if rows, err = loadFiles(ctx, tx, links); err != nil {
			return err
		}
		w, _, err = watermark(ctx, tx)
		return err
	})
	if err != nil {
		return nil, Watermark{}, err
	}
	return rows, w, nil
}

// Watermark returns what the rows were made from; ok is false for a database
// that was never filled.
func (db *DB) Watermark(ctx context.Context) (w Watermark, ok bool, err error) {
	err = db.read(ctx, func(tx *sql.Tx) (err error) {
		w, ok, err = watermark(ctx, tx)
		return err
	})
	return w, ok, err
}

func watermark(ctx context.Context, tx *sql.Tx) (w Watermark, ok bool, err error) {
	err = tx.QueryRowContext(ctx, selectMetaSQL, metaHead).Scan(&w.Head)
	if errors.Is(err, sql.ErrNoRows) {
		return Watermark{}, false, nil
	}
	return w, err == nil, err
}

// ErrMoved is what Apply answers when other rows than those it was to change are
// in the database by now.
var ErrMoved = failure.New(failure.IndexStale, "The index database was not changed: another process has written it.")

// Apply writes rows, removes paths and sets the watermark in one transaction.
// They are what changed since a watermark: a database that has neither that one
// nor w is left as it is, with ErrMoved, because it would claim to know what lies
// between. Claims that are released go to the next file in the order of
// [File.Before] in the same transaction (R2). The cost is that of the rows, not
// of the table. A path that is in both is written.
func (db *DB) Apply(ctx context.Context, rows []Row, removed []string, since, w Watermark) error {
	return db.write(ctx, func(tx *sql.Tx) error {
		if now, _, err := watermark(ctx, tx); err != nil {
			return err
		} else if now != since && now != w {
			return ErrMoved
		}
		p, err := prepare(ctx, tx)
		if err != nil {
			return err
		}
		for _, path := range removed {
			if err := p.remove(ctx, path); err != nil {
				return err
			}
		}
		for _, r := range rows {
			if err := p.put(ctx, r); err != nil {
				return err
			}
		}
		if err := errors.Join(p.settle(ctx), p.follow(ctx)); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, upsertMetaSQL, metaHead, w.Head)
		return err
	})
}

// Replace makes the database hold exactly the given rows, each path once, in
// one transaction. all may be walked more than once, and costs least by path.
func (db *DB) Replace(ctx context.Context, all iter.Seq[Row], w Watermark) error {
	return db.write(ctx, func(tx *sql.Tx) error {
		indexes, err := dropIndexes(ctx, tx)
		if err != nil {
			return err
		}
		if err := execAll(ctx, tx, manyPagesSQL, clearSQL); err != nil {
			return err
		}
		p, err := prepare(ctx, tx)
		if err != nil {
			return err
		}
		b, err := p.bulk(ctx, tx)
		if err != nil {
			return err
		}
		for r := range all {
			if err := b.add(ctx, r); err != nil {
				return err
			}
		}
		if err := b.flush(ctx); err != nil {
			return err
		}
		if err := execAll(ctx, tx, append(indexes, fewPagesSQL)...); err != nil {
			return err
		}
		if err := errors.Join(p.settle(ctx), p.follow(ctx)); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, upsertMetaSQL, metaHead, w.Head)
		return err
	})
}

func execAll(ctx context.Context, tx *sql.Tx, statements ...string) error {
	for _, statement := range statements {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// dropIndexes drops the indexes of the rows, and returns the statements that
// make them again. An index that is made of all rows at once is sorted; one that
// follows each row touches a page anywhere in it for every one of them.
func dropIndexes(ctx context.Context, tx *sql.Tx) (again []string, err error) {
	rows, err := tx.QueryContext(ctx, rowIndexesSQL)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	var drops []string
	for rows.Next() {
		var name, statement string
		if err := rows.Scan(&name, &statement); err != nil {
			return nil, err
		}
		drops, again = append(drops, "DROP INDEX "+name), append(again, statement)
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	_, err = tx.ExecContext(ctx, strings.Join(drops, ";"))
	return again, err
}

// Holder returns the path that has the claim on a content hash.
func (db *DB) Holder(ctx context.Context, h memory.Hash) (path string, ok bool, err error) {
	err = db.use(func() error {
		return storage(db.patience.try(ctx, func() error {
			return db.sql.QueryRowContext(ctx, holderSQL, h[:]).Scan(&path)
		}))
	})
	if errors.Is(err, sql.ErrNoRows) {
		return "", false, nil
	}
	return path, err == nil, err
}

// pass is one transaction's prepared statements and the hashes whose claims
// it has unsettled.
type pass struct {
	insertFile, upsertFile, deleteFile, selectHash *sql.Stmt
	insertLink, deleteLinks                        *sql.Stmt
	releaseClaim, grantClaim                       *sql.Stmt
	anySession, archiveSessions, restoreSessions   *sql.Stmt
	touched                                        map[memory.Hash]bool
	// archived are the files that came into the archive.
	archived []*File
}

func prepare(ctx context.Context, tx *sql.Tx) (*pass, error) {
	p := &pass{touched: map[memory.Hash]bool{}}
	for _, s := range []struct {
		stmt **sql.Stmt
		text string
	}{
		{&p.insertFile, insertFileSQL},
		{&p.upsertFile, upsertFileSQL},
		{&p.deleteFile, deleteFileSQL},
		{&p.selectHash, selectHashSQL},
		{&p.insertLink, insertLinkSQL},
		{&p.deleteLinks, deleteLinksSQL},
		{&p.releaseClaim, releaseClaimSQL},
		{&p.grantClaim, grantClaimSQL},
		{&p.anySession, anySessionSQL},
		{&p.archiveSessions, archiveSessionsSQL},
		{&p.restoreSessions, restoreSessionsSQL},
	} {
		var err error
		if *s.stmt, err = tx.PrepareContext(ctx, s.text); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// touch remembers the hash that the row of a path has now, and reports whether
// there is such a row.
func (p *pass) touch(ctx context.Context, path string) (known bool, err error) {
	var raw sql.RawBytes
	rows, err := p.selectHash.QueryContext(ctx, path)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		if err := rows.Scan(&raw); err != nil {
			return false, err
		}
		known = true
		p.touched[memory.Hash(pad(raw))] = true
	}
	return known, rows.Err()
}

func (p *pass) remove(ctx context.Context, path string) error {
	known, err := p.touch(ctx, path)
	if err != nil || !known {
		return err
	}
	if _, err := p.deleteFile.ExecContext(ctx, path); err != nil {
		return err
	}
	return p.restore(ctx, path)
}

func (p *pass) put(ctx context.Context, r Row) error {
	known, err := p.touch(ctx, r.File.Path)
	if err != nil {
		return err
	}
	p.touched[r.File.ContentHash] = true
	if !known {
		return p.insert(ctx, r)
	}
	if _, err := p.upsertFile.ExecContext(ctx, r.values()...); err != nil {
		return err
	}
	if _, err := p.deleteLinks.ExecContext(ctx, r.File.Path); err != nil {
		return err
	}
	return p.insertLinks(ctx, r.File)
}

func (p *pass) insert(ctx context.Context, r Row) error {
	if _, err := p.insertFile.ExecContext(ctx, r.values()...); err != nil {
		return err
	}
	return p.inserted(ctx, r.File)
}

// inserted follows a row that was inserted with what hangs on it.
func (p *pass) inserted(ctx context.Context, f *File) error {
	if f.Archived() {
		p.archived = append(p.archived, f)
	}
	return p.insertLinks(ctx, f)
}

func (p *pass) insertLinks(ctx context.Context, f *File) error {
	for i, l := range f.Links {
		if _, err := p.insertLink.ExecContext(ctx, f.Path, i, l.Rel, l.Target, l.Alternate); err != nil {
			return err
		}
	}
	return nil
}

// settle gives every touched hash's claim to its first eligible file. All are
// released before any is granted: two files may have swapped their content,
// and a path has one claim at most.
func (p *pass) settle(ctx context.Context) error {
	for _, stmt := range []*sql.Stmt{p.releaseClaim, p.grantClaim} {
		for h := range p.touched {
			if _, err := stmt.ExecContext(ctx, h[:]); err != nil {
				return err
			}
		}
	}
	return nil
}
