package store

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/memory"
)

// hermetic cuts the tests off from the configuration of the machine.
func hermetic(home string) {
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); strings.HasPrefix(name, "GIT_") {
			os.Unsetenv(name)
		}
	}
	for k, v := range map[string]string{
		"HOME": home, "XDG_CONFIG_HOME": filepath.Join(home, "xdg"),
		"GIT_CONFIG_GLOBAL": filepath.Join(home, "gitconfig"), "GIT_CONFIG_NOSYSTEM": "1", "GIT_ATTR_NOSYSTEM": "1",
		"EMAIL": "",
	} {
		os.Setenv(k, v)
	}
}

// sandbox is a repository made and judged by the git command.
type sandbox struct {
	t   testing.TB
	dir string
}

var testTime = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

const (
	drain = "areas/ops/drain.html"
	pool  = "areas/ops/pool-size.html"
	moved = "archive/2026/areas/ops/drain.html"
)

// newSandbox makes a repository with two memories and one commit.
func newSandbox(t testing.TB, initArgs ...string) *sandbox {
	t.Helper()
	s := &sandbox{t, filepath.Join(t.TempDir(), "mem")}
	if err := os.MkdirAll(s.dir, 0o777); err != nil {
		t.Fatal(err)
	}
	s.git(append([]string{"init", "-q", "-b", "main"}, initArgs...)...)
	s.person()
	s.write(drain, article("drain", "Drain a node before its kernel is updated."))
	s.write(pool, article("pool", "The connection pool ceiling is 64."))
	s.write("README.html", "<p>memories\n")
	s.git("add", ".")
	s.git("commit", "-q", "-m", "first")
	return s
}

func (s *sandbox) person() {
	s.git("config", "user.name", "Test Person")
	s.git("config", "user.email", "test@example.com")
}

func article(title, text string) string {
	return "<!doctype html>\n<title>" + title + "</title>\n<article>\n<p><mark>" + text + "</mark></p>\n</article>\n"
}

func (s *sandbox) git(args ...string) string {
	s.t.Helper()
	out, err := s.try(args...)
	if err != nil {
		s.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

func (s *sandbox) try(args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = s.dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// feed runs git with a standard input.
func (s *sandbox) feed(in string, args ...string) {
	s.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Stdin = s.dir, strings.NewReader(in)
	if out, err := cmd.CombinedOutput(); err != nil {
		s.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

func (s *sandbox) path(p string) string { return filepath.Join(s.dir, filepath.FromSlash(p)) }

func (s *sandbox) write(p, text string) {
	s.t.Helper()
	if err := os.MkdirAll(filepath.Dir(s.path(p)), 0o777); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(s.path(p), []byte(text), 0o666); err != nil {
		s.t.Fatal(err)
	}
}

func (s *sandbox) read(p string) string {
	s.t.Helper()
	b, err := os.ReadFile(s.path(p))
	if err != nil {
		s.t.Fatal(err)
	}
	return string(b)
}

// open opens the repository at a folder below the sandbox.
func (s *sandbox) open(below ...string) *Repo {
	s.t.Helper()
	r, err := Open(context.Background(), filepath.Join(append([]string{s.dir}, below...)...), Options{})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { r.Close() })
	return r
}

// archive is a plan that moves a file with one added line, as archiving does.
func (s *sandbox) archive(from, to string) Plan {
	s.t.Helper()
	text := s.read(from)
	return Plan{Changes: []Change{move(from, to, text)}, Message: Message{Subject: "memhtml(archive): " + from}, At: testTime}
}

func move(from, to, text string) Change {
	return Change{From: from, Path: to, Expect: sum(text), After: []byte(strings.Replace(text, "<article>", "<meta name=\"memhtml-archived\">\n<article>", 1))}
}

func sum(text string) *memory.Hash {
	h := memory.Hash(sha256.Sum256([]byte(text)))
	return &h
}

func (s *sandbox) commit(r *Repo, p Plan) Result {
	s.t.Helper()
	res, err := r.Commit(context.Background(), p)
	if err != nil {
		s.t.Fatalf("commit: %v (%v)", err, errors.Unwrap(err))
	}
	return res
}

// sound is what must hold after whatever the store did (S1 to S9): objects
// whole, index readable, no lock, no journal and no temp left.
func (s *sandbox) sound() {
	s.t.Helper()
	if out, err := s.try("fsck", "--strict", "--no-dangling"); err != nil || strings.Contains(out, "error") {
		s.t.Errorf("fsck: %v\n%s", err, out)
	}
	s.noLeftovers()
}

func (s *sandbox) noLeftovers() {
	s.t.Helper()
	err := filepath.WalkDir(s.dir, func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case strings.HasSuffix(p, ".lock") && d.Name() != "writer.lock",
			d.Name() == "journal.json", strings.Contains(d.Name(), "memhtml-ls-"), strings.HasPrefix(d.Name(), wholePrefix), strings.HasPrefix(d.Name(), "tmp_obj_"):
			s.t.Errorf("left behind: %s", p)
		}
		return nil
	})
	if err != nil {
		s.t.Fatal(err)
	}
}

// clean demands a worktree without changes.
func (s *sandbox) clean() {
	s.t.Helper()
	if out := s.git("status", "--porcelain"); out != "" {
		s.t.Errorf("status is not clean:\n%s", out)
	}
}

// digest is everything a refusal must leave alone: files, index, references
// and their logs.
func (s *sandbox) digest() string {
	s.t.Helper()
	return digest(s.t, s.dir)
}

func digest(t testing.TB, dir string) string {
	t.Helper()
	var lines []string
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel := filepath.ToSlash(strings.TrimPrefix(p, dir))
		switch {
		case d.IsDir() && (strings.HasSuffix(rel, "/objects") || strings.HasSuffix(rel, "/memhtml-ls")):
			return fs.SkipDir
		case d.IsDir() && strings.Contains(rel, "/.git"):
			return nil
		case d.IsDir():
			lines = append(lines, rel+"/")
			return nil
		}
		if !d.Type().IsRegular() {
			lines = append(lines, rel+" "+d.Type().String())
			return nil
		}
		b, err := os.ReadFile(p)
		lines = append(lines, fmt.Sprintf("%s %x", rel, sha256.Sum256(b)))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	sort.Strings(lines)
	return strings.Join(lines, "\n")
}

// refused demands that a plan is refused with a code and that nothing changes.
func (s *sandbox) refused(r *Repo, p Plan, code failure.Code) *failure.Error {
	s.t.Helper()
	before := s.digest()
	_, err := r.Commit(context.Background(), p)
	var f *failure.Error
	if !errors.As(err, &f) || f.Code != code {
		s.t.Fatalf("got %v, want %s", err, code)
	}
	if f.Message == "" || !strings.HasSuffix(f.Message, ".") {
		s.t.Errorf("not a sentence: %q", f.Message)
	}
	if after := s.digest(); after != before {
		s.t.Errorf("a refusal changed something:\nbefore\n%s\nafter\n%s", before, after)
	}
	return f
}
