// Package memhtmlls_test holds the README to what the program does.
package memhtmlls_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
	"github.com/memhtml-ls/memhtml-ls/examples"
)

func TestReadmeExplainsEveryCode(t *testing.T) {
	section := readmeSection(t, "What each finding means")
	for _, entry := range diagnostics.Catalog() {
		if !strings.Contains(section, "`"+string(entry.Code)+"`") {
			t.Errorf("the README does not explain %s", entry.Code)
		}
	}
}

// commitID is the one thing of a transcript that differs from run to run.
var commitID = regexp.MustCompile(`\(memhtml [0-9a-f]{7}\)`)

func TestReadmeTranscriptIsWhatIsPrinted(t *testing.T) {
	_, block, _ := strings.Cut(readmeSection(t, "What it looks like"), "```console\n")
	want, _, ok := strings.Cut(block, "```")
	if !ok {
		t.Fatal("the README has no transcript")
	}
	shell := newShell(t)
	var got strings.Builder
	for line := range strings.Lines(want) {
		if command, ok := strings.CutPrefix(line, "$ "); ok {
			got.WriteString(line + shell.run(strings.Fields(command)))
		}
	}
	same := func(s string) string { return commitID.ReplaceAllString(s, "(memhtml ID)") }
	if diff := cmp.Diff(same(want), same(got.String())); diff != "" {
		t.Errorf("transcript (-README +printed):\n%s", diff)
	}
}

// readmeSection returns the text below a heading of the second level.
func readmeSection(t *testing.T, heading string) string {
	t.Helper()
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(readme), "\n## "+heading+"\n")
	section, _, ok := strings.Cut(section, "\n## ")
	if !ok {
		t.Fatalf("the README has no section %q", heading)
	}
	return section
}

// shell runs commands in a repository made of the example corpus.
type shell struct {
	t         *testing.T
	dir, tool string
	env       []string
}

func newShell(t *testing.T) *shell {
	t.Helper()
	base := t.TempDir()
	s := &shell{
		t: t, dir: filepath.Join(base, "yard"), tool: filepath.Join(base, "memhtml-ls"),
		env: append(os.Environ(), "HOME="+base, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "NO_COLOR=1"),
	}
	corpus, err := fs.Sub(examples.Corpus, "corpus")
	if err == nil {
		err = os.CopyFS(s.dir, corpus)
	}
	if err != nil {
		t.Fatal(err)
	}
	if output, err := exec.Command("go", "build", "-o", s.tool, "./cmd/memhtml-ls").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, output)
	}
	for _, setup := range []string{
		"git init -q -b main", "git config user.name Yard", "git config user.email yard@example.org",
		"git add -A", "git commit -q -m start",
	} {
		if output := s.run(strings.Fields(setup)); output != "" {
			t.Fatalf("%s: %s", setup, output)
		}
	}
	return s
}

// run returns what a command prints. That it answers no is part of a
// transcript; that it cannot be started ends the test.
func (s *shell) run(command []string) string {
	s.t.Helper()
	if command[0] == "memhtml-ls" {
		command[0] = s.tool
	}
	run := exec.Command(command[0], command[1:]...)
	run.Dir, run.Env = s.dir, s.env
	output, err := run.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		s.t.Fatal(err)
	}
	return string(output)
}
