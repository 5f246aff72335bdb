package embed

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/memory"
)

// memhtmlSchema is what memhtml 0.15.1 has of the tables that are read.
const memhtmlSchema = `
CREATE TABLE schema_migrations (name TEXT PRIMARY KEY, applied_at TEXT NOT NULL);
INSERT INTO schema_migrations VALUES ('0002_chunks.sql', '2026-01-01'), ('0012_origin_path.sql', '2026-01-01');
CREATE TABLE chunks (chunk_id TEXT PRIMARY KEY, path TEXT NOT NULL, content_hash TEXT NOT NULL, ordinal INTEGER NOT NULL CHECK (ordinal >= 0), text TEXT NOT NULL, char_count INTEGER NOT NULL);
CREATE INDEX chunks_path ON chunks (path);
CREATE INDEX chunks_hash ON chunks (content_hash);
CREATE UNIQUE INDEX chunks_hash_ord ON chunks (content_hash, ordinal);
CREATE TABLE embeddings (chunk_id TEXT PRIMARY KEY REFERENCES chunks (chunk_id) ON DELETE CASCADE, model TEXT NOT NULL, dim INTEGER NOT NULL CHECK (dim > 0), vec BLOB NOT NULL, created_at TEXT NOT NULL);
CREATE INDEX embeddings_model ON embeddings (model);`

// memhtmlRoot has a database that is made by script; each of its rows is one
// chunk with a vector.
type memhtmlRoot struct {
	t            *testing.T
	dir, scratch string
	db           *sql.DB
}

func newMemhtmlRoot(t *testing.T, script string) *memhtmlRoot {
	t.Helper()
	m := &memhtmlRoot{t: t, dir: t.TempDir(), scratch: t.TempDir()}
	if err := os.Mkdir(filepath.Join(m.dir, ".memhtml"), 0o755); err != nil {
		t.Fatal(err)
	}
	var err error
	if m.db, err = sql.Open("sqlite", m.path()); err != nil {
		t.Fatal(err)
	}
	m.db.SetMaxOpenConns(1)
	t.Cleanup(func() { m.db.Close() })
	m.exec(script)
	return m
}

func (m *memhtmlRoot) path() string { return filepath.Join(m.dir, ".memhtml", "index.db") }

func (m *memhtmlRoot) exec(script string, args ...any) {
	m.t.Helper()
	if _, err := m.db.Exec(script, args...); err != nil {
		m.t.Fatal(err)
	}
}

func (m *memhtmlRoot) add(hash memory.Hash, ordinal int, model string, dim int, vec []byte) {
	m.t.Helper()
	sum := sha256.Sum256([]byte(fmt.Sprintf("%s:%d", hash, ordinal)))
	id := hex.EncodeToString(sum[:])
	m.exec("INSERT INTO chunks VALUES (?, 'areas/a.html', ?, ?, 'text', 4)", id, hash.String(), ordinal)
	m.exec("INSERT INTO embeddings VALUES (?, ?, ?, ?, '2026-01-01')", id, model, dim, vec)
}

// read reads, and demands that the folder of the database and the scratch folder
// are as before.
func (m *memhtmlRoot) read() (map[memory.Hash][]float32, Space, error) {
	m.t.Helper()
	before := m.folder()
	got := map[memory.Hash][]float32{}
	space, err := ReadMemhtml(context.Background(), m.dir, m.scratch, func(h memory.Hash, v []float32) { got[h] = v })
	if diff := cmp.Diff(before, m.folder()); diff != "" {
		m.t.Errorf("the folder was changed\n%s", diff)
	}
	if left, _ := os.ReadDir(m.scratch); len(left) != 0 {
		m.t.Errorf("%d files are left in the scratch folder", len(left))
	}
	return got, space, err
}

// folder is every file beside the database with its bytes; of the shared memory
// of its owner the name alone.
func (m *memhtmlRoot) folder() map[string]string {
	m.t.Helper()
	files := map[string]string{}
	entries, _ := os.ReadDir(filepath.Dir(m.path()))
	for _, e := range entries {
		text, _ := os.ReadFile(filepath.Join(filepath.Dir(m.path()), e.Name()))
		if strings.HasSuffix(e.Name(), "-shm") {
			text = nil
		}
		files[e.Name()] = string(text)
	}
	return files
}

func TestMemhtmlVectors(t *testing.T) {
	a, b, c, d := memory.Hash{1}, memory.Hash{2}, memory.Hash{3}, memory.Hash{4}
	fill := func(m *memhtmlRoot) {
		m.add(a, 0, "m@2", 2, Bytes([]float32{3, 4}))
		m.add(a, 1, "m@2", 2, Bytes([]float32{1, 0}))
		m.add(b, 0, "m@2", 2, Bytes([]float32{0, 2}))
		m.add(c, 0, "m@2", 2, []byte("short"))
		m.add(d, 0, "m@2", 2, Bytes([]float32{0, 0}))
		m.exec("INSERT INTO chunks VALUES ('foreign', 'areas/a.html', ?, 0, 'text', 4)", memory.Hash{5}.String())
		m.exec("INSERT INTO embeddings VALUES ('foreign', 'm@2', 2, ?, '2026-01-01')", Bytes([]float32{1, 0}))
	}
	for name, close := range map[string]bool{"at rest": true, "in use": false} {
		t.Run(name, func(t *testing.T) {
			m := newMemhtmlRoot(t, "PRAGMA journal_mode = WAL;"+memhtmlSchema)
			fill(m)
			if close {
				m.db.Close()
			}
			got, space, err := m.read()
			want := map[memory.Hash][]float32{a: {0.6, 0.8}, b: {0, 1}}
			if err != nil || space != (Space{"memhtml:m@2", 2}) || !cmp.Equal(want, got) {
				t.Errorf("%v %+v %v", got, space, err)
			}
		})
	}
}

