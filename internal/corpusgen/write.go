package corpusgen

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// Write writes the files below dir, which gets a .memhtml folder as the mark
// of a root. Their time stamps are an hour old, so that what is read from them
// is taken to hold at the next start.
func (c *Corpus) Write(dir string) error {
	if err := os.MkdirAll(filepath.Join(dir, ".memhtml"), 0o755); err != nil {
		return err
	}
	made := map[string]bool{}
	old := time.Now().Add(-time.Hour)
	for _, f := range c.Files {
		name := filepath.Join(dir, filepath.FromSlash(f.Path))
		if folder := filepath.Dir(name); !made[folder] {
			made[folder] = true
			if err := os.MkdirAll(folder, 0o755); err != nil {
				return err
			}
		}
		if err := os.WriteFile(name, f.Bytes, 0o644); err != nil {
			return err
		}
		if err := os.Chtimes(name, old, old); err != nil {
			return err
		}
	}
	return nil
}

// Commit makes dir a git repository, branch main, with everything in it as the
// first commit.
func Commit(ctx context.Context, dir string) error {
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"},
		{"config", "user.name", "Corpus"},
		{"config", "user.email", "corpus@example.invalid"},
		{"config", "commit.gpgSign", "false"},
		{"add", "-A"},
		{"commit", "-q", "--no-verify", "-m", "memhtml(init): a generated corpus"},
	} {
		cmd := exec.CommandContext(ctx, "git", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_AUTHOR_DATE=2026-01-01T00:00:00Z", "GIT_COMMITTER_DATE=2026-01-01T00:00:00Z")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("git %s: %w: %s", args[0], err, out)
		}
	}
	return nil
}
