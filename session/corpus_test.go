package session

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/memhtml-ls/memhtml-ls/memory"
)

// Whatever became of the database, a write is answered from the files.
func TestDuplicateIsRefusedWithoutASoundDatabase(t *testing.T) {
	const text = "The kiln fires on Friday"
	tests := []struct {
		name  string
		spoil func(t *testing.T, path string)
	}{
		{"missing", func(t *testing.T, path string) { removeAll(t, path) }},
		{"noise", func(t *testing.T, path string) { overwrite(t, path, bytes.Repeat([]byte("noise "), 4096)) }},
		{"a folder", func(t *testing.T, path string) {
			removeAll(t, path)
			if err := os.MkdirAll(filepath.Join(path, "x"), 0o755); err != nil {
				t.Fatal(err)
			}
		}},
		{"spoilt pages", func(t *testing.T, path string) {
			source, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			overwrite(t, path, append(source[:4096:4096], bytes.Repeat([]byte{0xff}, len(source)-4096)...))
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := newFixture(t, nil)
			first := mustWrite(t, f.alone(), fact("Kiln", text))
			f.flush(f.alone())
			if err := f.root.Close(); err != nil {
				t.Fatal(err)
			}
			test.spoil(t, filepath.Join(f.dir, ".git", "memhtml-ls", "index.db"))
			if got := mustWrite(t, f.alone(), fact("Again", text)); got.ExistingPath != first.Path {
				t.Errorf("%+v", got)
			}
			if got := mustWrite(t, f.alone(), fact("Other", "The kiln rests on Sunday")); got.Action != OutcomeCreated {
				t.Errorf("%+v", got)
			}
		})
	}
}

func removeAll(t *testing.T, path string) {
	t.Helper()
	for _, part := range []string{"", "-wal", "-shm"} {
		if err := os.RemoveAll(path + part); err != nil {
			t.Fatal(err)
		}
	}
}

