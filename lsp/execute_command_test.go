package lsp_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/memhtml-ls/memhtml-ls/internal/fakeeditor"
	"github.com/memhtml-ls/memhtml-ls/lsp"
)

func removeAll(path string) error { return os.RemoveAll(path) }

// execute runs a server command with one argument object, or none.
func execute(t testing.TB, e *fakeeditor.Editor, command string, args ...any) envelope {
	t.Helper()
	var raw json.RawMessage
	e.Call("workspace/executeCommand", fakeeditor.Object{"command": command, "arguments": args}, &raw)
	return read(t, raw)
}

func TestCommandsRefuseWithEnvelopes(t *testing.T) {
	r := pair(t)
	e := open(t, r, fakeeditor.VSCode())
	e.WaitCodes(r.path(copied), "duplicate")
	uri := func(rel string) string { return fakeeditor.URI(r.path(rel)) }
	tests := []struct {
		name, command string
		args          []any
		code          string
	}{
		{"no such command", "memhtml.delete", nil, "ERR_UNKNOWN_COMMAND"},
		{"no argument", "memhtml.archive", nil, "ERR_MISSING_ARGUMENT"},
		{"an empty object", "memhtml.archive", []any{fakeeditor.Object{}}, "ERR_MISSING_ARGUMENT"},
		{"a string", "memhtml.archive", []any{uri(drain)}, "ERR_INVALID_FLAG"},
		{"no loser", "memhtml.supersede", []any{fakeeditor.Object{"winner": uri(drain)}}, "ERR_MISSING_ARGUMENT"},
		{"no winner", "memhtml.supersede", []any{fakeeditor.Object{"loser": uri(drain)}}, "ERR_MISSING_ARGUMENT"},
		{"a file outside", "memhtml.archive", []any{fakeeditor.Object{"uri": "file:///etc/passwd.html"}}, "ERR_PATH_NOT_FOUND"},
		{"no file at all", "memhtml.archive", []any{fakeeditor.Object{"uri": "untitled:x"}}, "ERR_PATH_NOT_FOUND"},
		{"a file that is not there", "memhtml.archive", []any{fakeeditor.Object{"uri": uri("areas/none.html")}}, "ERR_PATH_NOT_FOUND"},
		{"a folder", "memhtml.archive", []any{fakeeditor.Object{"uri": uri("areas/ops")}}, "ERR_PATH_NOT_FOUND"},
		{"itself", "memhtml.supersede", []any{fakeeditor.Object{"winner": uri(drain), "loser": uri(drain)}}, "ERR_ROLE_CONFLICT"},
		{
			"another hash", "memhtml.archive",
			[]any{fakeeditor.Object{"uri": uri(drain), "expect": fakeeditor.Object{uri(drain): fakeeditor.Object{"hash": "sha256:" + strings.Repeat("1", 64)}}}},
			"ERR_WRITE_CONFLICT",
		},
		{
			"no hash at all", "memhtml.archive",
			[]any{fakeeditor.Object{"uri": uri(drain), "expect": fakeeditor.Object{uri(drain): fakeeditor.Object{"hash": "zz"}}}},
			"ERR_INVALID_FLAG",
		},
	}
	for i, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := execute(t, e, test.command, test.args...)
			if got.Code != test.code || got.Error == "" || got.APIVersion != "1" {
				t.Errorf("%+v", got)
			}
			if shown := len(messages(t, e)); shown != i+1 {
				t.Errorf("shown %d messages, want one for each refusal", shown)
			}
		})
	}
	if r.commits() != "1" || r.git("status", "--porcelain") != "" {
		t.Error("a refusal changed the repository")
	}
}

