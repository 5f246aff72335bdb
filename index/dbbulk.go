package index

import (
	"context"
	"database/sql"
	"errors"

	"github.com/memhtml-ls/memhtml-ls/memory"
)

// bulk inserts rows, many at a time.
type bulk struct {
	*pass
	insertFiles, insertClaim, insertClaims *sql.Stmt
	// rows wait to be inserted, claims for the rows that they are of.
	rows, claims []Row
	claimed      map[memory.Hash]bool
	values       []any
}

func (p *pass) bulk(ctx context.Context, tx *sql.Tx) (b *bulk, err error) {
	b = &bulk{pass: p, claimed: map[memory.Hash]bool{}}
	var errs [3]error
	b.insertFiles, errs[0] = tx.PrepareContext(ctx, insertFilesSQL)
	b.insertClaim, errs[1] = tx.PrepareContext(ctx, insertClaimSQL)
	b.insertClaims, errs[2] = tx.PrepareContext(ctx, insertClaimsSQL)
	return b, errors.Join(errs[:]...)
}

// add inserts a row, sooner or later.
func (b *bulk) add(ctx context.Context, r Row) error {
	if b.rows = append(b.rows, r); len(b.rows) < filesAtOnce {
		return nil
	}
	b.values = b.values[:0]
	for _, r := range b.rows {
		b.values = r.appendValues(b.values)
	}
	if _, err := b.insertFiles.ExecContext(ctx, b.values...); err != nil {
		return err
	}
	for _, r := range b.rows {
		if err := b.inserted(ctx, r.File); err != nil {
			return err
		}
		b.claim(r)
	}
	b.rows = b.rows[:0]
	for len(b.claims) >= filesAtOnce {
		b.values = b.values[:0]
		for _, r := range b.claims[:filesAtOnce] {
			b.values = append(b.values, r.File.ContentHash[:], r.File.Path)
		}
		if _, err := b.insertClaims.ExecContext(ctx, b.values...); err != nil {
			return err
		}
		b.claims = b.claims[:copy(b.claims, b.claims[filesAtOnce:])]
	}
	return nil
}

// claim gives the claim on its hash to the first file that comes with it. Where
// there are more, [pass.settle] finds out whose it is.
func (b *bulk) claim(r Row) {
	if h := r.File.ContentHash; !r.File.Eligible() {
		return
	} else if b.claimed[h] {
		b.touched[h] = true
	} else {
		b.claimed[h] = true
		b.claims = append(b.claims, r)
	}
}

// flush inserts what is left of the rows.
func (b *bulk) flush(ctx context.Context) error {
	for _, r := range b.rows {
		if err := b.insert(ctx, r); err != nil {
			return err
		}
		b.claim(r)
	}
	for _, r := range b.claims {
		if _, err := b.insertClaim.ExecContext(ctx, r.File.ContentHash[:], r.File.Path); err != nil {
			return err
		}
	}
	return nil
}
