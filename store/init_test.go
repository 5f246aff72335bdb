package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/internal/fault"
)

var scaffoldFiles = map[string][]byte{
	"README.html": []byte("<p>memories\n"), ".gitignore": []byte(".memhtml/index.db\n.memhtml/index.db-*\n"),
	".gitattributes": []byte("*.html diff=html\n"), "areas/.gitkeep": nil, "areas/inbox/.gitkeep": nil,
}

func initAt(t *testing.T, dir string) Result {
	t.Helper()
	res, err := Init(context.Background(), dir, scaffoldFiles, Message{Subject: "memhtml(init): scaffold the memory repository"}, testTime)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// withPerson gives the tests that make their own repository an identity.
func withPerson(t *testing.T) {
	t.Setenv("GIT_AUTHOR_NAME", "Test Person")
	t.Setenv("GIT_AUTHOR_EMAIL", "test@example.com")
	t.Setenv("GIT_COMMITTER_NAME", "Test Person")
	t.Setenv("GIT_COMMITTER_EMAIL", "test@example.com")
}

func TestInitNewFolder(t *testing.T) {
	withPerson(t)
	s := &sandbox{t, filepath.Join(t.TempDir(), "new", "mem")}
	first := initAt(t, s.dir)
	if first.Commit == "" {
		t.Fatal("no commit")
	}
	s.clean()
	s.sound()
	want := ".gitattributes\n.gitignore\nREADME.html\nareas/.gitkeep\nareas/inbox/.gitkeep\n"
	if got := s.git("ls-tree", "-r", "--name-only", "main"); got != want {
		t.Errorf("committed:\n%s", got)
	}
	if got := s.git("config", "merge.ours.driver"); got != "true\n" {
		t.Errorf("merge.ours.driver is %q", got)
	}
	if got := s.git("log", "--format=%s"); got != "memhtml(init): scaffold the memory repository\n" {
		t.Errorf("log: %s", got)
	}
	before := s.digest()
	if again := initAt(t, s.dir); again.Commit != "" || s.digest() != before {
		t.Errorf("a second run made %q and changed\n%s", again.Commit, diffLines(before, s.digest()))
	}
}

func TestInitHalfMade(t *testing.T) {
	s := newSandbox(t)
	s.write(".gitignore", "*.tmp\n.memhtml/index.db")
	s.git("add", ".gitignore")
	s.git("commit", "-q", "-m", "rules")
	s.write("areas/.gitkeep", "")
	os.Remove(s.path("README.html"))
	s.write("staged.txt", "staged\n")
	s.git("add", "staged.txt")
	initAt(t, s.dir)
	if got := s.git("status", "--porcelain"); got != "A  staged.txt\n" {
		t.Errorf("status:\n%s", got)
	}
	got := map[string]string{}
	for _, p := range []string{".gitignore", "README.html", "areas/.gitkeep", "areas/inbox/.gitkeep"} {
		got[p] = s.git("show", "HEAD:"+p)
	}
	want := map[string]string{
		".gitignore":  "*.tmp\n.memhtml/index.db\n.memhtml/index.db-*\n",
		"README.html": "<p>memories\n", "areas/.gitkeep": "", "areas/inbox/.gitkeep": "",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	s.sound()
}

func TestInitBelowTop(t *testing.T) {
	s := newSandbox(t)
	initAt(t, s.path("docs/memory"))
	s.clean()
	if got := s.git("show", "HEAD:docs/memory/.gitattributes"); got != "*.html diff=html\n" {
		t.Errorf("got %q", got)
	}
}

// TestInitAfterAKilledInit finishes what is begun before it looks what is
// missing.
func TestInitAfterAKilledInit(t *testing.T) {
	withPerson(t)
	s := &sandbox{t, filepath.Join(t.TempDir(), "mem")}
	died := false
	fault.Step = func(step string) error {
		// All steps fail from the commit point on, those of undoing too, which
		// leaves what a kill leaves.
		if died = died || step == StepSync; died {
			return syscall.EIO
		}
		return nil
	}
	_, err := Init(context.Background(), s.dir, scaffoldFiles, Message{Subject: "init"}, testTime)
	fault.Step = nil
	if err == nil || !exists(s.path(".git/index.lock")) {
		t.Fatal("init was not cut short:", err)
	}
	initAt(t, s.dir)
	s.clean()
	s.sound()
	if got := s.git("log", "--format=%s"); got != "init\n" {
		t.Errorf("log: %s", got)
	}
}

// TestInitInParallel lets eight at once find nothing there.
func TestInitInParallel(t *testing.T) {
	withPerson(t)
	s := &sandbox{t, filepath.Join(t.TempDir(), "mem")}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			_, err := Init(context.Background(), s.dir, scaffoldFiles, Message{Subject: "init"}, testTime)
			if err != nil {
				t.Error(err, errors.Unwrap(err))
			}
		})
	}
	wg.Wait()
	s.clean()
	s.sound()
	if got := s.git("log", "--format=%s"); got != "init\n" {
		t.Errorf("log: %s", got)
	}
}

// TestInitSaysWhatIsInTheWay has a link or a file where a folder is needed.
func TestInitSaysWhatIsInTheWay(t *testing.T) {
	for _, tt := range []struct {
		name, says string
		make       func(path string) error
		code       failure.Code
	}{
		{"areas", "areas is a link", func(p string) error { return os.Symlink(os.TempDir(), p) }, failure.GitState},
		{"areas", "areas is needed as a folder", func(p string) error { return os.WriteFile(p, nil, 0o666) }, failure.DestinationExists},
		{".gitignore", ".gitignore is a link", func(p string) error { return os.Symlink("nowhere", p) }, failure.GitState},
		{".gitignore", ".gitignore is needed as a file", func(p string) error { return os.Mkdir(p, 0o777) }, failure.DestinationExists},
	} {
		s := newSandbox(t)
		if err := os.RemoveAll(s.path(tt.name)); err != nil {
			t.Fatal(err)
		}
		if err := tt.make(s.path(tt.name)); err != nil {
			t.Fatal(err)
		}
		_, err := Init(context.Background(), s.dir, scaffoldFiles, Message{Subject: "init"}, testTime)
		var f *failure.Error
		if !errors.As(err, &f) || f.Code != tt.code || !strings.HasPrefix(f.Message, tt.says) {
			t.Errorf("got %v, want %s %q", err, tt.code, tt.says)
		}
		if out := s.git("log", "--format=%s"); out != "first\n" {
			t.Errorf("committed:\n%s", out)
		}
	}
}
