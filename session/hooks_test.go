package session

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
)

// TestHooksAreTheOwnersChoice lets a hook refuse, and then skips it.
func TestHooksAreTheOwnersChoice(t *testing.T) {
	f := newFixture(t, four())
	hook := filepath.Join(f.dir, ".git", "hooks", "pre-commit")
	if err := os.MkdirAll(filepath.Dir(hook), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(hook, []byte("#!/bin/sh\nexit 1\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	head := f.head()
	if err := archive(a)(f.root); failure.CodeOf(err) != failure.HookRefused || f.head() != head {
		t.Fatalf("got %v", err)
	}
	root, err := Open(context.Background(), f.dir, Options{Hooks: "skip"})
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := archive(a)(root); err != nil || f.head() == head {
		t.Errorf("got %v", err)
	}
}