// TestMemhtmlVectorsOfALockedDatabase are those of its last transaction that ended.
func TestMemhtmlVectorsOfALockedDatabase(t *testing.T) {
	m := newMemhtmlRoot(t, memhtmlSchema)
	m.add(memory.Hash{1}, 0, "m@2", 2, Bytes([]float32{3, 4}))
	m.exec("PRAGMA cache_size = 1; BEGIN EXCLUSIVE; UPDATE embeddings SET vec = x'0000803f00000000'")
	for i := range 200 {
		m.exec("INSERT INTO chunks VALUES (?, 'areas/a.html', ?, 0, ?, 4)", fmt.Sprint(i), fmt.Sprint(i), strings.Repeat("text", 200))
	}
	if info, err := os.Stat(m.path() + "-journal"); err != nil || info.Size() == 0 {
		t.Fatal("the database is not being written", err)
	}
	if got, _, err := m.read(); err != nil || !cmp.Equal(map[memory.Hash][]float32{{1}: {0.6, 0.8}}, got) {
		t.Errorf("%v, %v", got, err)
	}
}

// TestLeftCopiesAreForgotten, which a process that was killed left.
func TestLeftCopiesAreForgotten(t *testing.T) {
	m := newMemhtmlRoot(t, "PRAGMA journal_mode = WAL;"+memhtmlSchema)
	m.add(memory.Hash{1}, 0, "m@2", 2, Bytes([]float32{3, 4}))
	left, inUse := filepath.Join(m.scratch, copyPrefix+"1"), filepath.Join(m.scratch, copyPrefix+"2")
	for _, folder := range []string{left, inUse} {
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	long := time.Now().Add(-2 * staleCopy)
	if err := os.Chtimes(left, long, long); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadMemhtml(t.Context(), m.dir, m.scratch, func(memory.Hash, []float32) {}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(left); !os.IsNotExist(err) {
		t.Errorf("the old copy: %v", err)
	}
	if _, err := os.Stat(inUse); err != nil {
		t.Errorf("the copy of another process: %v", err)
	}
	if _, err := ReadMemhtml(t.Context(), m.dir, "", func(memory.Hash, []float32) {}); failure.CodeOf(err) != failure.ModelUnavailable {
		t.Errorf("without a folder for a copy: %v", err)
	}
}

func TestMemhtmlVectorsThatAreNotUsed(t *testing.T) {
	tests := []struct {
		name   string
		script string
		spoil  func(*memhtmlRoot)
		says   string
	}{
		{"none stored", memhtmlSchema, nil, "there are none"},
		{"no database", memhtmlSchema, func(m *memhtmlRoot) { os.Remove(m.path()) }, "there are none"},
		{"another schema", "CREATE TABLE chunks (id)", nil, "another schema"},
		{"other columns", "CREATE TABLE chunks (id); CREATE TABLE embeddings (id); CREATE TABLE schema_migrations (name)", nil, "another schema"},
		{"another ledger", "CREATE TABLE chunks (id); CREATE TABLE embeddings (id); CREATE TABLE schema_migrations (version)", nil, "another schema"},
		{"a later schema", memhtmlSchema + "INSERT INTO schema_migrations VALUES ('0013_vectors.sql', '2027-01-01');", nil, "later memhtml"},
		{"a view", "CREATE TABLE chunks (id); CREATE TABLE schema_migrations (name); CREATE VIEW embeddings AS SELECT 1", nil, "another schema"},
		{"two models", memhtmlSchema, func(m *memhtmlRoot) {
			m.add(memory.Hash{1}, 0, "m@2", 2, Bytes([]float32{3, 4}))
			m.add(memory.Hash{2}, 0, "n@2", 2, Bytes([]float32{3, 4}))
		}, "more than one model"},
		{"noise", memhtmlSchema, func(m *memhtmlRoot) {
			m.db.Close()
			if err := os.WriteFile(m.path(), bytes.Repeat([]byte("noise "), 2000), 0o644); err != nil {
				m.t.Fatal(err)
			}
		}, "cannot be read"},
		{"a link", memhtmlSchema, func(m *memhtmlRoot) {
			m.db.Close()
			elsewhere := filepath.Join(m.t.TempDir(), "other.db")
			if err := os.Rename(m.path(), elsewhere); err != nil {
				m.t.Fatal(err)
			}
			if err := os.Symlink(elsewhere, m.path()); err != nil {
				m.t.Fatal(err)
			}
		}, "not a regular file"},
		{"cut short", memhtmlSchema, func(m *memhtmlRoot) {
			for i := range 200 {
				m.add(memory.Hash{byte(i)}, 0, "m@64", 64, Bytes(slices.Repeat([]float32{1}, 64)))
			}
			m.db.Close()
			if err := os.Truncate(m.path(), 20<<10); err != nil {
				m.t.Fatal(err)
			}
		}, "cannot be read"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := newMemhtmlRoot(t, test.script)
			if test.spoil != nil {
				test.spoil(m)
			} else {
				m.db.Close()
			}
			_, _, err := m.read()
			if failure.CodeOf(err) != failure.ModelUnavailable || !strings.Contains(err.Error(), test.says) {
				t.Errorf("%v, want … %s", err, test.says)
			}
		})
	}
}
