package index

import (
	"context"
	"database/sql"
	"errors"
	"sync"
)

// values are the columns of a row in the order of fileColumns.
func (r Row) values() []any { return r.appendValues(nil) }

func (r Row) appendValues(list []any) []any {
	f, s, life := r.File, r.Stat, r.File.Says()
	var origin Origin
	if f.Origin != nil {
		origin = *f.Origin
	}
	return append(list,
		f.Path, f.Blob[:], f.ContentHash[:], f.NormalHash[:], f.Type, f.Created, f.Gist, f.FrameKey, f.FrameValue,
		f.ShownValue, life.TaskStatus, life.Due, life.ValidUntil, life.SupersededBy, f.SaysArchived, f.Inverted,
		f.Accepted, f.Archived(), f.Flawed, f.Tracked, f.Unmerged, f.Unread,
		s.Size, s.Mtime, s.Ctime, int64(s.Inode), s.Seen,
		origin.Session, origin.Ended,
	)
}

// loadedAtOnce is how many rows are made compact while the next ones are read.
const loadedAtOnce = 1024

// loadFiles reads every row and gives it its links.
func loadFiles(ctx context.Context, tx *sql.Tx, links map[string][]Link) (out []Row, err error) {
	rows, err := tx.QueryContext(ctx, selectFilesSQL)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	var compacting sync.WaitGroup
	defer compacting.Wait()
	done := 0
	for rows.Next() {
		r, err := scanRow(rows)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
		if batch := out[done:]; len(batch) == loadedAtOnce {
			done = len(out)
			compacting.Go(func() { compactLoaded(batch, links) })
		}
	}
	compactLoaded(out[done:], links)
	return out, rows.Err()
}

// compactLoaded gives rows their links, and room of their own.
func compactLoaded(rows []Row, links map[string][]Link) {
	for _, r := range rows {
		r.File.Links = links[r.File.Path]
		r.File.compact()
	}
}

// scanRow takes a row of readColumns.
func scanRow(rows *sql.Rows) (Row, error) {
	f, s := &File{}, Stat{}
	var blob, content, normal sql.RawBytes
	var shown sql.NullString
	var flags, inode int64
	var origin Origin
	var life Life
	err := rows.Scan(
		&f.Path, &blob, &content, &normal, &f.Type, &f.Created, &f.Gist,
		&f.FrameKey, &f.FrameValue, &shown,
		seldom{&life.TaskStatus}, seldom{&life.Due}, seldom{&life.ValidUntil}, seldom{&life.SupersededBy},
		seldom{&f.Unread}, seldom{&origin.Session}, seldom{&origin.Ended},
		&flags, &s.Size, &s.Mtime, &s.Ctime, &inode, &s.Seen,
	)
	copy(f.Blob[:], blob)
	f.ContentHash, f.NormalHash = pad(content), pad(content)
	if normal != nil {
		f.NormalHash = pad(normal)
	}
	if f.ShownValue = shown.String; !shown.Valid {
		f.ShownValue = f.FrameValue
	}
	f.Accepted, f.Flawed, f.Tracked, f.Unmerged = flags&1 != 0, flags&2 != 0, flags&4 != 0, flags&8 != 0
	f.SaysArchived, f.Inverted = flags&16 != 0, flags&32 != 0
	f.Origin, f.Life, s.Inode = origin.orNil(), life.orNil(), uint64(inode)
	return Row{f, s}, err
}

// seldom is a text that is NULL where a row does not have it, and then stays what
// it is.
type seldom struct{ text *string }

// Scan is that of [sql.Scanner].
func (s seldom) Scan(value any) error {
	if text, ok := value.(string); ok {
		*s.text = text
	}
	return nil
}

func loadLinks(ctx context.Context, tx *sql.Tx) (links map[string][]Link, err error) {
	rows, err := tx.QueryContext(ctx, selectLinksSQL)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	links = map[string][]Link{}
	for rows.Next() {
		var path string
		var l Link
		if err := rows.Scan(&path, &l.Rel, &l.Target, &l.Alternate); err != nil {
			return nil, err
		}
		links[path] = append(links[path], l)
	}
	return links, rows.Err()
}

// pad makes a hash of a column, whatever its length.
func pad(raw []byte) (h [32]byte) {
	copy(h[:], raw)
	return h
}
