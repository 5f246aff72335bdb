package index

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"

	"github.com/memhtml-ls/memhtml-ls/embed"
	"github.com/memhtml-ls/memhtml-ls/memory"
)

// MaxVectors is how many vectors a database keeps; the oldest go. It is more than
// a root has memories, so that what was said before is not paid for again.
const MaxVectors = 250_000

// Vectors returns those of the named texts that were kept for an embedder. A
// vector hangs on its text and not on a file, so that a file that is moved, or
// written in another head, keeps it.
func (db *DB) Vectors(ctx context.Context, embedder string, names []memory.Hash) (map[memory.Hash][]float32, error) {
	list, err := json.Marshal(hexes(names))
	if err != nil {
		return nil, err
	}
	found := map[memory.Hash][]float32{}
	err = db.read(ctx, func(tx *sql.Tx) (err error) {
		rows, err := tx.QueryContext(ctx, selectVectorsSQL, embedder, string(list))
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, rows.Close()) }()
		for rows.Next() {
			var name, vector sql.RawBytes
			if err := rows.Scan(&name, &vector); err != nil {
				return err
			}
			if v, ok := embed.FromBytes(vector, len(vector)/4); ok && len(name) == len(memory.Hash{}) {
				found[memory.Hash(name)] = v
			}
		}
		return rows.Err()
	})
	return found, err
}

// KeepVectors keeps vectors of an embedder by the names of their texts.
func (db *DB) KeepVectors(ctx context.Context, embedder string, vectors map[memory.Hash][]float32) error {
	return db.keepVectors(ctx, embedder, vectors, MaxVectors)
}

func (db *DB) keepVectors(ctx context.Context, embedder string, vectors map[memory.Hash][]float32, most int) error {
	return db.write(ctx, func(tx *sql.Tx) error {
		put, err := tx.PrepareContext(ctx, upsertVectorSQL)
		if err != nil {
			return err
		}
		for name, v := range vectors {
			if _, err := put.ExecContext(ctx, embedder, name[:], embed.Bytes(v)); err != nil {
				return err
			}
		}
		_, err = tx.ExecContext(ctx, trimVectorsSQL, most)
		return errors.Join(err, put.Close())
	})
}
