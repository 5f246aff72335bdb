package store

import (
	"os"
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
