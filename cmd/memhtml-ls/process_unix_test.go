//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// testLimit bounds every process a test starts.
const testLimit = 60 * time.Second

// process is the command in a folder, with the settings of the test alone.
func process(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), testLimit)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, os.Args[0], args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), hermetic(dir)...)
	cmd.Env = append(cmd.Env, asCommand+"=1")
	return cmd
}

// outcome is what a process answered.
type outcome struct {
	Status         int
	Stdout, Stderr string
}

func runIn(t *testing.T, dir string, args ...string) outcome {
	t.Helper()
	return outcomeOf(t, process(t, dir, args...))
}

func outcomeOf(t *testing.T, cmd *exec.Cmd) outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if cmd.Stdout == nil {
		cmd.Stdout = &stdout
	}
	cmd.Stderr = &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return outcome{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// newRoot makes a committed root that holds the given memories, by path.
func newRoot(t *testing.T, claims map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for path, claim := range claims {
		put(t, filepath.Join(dir, path), memoryText(claim, "2026-01-02T03:04:05Z"))
	}
	gitIn(t, dir, "init", "-q", "-b", "main")
	gitIn(t, dir, "add", "-A")
	gitIn(t, dir, "commit", "-q", "-m", "start")
	return dir
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func gitIn(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), hermetic(dir)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

func TestTwelveProcessesArchiveOneFileOnce(t *testing.T) {
	dir := newRoot(t, map[string]string{"areas/a.html": "The gate closes at ten.", "areas/b.html": "The bar opens at noon."})
	const processes = 12
	results := make([]outcome, processes)
	var group sync.WaitGroup
	for i := range processes {
		cmd := process(t, dir, "archive", "areas/a.html", "--format", "json")
		group.Go(func() { results[i] = outcomeOf(t, cmd) })
	}
	group.Wait()
	already, commits := 0, map[string]bool{}
	for _, result := range results {
		var envelope struct {
			Data struct {
				Commit  string
				Already bool
			}
		}
		if err := json.Unmarshal([]byte(result.Stdout), &envelope); err != nil || result.Status != 0 {
			t.Fatalf("status %d, stdout %s, stderr %s, %v", result.Status, result.Stdout, result.Stderr, err)
		}
		if envelope.Data.Already {
			already++
		}
		commits[envelope.Data.Commit] = true
	}
	if already != processes-1 || len(commits) != 1 {
		t.Errorf("%d of %d say already, commits %v", already, processes, commits)
	}
	if got := strings.TrimSpace(gitIn(t, dir, "rev-list", "--count", "HEAD")); got != "2" {
		t.Errorf("%s commits, want 2", got)
	}
	if got := gitIn(t, dir, "status", "--porcelain"); got != "" {
		t.Errorf("git status says %q", got)
	}
	gitIn(t, dir, "fsck", "--strict")
}

func TestCorruptDatabaseIsReplaced(t *testing.T) {
	dir := newRoot(t, map[string]string{"areas/a.html": "The pool ceiling is 64.", "areas/b.html": "The pool ceiling is 128."})
	want := runIn(t, dir, "check")
	put(t, filepath.Join(dir, ".git/memhtml-ls/index.db"), strings.Repeat("this is no database ", 1000))
	got := runIn(t, dir, "check")
	if diff := cmp.Diff(want.Stdout, got.Stdout); diff != "" || got.Status != want.Status {
		t.Errorf("status %d, stderr %s, stdout (-sound +corrupt):\n%s", got.Status, got.Stderr, diff)
	}
}

func TestLockedDatabaseDoesNotStopACheck(t *testing.T) {
	dir := newRoot(t, map[string]string{"areas/a.html": "The pool ceiling is 64.", "areas/b.html": "The pool ceiling is 128."})
	want := runIn(t, dir, "check")
	unlock := lockDatabase(t, filepath.Join(dir, ".git/memhtml-ls/index.db"))
	put(t, filepath.Join(dir, "areas/c.html"), memoryText("The lift is broken.", "2026-01-02"))
	got := runIn(t, dir, "check")
	unlock()
	told := strings.Contains(got.Stderr, "Note: The index could not be kept for the next start.")
	if got.Status != want.Status || !told || !strings.Contains(got.Stdout, "frame-key-conflict") {
		t.Errorf("status %d, stdout %s, stderr %s", got.Status, got.Stdout, got.Stderr)
	}
}

func TestReaderWhoGoesAwayEndsTheProcessQuietly(t *testing.T) {
	claims := map[string]string{}
	for _, name := range strings.Split("abcdefghijklmnopqrstuvwxyz", "") {
		claims["areas/"+name+".html"] = "The pool ceiling is 64."
	}
	dir := newRoot(t, claims)
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	reader.Close()
	defer writer.Close()
	cmd := process(t, dir, "check", "--format", "json")
	cmd.Stdout = writer
	got := outcomeOf(t, cmd)
	status := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if got.Stderr != "" || !status.Signaled() || status.Signal() != syscall.SIGPIPE {
		t.Errorf("ended with %v, stderr %q", cmd.ProcessState, got.Stderr)
	}
}

// TestInterruptedDemoLeavesNothing interrupts the demo when it has begun to tell
// its story, and so has a server.
func TestInterruptedDemoLeavesNothing(t *testing.T) {
	temp := t.TempDir()
	cmd := process(t, temp, "demo")
	cmd.Env = append(cmd.Env, "TMPDIR="+temp)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "1. ") {
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, out)
	_ = cmd.Wait()
	if got := cmd.ProcessState.ExitCode(); got != statusStopped {
		t.Errorf("exit status %d, want %d", got, statusStopped)
	}
	left, err := os.ReadDir(temp)
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestUnreadableFileIsAFinding(t *testing.T) {
	dir := newRoot(t, map[string]string{"areas/a.html": "The gate closes at ten.", "areas/b.html": "The bar opens at noon."})
	if err := os.Chmod(filepath.Join(dir, "areas/b.html"), 0); err != nil {
		t.Fatal(err)
	}
	check := powerless(t, dir, "check", "--fail-on", "hint")
	got := outcomeOf(t, check)
	if got.Status != statusNo || !strings.Contains(got.Stdout, "areas/b.html:1:1  warning      not-indexed") {
		t.Errorf("status %d, stdout %s, stderr %s", got.Status, got.Stdout, got.Stderr)
	}
	got = outcomeOf(t, powerless(t, dir, "inspect", "areas/b.html"))
	want := outcome{Status: statusUnable, Stderr: "areas/b.html cannot be read. Check its permissions and try again. (permission denied)\n"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// powerless is the command run by a user for whom permissions count, which they
// do not for root.
func powerless(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := process(t, dir, args...)
	if os.Getuid() != 0 {
		return cmd
	}
	binary := filepath.Join(t.TempDir(), "memhtml-ls")
	copyExecutable(t, os.Args[0], binary)
	const nobody = 65534
	for path := filepath.Dir(binary); path != os.TempDir() && path != "/"; path = filepath.Dir(path) {
		if err := os.Chmod(path, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	err := filepath.Walk(dir, func(path string, _ os.FileInfo, err error) error {
		return errors.Join(err, os.Lchown(path, nobody, nobody))
	})
	if err != nil {
		t.Fatal(err)
	}
	cmd.Path = binary
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	return cmd
}

func copyExecutable(t *testing.T, from, to string) {
	t.Helper()
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.Copy(out, in)
	if err := errors.Join(err, out.Close()); err != nil {
		t.Fatal(err)
	}
}

func TestTwoSpellingsOfOneNameAreTwoFiles(t *testing.T) {
	dir := newRoot(t, map[string]string{
		"areas/caf\u00e9.html":  "The café opens at ten.",
		"areas/cafe\u0301.html": "The café closes at ten.",
	})
	got := runIn(t, dir, "archive", "areas/cafe\u0301.html")
	if got.Status != 0 {
		t.Fatalf("status %d, stderr %s", got.Status, got.Stderr)
	}
	if _, err := os.Stat(filepath.Join(dir, "areas/caf\u00e9.html")); err != nil {
		t.Error(err)
	}
	if got := gitIn(t, dir, "status", "--porcelain"); got != "" {
		t.Errorf("git status says %q", got)
	}
}
