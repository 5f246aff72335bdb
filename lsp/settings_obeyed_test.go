package lsp_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memhtml-ls/memhtml-ls/internal/fakeeditor"
	"github.com/memhtml-ls/memhtml-ls/lsp"
)

// TestRepositorySettingsInTheServer count live, lie below the person's, and what
// they may not set is shown once.
func TestRepositorySettingsInTheServer(t *testing.T) {
	r := pair(t)
	r.write(".memhtml/ls.jsonc", severities("duplicate", "hint"))
	k := &keeper{}
	e := fakeeditor.Open(t, fakeeditor.Config{
		Folders: []string{r.dir}, Capabilities: fakeeditor.VSCode(), Answer: k.answer,
	}, server(t, lsp.Options{}))
	waitSeverity(t, e, r.path(copied), 4)
	r.write(".memhtml/ls.jsonc", `{"git": {"hooks": "skip"}, "diagnostics": {"exclude": ["areas/deploy"]}} // ours`)
	e.WaitCodes(r.path(copied))
	r.write(".memhtml/ls.jsonc", `{"git": {"hooks": "skip"}, "diagnostics": {"severities": {"duplicate": "hint"}}}`)
	waitSeverity(t, e, r.path(copied), 4)
	k.set(fakeeditor.URI(r.dir), severities("duplicate", "warning"))
	changed(e)
	waitSeverity(t, e, r.path(copied), 2)
	want := []string{filepath.Base(r.dir) + "/.memhtml/ls.jsonc: A repository cannot set git.hooks; only your own settings can."}
	if diff := cmp.Diff(want, messages(t, e)); diff != "" {
		t.Errorf("shown (-want +got):\n%s", diff)
	}
}

// TestDocumentOutsideRootsObeysSettings that hold everywhere.
func TestDocumentOutsideRootsObeysSettings(t *testing.T) {
	k := &keeper{}
	e := fakeeditor.Open(t, fakeeditor.Config{Capabilities: fakeeditor.VSCode(), Answer: k.answer}, server(t, lsp.Options{}))
	alone := filepath.Join(t.TempDir(), "alone.html")
	e.OpenText(alone, "html", loose)
	e.Wait("findings", func() bool { return slices.Contains(e.Codes(alone), "mark-count") })
	k.set("", severities("mark-count", "off"))
	changed(e)
	e.Wait("no finding about the mark", func() bool { return !slices.Contains(e.Codes(alone), "mark-count") })
}

// TestHooksFollowTheSetting from one commit to the next.
func TestHooksFollowTheSetting(t *testing.T) {
	r := pair(t)
	hook := r.path(".git/hooks/pre-commit")
	if err := os.WriteFile(hook, []byte("#!/bin/sh\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	e := open(t, r, fakeeditor.Neovim07())
	waitSeverity(t, e, r.path(copied), 1)
	archive := func() envelope {
		return execute(t, e, "memhtml.archive", fakeeditor.Object{"uri": fakeeditor.URI(r.path(copied))})
	}
	if got := archive(); got.Code != "ERR_HOOK_REFUSED" {
		t.Fatalf("%+v", got)
	}
	// The severity shows when the settings are in force.
	e.Notify("workspace/didChangeConfiguration", fakeeditor.Object{"settings": json.RawMessage(
		`{"memhtml": {"git": {"hooks": "skip"}, "diagnostics": {"severities": {"duplicate": "hint"}}}}`)})
	waitSeverity(t, e, r.path(copied), 4)
	if got := archive(); got.Code != "" || r.commits() != "2" {
		t.Errorf("%+v", got)
	}
}

// TestLogLevelFollowsTheSetting and goes back to that of the start.
func TestLogLevelFollowsTheSetting(t *testing.T) {
	r := pair(t)
	level := &slog.LevelVar{}
	level.Set(slog.LevelWarn)
	k := &keeper{}
	e := fakeeditor.Open(t, fakeeditor.Config{
		Folders: []string{r.dir}, Capabilities: fakeeditor.VSCode(), Answer: k.answer,
	}, server(t, lsp.Options{Level: level}))
	for _, step := range []struct {
		settings, word string
		want           slog.Level
	}{{`{"log": {"level": "debug"}}`, "hint", slog.LevelDebug}, {"null", "warning", slog.LevelWarn}} {
		k.set("", step.settings)
		k.set(fakeeditor.URI(r.dir), severities("duplicate", step.word))
		changed(e)
		waitSeverity(t, e, r.path(copied), map[string]int{"hint": 4, "warning": 2}[step.word])
		if got := level.Level(); got != step.want {
			t.Errorf("%s: the level is %v", step.settings, got)
		}
	}
}

// TestDebounceFollowsTheSetting: with a long one, what needs other files does not
// appear while somebody types; without one it does.
func TestDebounceFollowsTheSetting(t *testing.T) {
	r := pair(t)
	k := &keeper{}
	k.set(fakeeditor.URI(r.dir), `{"diagnostics": {"debounce": 10000, "severities": {"duplicate": "hint"}}}`)
	e := fakeeditor.Open(t, fakeeditor.Config{
		Folders: []string{r.dir}, Capabilities: fakeeditor.VSCode(), Answer: k.answer,
	}, func(ctx context.Context, in io.Reader, out io.Writer) int {
		return lsp.Serve(ctx, in, out, lsp.Options{})
	})
	waitSeverity(t, e, r.path(copied), 4)
	e.Open(r.path(pool))
	e.WaitVersion(r.path(pool))
	e.Replace(r.path(pool), "The connection pool ceiling is 64", "Drain the queue before a deploy")
	e.Replace(r.path(pool), "</article>", "<script></script></article>")
	e.Wait("what the file itself shows", func() bool { return slices.Contains(e.Codes(r.path(pool)), "forbidden-element") })
	if slices.Contains(e.Codes(r.path(pool)), "duplicate") {
		t.Error("a relation appeared while somebody types")
	}
	e.Replace(r.path(pool), "<script></script>", "")
	alone := filepath.Join(t.TempDir(), "alone.html")
	e.OpenText(alone, "html", loose)
	e.Wait("findings", func() bool { return slices.Contains(e.Codes(alone), "mark-count") })
	k.set("", severities("mark-count", "off"))
	k.set(fakeeditor.URI(r.dir), `{"diagnostics": {"debounce": 0}}`)
	changed(e)
	// What holds everywhere comes into force last.
	e.Wait("the settings", func() bool { return !slices.Contains(e.Codes(alone), "mark-count") })
	started := time.Now()
	e.Replace(r.path(pool), "</article>", "</article>\n")
	e.WaitCodes(r.path(pool), "duplicate")
	if took := time.Since(started); took > 7*time.Second {
		t.Errorf("it waited %v", took)
	}
}
