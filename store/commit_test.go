package store

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestMain(m *testing.M) {
	if spec := os.Getenv(childVariable); spec != "" {
		os.Exit(runChild(spec))
	}
	if secret := os.Getenv(signerVariable); secret != "" && strings.Contains(strings.Join(os.Args[1:], " "), "--status-fd") {
		os.Exit(runSigner(secret, os.Args[1:]))
	}
	home, err := os.MkdirTemp("", "store-home")
	if err != nil {
		panic(err)
	}
	hermetic(home)
	code := m.Run()
	os.RemoveAll(home)
	os.Exit(code)
}

func TestArchive(t *testing.T) {
	s := newSandbox(t)
	s.git("status")
	res := s.commit(s.open(), s.archive(drain, moved))
	if got := strings.TrimSpace(s.git("rev-parse", "HEAD")); got != res.Commit {
		t.Errorf("HEAD is %s, result says %s", got, res.Commit)
	}
	s.clean()
	s.sound()
	if out := s.git("diff-files"); out != "" {
		t.Errorf("diff-files:\n%s", out)
	}
	if out := s.git("log", "--follow", "--format=%s", moved); out != "memhtml(archive): areas/ops/drain.html\nfirst\n" {
		t.Errorf("log --follow:\n%s", out)
	}
	if out := s.git("reflog", "-1", "--format=%gs"); out != "commit: memhtml(archive): areas/ops/drain.html\n" {
		t.Errorf("reflog:\n%s", out)
	}
	if out := s.git("log", "-1", "--format=%an <%ae> %at %cn <%ce> %ct"); out != "Test Person <test@example.com> 1772600767 Test Person <test@example.com> 1772600767\n" {
		t.Errorf("identity: %s", out)
	}
	if out := s.git("show", "--format=", "--name-status", "-M"); out != "R077\tareas/ops/drain.html\tarchive/2026/areas/ops/drain.html\n" {
		t.Logf("name-status: %s", out)
	}
}

// TestOneProcessOfGit counts what a commit starts where neither hooks nor
// signing nor an odd index ask for more: the question for the settings.
func TestOneProcessOfGit(t *testing.T) {
	s := newSandbox(t)
	s.hookScript("pre-push", "exit 1")
	s.git("config", "core.autocrlf", "true")
	s.write(pool, strings.ReplaceAll(s.read(pool), "\n", "\r\n"))
	plan := Plan{Changes: []Change{
		move(drain, moved, s.read(drain)),
		move(pool, "archive/pool.html", s.read(pool)),
		{Path: "areas/new.html", After: []byte("new\n")},
	}, At: testTime}
	r := s.open()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	bin, count := t.TempDir(), filepath.Join(t.TempDir(), "count")
	script := "#!/bin/sh\necho \"$@\" >>'" + count + "'\nexec '" + git + "' \"$@\"\n"
	if err := os.WriteFile(filepath.Join(bin, "git"), []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	path := os.Getenv("PATH")
	t.Setenv("PATH", bin+string(os.PathListSeparator)+path)
	s.commit(r, plan)
	t.Setenv("PATH", path)
	if b, err := os.ReadFile(count); err != nil || string(b) != "var -l\n" {
		t.Errorf("started %q, %v", b, err)
	}
	s.clean()
}
