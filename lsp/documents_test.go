package lsp_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memhtml-ls/memhtml-ls/internal/fakeeditor"
)

// openURI opens a document under a uri of the client's choice.
func openURI(e *fakeeditor.Editor, uri, text string) {
	e.Notify("textDocument/didOpen", fakeeditor.Object{"textDocument": fakeeditor.Object{
		"uri": uri, "languageId": "html", "version": 1, "text": text,
	}})
}

func closeURI(e *fakeeditor.Editor, uri string) {
	e.Notify("textDocument/didClose", fakeeditor.Object{"textDocument": fakeeditor.Object{"uri": uri}})
}

func changeURI(e *fakeeditor.Editor, uri, text string) {
	e.Notify("textDocument/didChange", fakeeditor.Object{
		"textDocument":   fakeeditor.Object{"uri": uri, "version": 2},
		"contentChanges": []any{fakeeditor.Object{"text": text}},
	})
}

// archived runs memhtml.archive and returns the code of the refusal, "" for
// none.
func archived(e *fakeeditor.Editor, uri string) string {
	var envelope struct{ Code string }
	e.Call("workspace/executeCommand", fakeeditor.Object{
		"command": "memhtml.archive", "arguments": []any{fakeeditor.Object{"uri": uri}},
	}, &envelope)
	return envelope.Code
}

// Unsaved changes under one spelling of a file's uri were overlooked when the
// same file was open, or had been, under another one.
func TestUnsavedChangesUnderAnySpelling(t *testing.T) {
	tests := []struct {
		name string
		do   func(e *fakeeditor.Editor, first, second, saved string)
		want string
	}{
		{"the first", func(e *fakeeditor.Editor, first, second, saved string) {
			openURI(e, first, "typed")
			openURI(e, second, saved)
		}, "ERR_DIRTY_DOCUMENT"},
		{"the second", func(e *fakeeditor.Editor, first, second, saved string) {
			openURI(e, first, saved)
			openURI(e, second, "typed")
		}, "ERR_DIRTY_DOCUMENT"},
		{"the second, later", func(e *fakeeditor.Editor, first, second, saved string) {
			openURI(e, first, saved)
			openURI(e, second, saved)
			changeURI(e, second, "typed")
		}, "ERR_DIRTY_DOCUMENT"},
		{"the first, the second closed", func(e *fakeeditor.Editor, first, second, saved string) {
			openURI(e, first, "typed")
			openURI(e, second, saved)
			closeURI(e, second)
		}, "ERR_DIRTY_DOCUMENT"},
		{"the second, the first closed", func(e *fakeeditor.Editor, first, second, saved string) {
			openURI(e, first, saved)
			openURI(e, second, "typed")
			closeURI(e, first)
		}, "ERR_DIRTY_DOCUMENT"},
		{"the second, closed", func(e *fakeeditor.Editor, first, second, saved string) {
			openURI(e, first, saved)
			openURI(e, second, "typed")
			closeURI(e, second)
		}, ""},
		{"none", func(e *fakeeditor.Editor, first, second, saved string) {
			openURI(e, first, saved)
			openURI(e, second, saved)
		}, ""},
	}
	for _, test := range tests {
		for _, spelling := range []string{"percent", "link"} {
			t.Run(test.name+" "+spelling, func(t *testing.T) {
				r := pair(t)
				link := filepath.Join(t.TempDir(), "link")
				if err := os.Symlink(r.dir, link); err != nil {
					t.Fatal(err)
				}
				first := fakeeditor.URI(r.path(copied))
				second := map[string]string{
					"percent": strings.Replace(first, "areas", "%61reas", 1),
					"link":    fakeeditor.URI(filepath.Join(link, filepath.FromSlash(copied))),
				}[spelling]
				e := open(t, r, fakeeditor.VSCode())
				test.do(e, first, second, r.read(copied))
				if got := archived(e, first); got != test.want {
					t.Errorf("answered %q, want %q", got, test.want)
				}
			})
		}
	}
}

// Bytes that are no UTF-8 are shown as U+FFFD, each or a few at a time. That is
// no unsaved change, and saving it, as was asked for, would have rewritten them.
func TestBufferOfAFileThatIsNotUTF8(t *testing.T) {
	source := memo("2026-02-03", "Café\xe9 and \xf0\x9f\x98 and \xff\xfe")
	each := memo("2026-02-03", "Café\uFFFD and \uFFFD\uFFFD\uFFFD and \uFFFD\uFFFD")
	begun := memo("2026-02-03", "Café\uFFFD and \uFFFD and \uFFFD\uFFFD")
	tests := []struct{ name, text, want string }{
		{"each byte", each, ""},
		{"each beginning", begun, ""},
		{"edited", strings.Replace(begun, "and", "or", 1), "ERR_DIRTY_DOCUMENT"},
		{"one taken away", strings.Replace(begun, "\uFFFD\uFFFD", "\uFFFD", 1), "ERR_DIRTY_DOCUMENT"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := newRepo(t, copied, source)
			e := open(t, r, fakeeditor.VSCode())
			e.OpenText(r.path(copied), "html", test.text)
			e.WaitVersion(r.path(copied))
			at := e.RangeOf(r.path(copied), "<mark>Caf")
			for _, action := range e.Actions(r.path(copied), at) {
				if off := action.Disabled != nil; off != (test.want != "") {
					t.Errorf("%s is disabled: %v", action.Title, action.Disabled)
				}
				if test.want == "" && strings.HasPrefix(action.Title, "Archive") {
					if got := string(e.Run(action)); !strings.Contains(got, "archive.result") {
						t.Errorf("the action was answered %s", got)
					}
					return
				}
			}
			if got := archived(e, fakeeditor.URI(r.path(copied))); got != test.want {
				t.Errorf("answered %q, want %q", got, test.want)
			}
		})
	}
}
