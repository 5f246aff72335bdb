package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
)

// TestCheckBeginsAnewWhenAFileMoves changes a file between the index and the
// check: the report is about the file as it is, not as it was.
func TestCheckBeginsAnewWhenAFileMoves(t *testing.T) {
	dir := t.TempDir()
	write := func(path, claim, created string) {
		t.Helper()
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(memoryText(claim, created)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("areas/a.html", "The pool ceiling is 64.", "2026-01-02")
	write("areas/b.html", "The pool ceiling is 128.", "2026-05-02")
	c := &call{ui: newUI(os.Stdin, os.Stdout, os.Stderr), root: dir}
	root, _, err := c.openIndexed(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.closeRoot(root)
	write("areas/b.html", "The pool ceiling is 64.", "2026-05-02T03:04:05Z")
	result, err := new(checkOptions).check(t.Context(), c, root, nil)
	if err != nil {
		t.Fatal(err)
	}
	report := newCheckReport(root, result)
	if len(report.Findings) != 1 || report.Findings[0].Code != diagnostics.Duplicate {
		t.Errorf("findings %+v, want one duplicate", report.Findings)
	}
}

func TestGitHubEscapes(t *testing.T) {
	if got, want := githubText("50 %\r\nmore: a,b"), "50 %25%0D%0Amore: a,b"; got != want {
		t.Errorf("text %q, want %q", got, want)
	}
	if got, want := githubProperty("50 %: a,b"), "50 %25%3A a%2Cb"; got != want {
		t.Errorf("property %q, want %q", got, want)
	}
}

func TestFailsOn(t *testing.T) {
	report := &checkReport{Findings: []finding{{severity: diagnostics.Information}}}
	for word, want := range map[string]bool{
		"error": false, "warning": false, "information": true, "hint": true, "never": false,
	} {
		if got := report.failsOn(word); got != want {
			t.Errorf("failsOn(%s) = %v, want %v", word, got, want)
		}
	}
}
