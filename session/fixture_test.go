package session

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
)

// fixture is a memory root in a git repository of its own.
type fixture struct {
	t    *testing.T
	dir  string
	root *Root
}

var at = time.Date(2026, 5, 2, 8, 30, 0, 0, time.UTC)

// newFixture commits the files and opens and indexes the root.
func newFixture(t *testing.T, files map[string]string) *fixture {
	t.Helper()
	f := newRepository(t, files)
	f.open()
	return f
}

// newRepository commits the files and leaves the root closed.
func newRepository(t *testing.T, files map[string]string) *fixture {
	t.Helper()
	f := &fixture{t: t, dir: t.TempDir()}
	hermeticGit(t)
	f.git("init", "-q", "-b", "main")
	for path, text := range files {
		f.write(path, text)
	}
	f.git("add", "-A")
	f.git("commit", "-q", "--allow-empty", "-m", "start")
	return f
}

// hermeticGit keeps the configuration of the person who runs the tests out.
func hermeticGit(t *testing.T) {
	t.Helper()
	for name, value := range map[string]string{
		"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_SYSTEM": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1",
		"GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "ada@example.org",
		"GIT_COMMITTER_NAME": "Ada", "GIT_COMMITTER_EMAIL": "ada@example.org",
	} {
		t.Setenv(name, value)
	}
}

func (f *fixture) open() {
	f.t.Helper()
	root, err := Open(context.Background(), f.dir, Options{Model: true, Now: func() time.Time { return at }})
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() {
		if err := root.Close(); err != nil {
			f.t.Error(err)
		}
	})
	if err := root.Index(context.Background(), nil); err != nil {
		f.t.Fatal(err)
	}
	f.root = root
}

func (f *fixture) write(path, text string) {
	f.t.Helper()
	name := filepath.Join(f.dir, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		f.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) read(path string) string {
	f.t.Helper()
	text, err := os.ReadFile(filepath.Join(f.dir, filepath.FromSlash(path)))
	if err != nil {
		f.t.Fatal(err)
	}
	return string(text)
}

func (f *fixture) remove(path string) {
	f.t.Helper()
	if err := os.Remove(filepath.Join(f.dir, filepath.FromSlash(path))); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) git(args ...string) string {
	f.t.Helper()
	command := exec.Command("git", args...)
	command.Dir = f.dir
	out, err := command.CombinedOutput()
	if err != nil {
		f.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// codes lists "path code other" for every finding of the current View.
func (f *fixture) codes() []string {
	f.t.Helper()
	var lines []string
	for file := range f.root.View().Snapshot.All() {
		for _, finding := range f.findings(file.Path) {
			line := finding.Path + " " + string(finding.Code)
			if finding.Data.Other != "" {
				line += " " + finding.Data.Other
			}
			lines = append(lines, line)
		}
	}
	return lines
}

func (f *fixture) findings(path string) []diagnostics.Finding {
	f.t.Helper()
	report, err := f.root.View().Report(path)
	if err != nil {
		f.t.Fatal(err)
	}
	return report.Findings
}

// archivedClaim is claim as it is in the archive.
func archivedClaim(text string, day int, metas ...string) string {
	return strings.Replace(claim(text, day, metas...), `"active"`, `"archived"`, 1)
}

// claim is a memory whose whole text is one claim. Its created date grows with
// day, which makes it later.
func claim(text string, day int, metas ...string) string {
	return fmt.Sprintf(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>%[1]s</title>
<meta name="memhtml-type" content="semantic">
<meta name="memhtml-status" content="active">
<meta name="memhtml-created" content="2026-01-%02[2]dT08:00:00Z">
<meta name="memhtml-updated" content="2026-01-%02[2]dT08:00:00Z">
%[3]s</head>
<body>
<article>
<p><mark>%[1]s</mark></p>
</article>
</body>
</html>
`, text, day, strings.Join(metas, ""))
}

// digest is the bytes of everything that a refusal must leave as it was: the
// tree, what is hidden from git included, git's index, HEAD, references and logs.
func (f *fixture) digest() string {
	f.t.Helper()
	sum := sha256.New()
	err := filepath.WalkDir(f.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(f.dir, path)
		name = filepath.ToSlash(name)
		if name == ".git/memhtml-ls" || name == ".git/objects" {
			return fs.SkipDir
		}
		fmt.Fprintln(sum, name)
		if entry.Type().IsRegular() {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			sum.Write(text)
		}
		return nil
	})
	if err != nil {
		f.t.Fatal(err)
	}
	return fmt.Sprintf("%x", sum.Sum(nil))
}

// alone is a root that was opened for one command and is never indexed.
func (f *fixture) alone() *Root {
	f.t.Helper()
	root, err := Open(context.Background(), f.dir, Options{Now: func() time.Time { return at }})
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { root.Close() })
	return root
}

// roots runs a test on a root that a server has, and on one of a command line.
func roots(t *testing.T, files map[string]string, test func(t *testing.T, f *fixture, root *Root)) {
	t.Run("indexed", func(t *testing.T) {
		f := newFixture(t, files)
		test(t, f, f.root)
	})
	t.Run("alone", func(t *testing.T) {
		f := newFixture(t, files)
		test(t, f, f.alone())
	})
}

func (f *fixture) head() string {
	f.t.Helper()
	return strings.TrimSpace(f.git("rev-parse", "HEAD"))
}

// flush makes the database know what was committed.
func (f *fixture) flush(root *Root) {
	f.t.Helper()
	if root.indexed() {
		if err := root.cache.flush(context.Background()); err != nil {
			f.t.Fatal(err)
		}
		return
	}
	corpus, err := root.openCorpus(context.Background())
	if err != nil {
		f.t.Fatal(err)
	}
	corpus.close()
}

// sql changes the database behind everybody's back.
func (f *fixture) sql(statement string) {
	f.t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(f.dir, ".git", "memhtml-ls", "index.db")+"?_pragma=busy_timeout(10000)")
	if err != nil {
		f.t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(statement); err != nil {
		f.t.Fatal(err)
	}
}

// query is the first value of a query's answer.
func (f *fixture) query(text string) (value string) {
	f.t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(f.dir, ".git", "memhtml-ls", "index.db")+"?_pragma=busy_timeout(10000)")
	if err != nil {
		f.t.Fatal(err)
	}
	defer db.Close()
	if err := db.QueryRow(text).Scan(&value); err != nil {
		f.t.Fatal(err)
	}
	return value
}
