package session

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
)

// TestHooksAreTheOwnersChoice lets a hook refuse, and then skips it.
func TestHooksAreTheOwnersChoice(t *testing.T) {
	f := newFixture(t, four())
	var log bytes.Buffer
	hook := filepath.Join(f.dir, ".git", "hooks", "pre-commit")
	if err := os.MkdirAll(filepath.Dir(hook), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(hook, []byte("#!/bin/sh\necho not today\nexit 1\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	head := f.head()
	careful, err := Open(context.Background(), f.dir, Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	defer careful.Close()
	if err := archive(a)(careful); failure.CodeOf(err) != failure.HookRefused || f.head() != head {
		t.Fatalf("got %v", err)
	}
	if !strings.Contains(log.String(), "not today") {
		t.Errorf("log: %s", &log)
	}
	root, err := Open(context.Background(), f.dir, Options{User: own(t, `{"git": {"hooks": "skip"}}`)})
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := archive(a)(root); err != nil || f.head() == head {
		t.Errorf("got %v", err)
	}
}
