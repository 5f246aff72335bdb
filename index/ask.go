package index

import (
	"context"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"

	"github.com/memhtml-ls/memhtml-ls/memory"
)

// Question is what a command wants to know of the corpus before it writes.
// All its keys are asked for at once.
type Question struct {
	// Contents and Normals are hashes of the two tiers of sameness.
	Contents, Normals []memory.Hash
	// Frames are frame keys, none of them empty.
	Frames []string
}

// Answer holds the eligible files under each key that has any, in the order of
// [File.Before].
type Answer struct {
	Contents, Normals map[memory.Hash][]*File
	Frames            map[string][]*File
	// Watermark is what the rows that answered were made from.
	Watermark Watermark
}

// Ask answers a question from one state of the database. It makes one query
// for each kind of key that there is, however many keys. The files have no
// links.
func (db *DB) Ask(ctx context.Context, q Question) (a Answer, err error) {
	err = db.read(ctx, func(tx *sql.Tx) (err error) {
		a = Answer{Contents: map[memory.Hash][]*File{}, Normals: map[memory.Hash][]*File{}, Frames: map[string][]*File{}}
		if a.Watermark, _, err = watermark(ctx, tx); err != nil {
			return err
		}
		err = errors.Join(
			ask(ctx, tx, contentHoldersSQL, hexes(q.Contents), func(f *File) {
				a.Contents[f.ContentHash] = append(a.Contents[f.ContentHash], f)
			}),
			ask(ctx, tx, normalHoldersSQL, hexes(q.Normals), func(f *File) {
				a.Normals[f.NormalHash] = append(a.Normals[f.NormalHash], f)
			}),
			ask(ctx, tx, frameHoldersSQL, q.Frames, func(f *File) {
				a.Frames[f.FrameKey] = append(a.Frames[f.FrameKey], f)
			}),
		)
		for _, files := range a.Normals {
			slices.SortFunc(files, inOrder)
		}
		return err
	})
	return a, err
}

// inOrder compares by [File.Before].
func inOrder(f, g *File) int {
	switch {
	case f.Before(g):
		return -1
	case g.Before(f):
		return 1
	}
	return 0
}

// ask runs one query of the keys, none when there are no keys.
func ask(ctx context.Context, tx *sql.Tx, query string, keys []string, take func(*File)) (err error) {
	if len(keys) == 0 {
		return nil
	}
	list, err := json.Marshal(keys)
	if err != nil {
		return err
	}
	rows, err := tx.QueryContext(ctx, query, string(list))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		r, err := scanRow(rows)
		if err != nil {
			return err
		}
		take(r.File)
	}
	return rows.Err()
}

func hexes(hashes []memory.Hash) []string {
	list := make([]string, len(hashes))
	for i, h := range hashes {
		list[i] = hex.EncodeToString(h[:])
	}
	return list
}

// Claims returns who has the claims on the content hashes, for those that
// anybody has. It asks the claims table alone, so that it refuses a second
// holder even where [DB.Ask] is wrong.
func (db *DB) Claims(ctx context.Context, hashes []memory.Hash) (paths map[memory.Hash]string, err error) {
	list, err := json.Marshal(hexes(hashes))
	if err != nil {
		return nil, err
	}
	err = db.read(ctx, func(tx *sql.Tx) (err error) {
		paths = map[memory.Hash]string{}
		rows, err := tx.QueryContext(ctx, claimsSQL, string(list))
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, rows.Close()) }()
		for rows.Next() {
			var raw sql.RawBytes
			var path string
			if err := rows.Scan(&raw, &path); err != nil {
				return err
			}
			paths[pad(raw)] = path
		}
		return rows.Err()
	})
	return paths, err
}

// AtMost reports whether the database has no more rows than n, at the cost of
// n.
func (db *DB) AtMost(ctx context.Context, n int) (bool, error) {
	var rows int
	err := db.read(ctx, func(tx *sql.Tx) error {
		return tx.QueryRowContext(ctx, countUpToSQL, n+1).Scan(&rows)
	})
	return rows <= n, err
}
