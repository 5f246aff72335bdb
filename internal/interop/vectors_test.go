//go:build interop

package interop

import (
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memhtml-ls/memhtml-ls/embed"
	"github.com/memhtml-ls/memhtml-ls/memory"
)

// TestVectorsOfMemhtml reads vectors from a database that memhtml made. The
// vectors themselves are put there by hand, where memhtml's indexer would put
// them: its model is in the cloud.
func TestVectorsOfMemhtml(t *testing.T) {
	r := newRoot(t)
	r.theirs("", "init").into(t, &struct{}{})
	var written struct{ Path string }
	r.theirs("", "write", "--type", "semantic", "--title", "Pool size", "--claim", "The connection pool ceiling is 64.").into(t, &written)
	r.theirs("", "index", "update").into(t, &struct{}{})
	text, err := os.ReadFile(filepath.Join(r.dir, written.Path))
	if err != nil {
		t.Fatal(err)
	}
	hash := memory.Parse(text).ContentHash
	r.addVector(hash, []float32{3, 4})

	before := r.beside()
	got := map[memory.Hash][]float32{}
	space, err := embed.ReadMemhtml(t.Context(), r.dir, t.TempDir(), func(h memory.Hash, v []float32) { got[h] = v })
	if err != nil || space != (embed.Space{ID: "memhtml:cohere.embed-v4:0@2", Dim: 2}) {
		t.Fatalf("%+v, %v", space, err)
	}
	if diff := cmp.Diff(map[memory.Hash][]float32{hash: {0.6, 0.8}}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(before, r.beside()); diff != "" {
		t.Errorf("beside the database (-before +after):\n%s", diff)
	}
}

// addVector gives the first chunk of a content a vector, as memhtml stores it.
func (r *root) addVector(hash memory.Hash, v []float32) {
	r.t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(r.dir, ".memhtml", "index.db"))
	if err != nil {
		r.t.Fatal(err)
	}
	defer db.Close()
	sum := sha256.Sum256([]byte(hash.String() + ":0"))
	id := hex.EncodeToString(sum[:])
	// Without an embedder memhtml makes no chunks.
	for _, statement := range []struct {
		sql  string
		args []any
	}{
		{`INSERT OR IGNORE INTO chunks SELECT ?, path, content_hash, 0, body_text, length(body_text) FROM files WHERE content_hash = ?`, []any{id, hash.String()}},
		{`INSERT INTO embeddings VALUES (?, 'cohere.embed-v4:0@2', 2, ?, '2026-01-02T09:00:00.000Z')`, []any{id, embed.Bytes(v)}},
	} {
		done, err := db.Exec(statement.sql, statement.args...)
		if err != nil {
			r.t.Fatal(err)
		}
		if n, _ := done.RowsAffected(); n != 1 && statement.sql[:10] == "INSERT INTO" {
			r.t.Fatalf("%d rows of %s", n, statement.sql)
		}
	}
}

// beside are the files in the folder of the database.
func (r *root) beside() []string {
	r.t.Helper()
	entries, err := os.ReadDir(filepath.Join(r.dir, ".memhtml"))
	if err != nil {
		r.t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