func overwrite(t *testing.T, path string, text []byte) {
	t.Helper()
	removeAll(t, path)
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// A watermark that git no longer has means that the rows are made anew.
func TestWatermarkThatIsGoneIsNoObstacle(t *testing.T) {
	f := newFixture(t, pools())
	mustWrite(t, f.alone(), fact("Kiln", "The kiln fires on Friday"))
	f.sql("UPDATE meta SET value = '0123456789012345678901234567890123456789' WHERE key = 'head'; DELETE FROM files")
	if got := mustWrite(t, f.alone(), fact("Again", "The kiln fires on Friday")); got.Action != OutcomeDeduped {
		t.Errorf("%+v", got)
	}
}

// The database says only what the tree says: what a command leaves in it is what
// a start from the files makes.
func TestCommandsLeaveTheDatabaseOfTheFiles(t *testing.T) {
	f := newFixture(t, pools())
	root := f.alone()
	kept := mustWrite(t, root, fact("Kiln", "The kiln fires on Friday"))
	if _, err := root.Archive(context.Background(), ArchiveRequest{Path: other}); err != nil {
		t.Fatal(err)
	}
	mustUpdate(t, root, UpdateRequest{Path: kept.Path, Claim: p("The kiln rests")})
	f.flush(root)
	incremental := f.rows()
	removeAll(t, filepath.Join(f.dir, ".git", "memhtml-ls", "index.db"))
	f.flush(f.alone())
	if got := f.rows(); got != incremental {
		t.Errorf("from the files\n%s\nafter the commands\n%s", got, incremental)
	}
}

// A server writes its state into the database whenever it likes, also between the
// two looks of a command at it: an older one would hide what was just written.
func TestOlderStateWrittenBesideACommandHidesNothing(t *testing.T) {
	f := newFixture(t, nil)
	first := mustWrite(t, f.alone(), fact("Kiln", "The kiln fires on Friday"))
	before := strings.TrimSpace(f.git("rev-parse", "HEAD~1"))
	root := f.alone()
	corpus, err := root.openCorpus(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer corpus.close()
	f.sql("DELETE FROM files; DELETE FROM claims; UPDATE meta SET value = '" + before + "' WHERE key = 'head'")
	hash, _ := memory.ParseHash(first.ContentHash)
	if path, err := corpus.holder(context.Background(), hash, ""); err != nil || path != first.Path {
		t.Errorf("held by %q, %v; want %s", path, err, first.Path)
	}
}

// A database that another process has brought to a commit that the server never
// stopped at is brought up from there, not marked as if it were.
func TestServerWritesOverADatabaseThatWasMovedOn(t *testing.T) {
	f := newFixture(t, pools())
	f.flush(f.root)
	mustWrite(t, f.alone(), fact("Kiln", "The kiln fires on Friday"))
	f.flush(f.alone())
	moved := f.head()
	f.write("areas/gate.html", claim("Gate a opens at 5", 1))
	f.git("add", "-A")
	f.git("commit", "-q", "-m", "gate")
	f.write(other, claim("Not committed", 2))
	if _, err := f.root.Poll(context.Background()); err != nil {
		t.Fatal(err)
	}
	f.flush(f.root)
	if mark := f.query("SELECT value FROM meta WHERE key = 'head'"); mark != moved {
		t.Errorf("marked %s at once, had %s", mark, moved)
	}
	f.flush(f.root)
	if mark := f.query("SELECT value FROM meta WHERE key = 'head'"); mark != f.head() {
		t.Errorf("marked %s, HEAD is %s", mark, f.head())
	}
	incremental := f.rows()
	removeAll(t, filepath.Join(f.dir, ".git", "memhtml-ls", "index.db"))
	f.flush(f.alone())
	if got := f.rows(); got != incremental {
		t.Errorf("from the files\n%s\nafter the server\n%s", got, incremental)
	}
}

// A write that failed waits for the next: it is not lost under a newer watermark.
func TestFailedWriteOfTheDatabaseWaits(t *testing.T) {
	f := newFixture(t, pools())
	f.flush(f.root)
	f.write("areas/gate.html", claim("Gate a opens at 5", 1))
	if _, err := f.root.Poll(context.Background()); err != nil {
		t.Fatal(err)
	}
	ended, end := context.WithCancel(context.Background())
	end()
	if err := f.root.cache.flush(ended); err == nil {
		t.Fatal("written although cancelled")
	}
	f.remove(other)
	if _, err := f.root.Poll(context.Background()); err != nil {
		t.Fatal(err)
	}
	f.flush(f.root)
	if paths := f.query("SELECT group_concat(path, ' ') FROM files ORDER BY path"); !strings.Contains(paths, "gate") || strings.Contains(paths, other) {
		t.Errorf("the database has %s", paths)
	}
}

// rows are the facts of the database that do not depend on when a file was read.
func (f *fixture) rows() string {
	f.t.Helper()
	return f.query(`SELECT group_concat(line, char(10)) FROM (
	SELECT path || ' ' || hex(content_hash) || ' ' || tracked || ' ' || accepted || ' ' || frame_key AS line FROM files
	UNION ALL SELECT 'claim ' || hex(hash) || ' ' || path FROM claims
	UNION ALL SELECT key || ' ' || value FROM meta ORDER BY 1)`)
}

func TestWriteToAnUnbornBranchBelowTheTop(t *testing.T) {
	hermeticGit(t)
	top := t.TempDir()
	if out, err := exec.Command("git", "-C", top, "init", "-q").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	dir := filepath.Join(top, "memory")
	if err := os.MkdirAll(filepath.Join(dir, ".memhtml"), 0o755); err != nil {
		t.Fatal(err)
	}
	f := &fixture{t: t, dir: dir}
	root := f.alone()
	first := mustWrite(t, root, fact("Kiln", "The kiln fires on Friday"))
	second := mustWrite(t, root, fact("Kiln", "The kiln rests on Sunday"))
	again := mustWrite(t, root, fact("Kiln", "The kiln fires on Friday"))
	if first.Path != "areas/inbox/kiln.html" || second.Path != "areas/inbox/kiln-2.html" || again.ExistingPath != first.Path {
		t.Errorf("%+v\n%+v\n%+v", first, second, again)
	}
	f.fsck()
}

// Other git commands beside four writing processes lose nothing (D1).
func TestNoWriteIsLostBesideGit(t *testing.T) {
	f := newFixture(t, nil)
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		f.bother(ctx)
	}()
	lines, complaints := f.run(4, "different")
	stop()
	<-done
	count, paths := outcomes(t, lines)
	if len(complaints) > 0 || count[OutcomeCreated] != 100 || len(paths) != 100 {
		t.Errorf("%v, %d paths, refused %q", count, len(paths), complaints)
	}
	made := f.git("rev-list", "--all")
	for _, line := range lines {
		var result WriteResult
		if err := json.Unmarshal([]byte(line), &result); err != nil || !strings.Contains(made, *result.Commit) {
			t.Errorf("%v: the commit of %s is on no branch", err, line)
		}
	}
	f.fsck()
}

// bother runs git over and over: it adds and commits a file of its own, makes
// branches and packs. What git itself refuses, because a lock is held, is not
// what is tested.
func (f *fixture) bother(ctx context.Context) {
	for n := 0; ctx.Err() == nil; n++ {
		name := filepath.Join(f.dir, "notes.txt")
		_ = os.WriteFile(name, []byte(time.Now().String()), 0o644)
		for _, args := range [][]string{
			{"add", "notes.txt"},
			{"commit", "-q", "-m", "notes", "notes.txt"},
			{"checkout", "-q", "-b", "b" + time.Now().Format("150405.000000000")},
			{"gc", "-q"},
		} {
			if args[0] == "gc" && n%5 != 4 {
				continue
			}
			_ = exec.Command("git", append([]string{"-C", f.dir}, args...)...).Run()
		}
	}
}
