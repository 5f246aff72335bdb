package session

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

// storeVectors gives memories a vector in the database of memhtml, which is made
// if need be.
func (f *fixture) storeVectors(model string, vectors map[string][]float32) {
	f.t.Helper()
	if err := os.MkdirAll(filepath.Join(f.dir, ".memhtml"), 0o755); err != nil {
		f.t.Fatal(err)
	}
	db, err := sql.Open("sqlite", filepath.Join(f.dir, ".memhtml", "index.db"))
	if err != nil {
		f.t.Fatal(err)
	}
	defer db.Close()
	exec := func(statement string, args ...any) {
		f.t.Helper()
		if _, err := db.Exec(statement, args...); err != nil {
			f.t.Fatal(err)
		}
	}
	exec(`CREATE TABLE IF NOT EXISTS schema_migrations (name TEXT PRIMARY KEY);
		INSERT OR IGNORE INTO schema_migrations VALUES ('0012_origin_path.sql');
		CREATE TABLE IF NOT EXISTS chunks (chunk_id TEXT PRIMARY KEY, path TEXT, content_hash TEXT, ordinal INTEGER, text TEXT);
		CREATE TABLE IF NOT EXISTS embeddings (chunk_id TEXT PRIMARY KEY, model TEXT, dim INTEGER, vec BLOB);
		DELETE FROM embeddings WHERE model <> ?`, model)
	for path, v := range vectors {
		hash := memory.Parse([]byte(f.read(path))).ContentHash.String()
		sum := sha256.Sum256([]byte(hash + ":0"))
		id := hex.EncodeToString(sum[:])
		exec(`INSERT OR REPLACE INTO chunks VALUES (?, ?, ?, 0, '')`, id, path, hash)
		exec(`INSERT OR REPLACE INTO embeddings VALUES (?, ?, ?, ?)`, id, model, len(v), embed.Bytes(v))
	}
}

// openStored opens the root with memhtml's vectors for a model.
func (f *fixture) openStored() *modelled {
	f.t.Helper()
	root, err := Open(f.t.Context(), f.dir, Options{User: own(f.t, `{"embedder": {"use": "memhtml"}}`), Model: true})
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { root.Close() })
	if err := root.Index(f.t.Context(), nil); err != nil {
		f.t.Fatal(err)
	}
	f.root = root
	return &modelled{fixture: f}
}

// TestStoredVectors: what memhtml has embedded is compared, the rest is counted,
// and a later run of memhtml is seen, also one with another model.
func TestStoredVectors(t *testing.T) {
	f := newRepository(t, kilns())
	m := f.openStored()
	m.root.EmbedAll(t.Context(), nil)
	m.coverage(Unchecked, "there are none")

	f.storeVectors("m@2", map[string][]float32{"areas/kiln.html": {1, 0}, "areas/oven.html": {0.96, 0.28}})
	m.root.EmbedAll(t.Context(), nil)
	want := NearState{Embedder: "memhtml:m@2", Coverage: Meaning, Missing: 1}
	if got := m.root.Near(); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if diff := cmp.Diff([]string{"areas/oven.html 0.96"}, m.near("areas/kiln.html")); diff != "" {
		t.Error(diff)
	}

	f.storeVectors("n@2", map[string][]float32{"areas/berth.html": {1, 0}, "areas/kiln.html": {0, 1}, "areas/oven.html": {1, 0}})
	m.root.EmbedAll(t.Context(), nil)
	if diff := cmp.Diff([]string{"areas/oven.html 1.00"}, m.near("areas/berth.html")); diff != "" {
		t.Error(diff)
	}
	if got := m.near("areas/kiln.html"); got != nil {
		t.Errorf("of the model before: %q", got)
	}
	if got := m.root.Near(); got != (NearState{Embedder: "memhtml:n@2", Coverage: Meaning}) {
		t.Errorf("%+v", got)
	}

	// A database that is gone is a failure, and what it said is kept until it is back.
	gone := filepath.Join(f.dir, "gone.db")
	if err := os.Rename(filepath.Join(f.dir, ".memhtml", "index.db"), gone); err != nil {
		t.Fatal(err)
	}
	m.root.EmbedAll(t.Context(), nil)
	m.coverage(Unchecked, "there are none")
	if diff := cmp.Diff([]string{"areas/berth.html", "areas/oven.html"}, m.root.model.touched(nil, true)); diff != "" {
		t.Errorf("told of the failure (-want +got):\n%s", diff)
	}
	if err := os.Rename(gone, filepath.Join(f.dir, ".memhtml", "index.db")); err != nil {
		t.Fatal(err)
	}
	m.root.EmbedAll(t.Context(), nil)
	m.coverage(Meaning, "")

	// An edit that memhtml has not seen is not compared.
	f.write("areas/oven.html", claim("The gate is locked at nine.", 2))
	m.root.Modify(Modification{Kind: Touched, Path: "areas/oven.html"})
	m.root.EmbedAll(t.Context(), nil)
	if got := m.root.Near(); got.Missing != 1 || m.near("areas/berth.html") != nil {
		t.Errorf("%+v, %q", got, m.near("areas/berth.html"))
	}
}