func TestArchiveWithHashAndReason(t *testing.T) {
	r := pair(t)
	e := open(t, r, fakeeditor.VSCode())
	e.WaitCodes(r.path(copied), "duplicate")
	sum := sha256.Sum256([]byte(r.read(pool)))
	uri := fakeeditor.URI(r.path(pool))
	args := fakeeditor.Object{
		"uri": uri, "reason": "no pool any more",
		"expect": fakeeditor.Object{uri: fakeeditor.Object{"hash": "sha256:" + hex.EncodeToString(sum[:])}},
	}
	if got := execute(t, e, "memhtml.archive", args); got.Data.Commit == "" {
		t.Fatalf("%+v", got)
	}
	if subject := r.git("log", "-1", "--format=%s"); subject != "memhtml(archive): "+pool+" — no pool any more" {
		t.Errorf("subject %q", subject)
	}
	if got := execute(t, e, "memhtml.archive", fakeeditor.Object{"uri": uri}); !got.Data.Already {
		t.Errorf("once more: %+v", got)
	}
	if r.commits() != "2" {
		t.Errorf("%s commits", r.commits())
	}
	if n := len(e.Asked("window/showDocument")); n != 0 {
		t.Errorf("%d documents shown that were not open", n)
	}
}

func TestStatus(t *testing.T) {
	r := pair(t)
	e := open(t, r, fakeeditor.VSCode())
	var raw json.RawMessage
	e.Call("workspace/executeCommand", fakeeditor.Object{"command": "memhtml.status"}, &raw)
	var got struct {
		Type string
		Data struct {
			Root, Head string
			Indexed    bool
			Counts     struct{ Files int }
		}
	}
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	if got.Type != "status.report" || got.Data.Root != r.dir || got.Data.Head != r.git("rev-parse", "HEAD") ||
		!got.Data.Indexed || got.Data.Counts.Files != 3 {
		t.Errorf("%s", raw)
	}
	if shown := messages(t, e); len(shown) != 0 {
		t.Errorf("status was shown: %q", shown)
	}
}

func TestNoMemoryTextInAnswers(t *testing.T) {
	r := pair(t)
	e := open(t, r, fakeeditor.VSCode())
	e.Open(r.path(copied))
	e.WaitCodes(r.path(copied), "duplicate")
	e.Replace(r.path(copied), claim, "secret words")
	got := execute(t, e, "memhtml.archive", fakeeditor.Object{"uri": fakeeditor.URI(r.path(copied))})
	if body, _ := json.Marshal(got); strings.Contains(string(body), "secret") || got.Code == "" {
		t.Errorf("%s", body)
	}
}

// The server archived what a link leads to and left the link dangling, where
// the command line refuses.
func TestCommandsLeaveLinksAlone(t *testing.T) {
	r := pair(t)
	outside := filepath.Join(t.TempDir(), "link.html")
	for link, target := range map[string]string{r.path("areas/link.html"): r.path(drain), outside: r.path(drain)} {
		if err := os.Symlink(target, link); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(r.path("areas/deploy"), r.path("areas/folder")); err != nil {
		t.Fatal(err)
	}
	e := open(t, r, fakeeditor.VSCode())
	for path, want := range map[string]string{
		r.path("areas/link.html"):         "ERR_UNSUPPORTED_REPOSITORY",
		outside:                           "ERR_PATH_NOT_FOUND",
		r.path("areas/folder/drain.html"): "",
	} {
		if got := archived(e, fakeeditor.URI(path)); got != want {
			t.Errorf("%s was answered %q, want %q", path, got, want)
		}
	}
	if got := r.commits(); got != "2" {
		t.Errorf("%s commits", got)
	}
}

// A client that does not answer whether it shows the new place kept the answer
// to the command waiting.
func TestAnswersBeforeItFollows(t *testing.T) {
	r := pair(t)
	release := make(chan struct{})
	defer close(release)
	e := fakeeditor.Open(t, fakeeditor.Config{
		Folders: []string{r.dir}, Capabilities: fakeeditor.VSCode(),
		Answer: func(method string, _ json.RawMessage) (any, bool) {
			if method == "window/showDocument" {
				<-release
			}
			return nil, false
		},
	}, server(t, lsp.Options{CallTimeout: time.Hour}))
	e.Open(r.path(copied))
	if got := archived(e, fakeeditor.URI(r.path(copied))); got != "" {
		t.Errorf("answered %q", got)
	}
	e.Wait("the new place", func() bool { return len(e.Asked("window/showDocument")) == 1 })
	if code := e.Leave(); code != 0 {
		t.Errorf("exit status %d", code)
	}
}
