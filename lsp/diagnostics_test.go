package lsp_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memhtml-ls/memhtml-ls/internal/fakeeditor"
	"github.com/memhtml-ls/memhtml-ls/lsp"
)

func TestFirstIndexPublishesClosedFiles(t *testing.T) {
	r := pair(t)
	e := open(t, r, fakeeditor.VSCode())
	e.WaitCodes(r.path(copied), "duplicate")
	if all := e.Publications(r.path(drain)); all != nil {
		t.Errorf("the earlier file was told about: %v", all)
	}
	d := e.Diagnostics(r.path(copied))[0]
	if got, _ := e.TextAt(r.read(copied), d.Range); got != "Drain the queue before a deploy" {
		t.Errorf("the range holds %q", got)
	}
	if d.Source != "memhtml" || d.Severity != 1 || len(d.Related) != 1 || d.Related[0].Location.URI != fakeeditor.URI(r.path(drain)) {
		t.Errorf("%+v", d)
	}
	if !strings.Contains(d.Message, drain) {
		t.Errorf("the message does not name the other file: %s", d.Message)
	}
}

// What is typed is told about with the version it belongs to, and the other
// side follows when the keyboard rests.
func TestFindingsFollowTheBuffer(t *testing.T) {
	bothWays(t, func(t *testing.T, capabilities fakeeditor.Object) {
		r := pair(t)
		e := open(t, r, capabilities)
		e.WaitCodes(r.path(copied), "duplicate")
		e.Open(r.path(drain))
		e.WaitCodes(r.path(drain))
		e.Replace(r.path(drain), "Drain the queue", "Drain every queue")
		e.WaitCodes(r.path(copied))
		e.Replace(r.path(drain), "Drain every queue", "Drain the queue")
		e.WaitCodes(r.path(drain), "duplicate")
		last := e.Publications(r.path(drain))
		if v := last[len(last)-1].Version; v == nil || *v != 3 {
			t.Errorf("published for version %v, want 3", v)
		}
	})
}

func TestFormatFindingsDoNotWaitForTheKeyboard(t *testing.T) {
	r := pair(t)
	e := fakeeditor.Open(t, fakeeditor.Config{Folders: []string{r.dir}, Capabilities: fakeeditor.VSCode()},
		server(t, lsp.Options{Debounce: time.Hour}))
	e.WaitCodes(r.path(copied), "duplicate")
	e.Open(r.path(copied))
	e.WaitVersion(r.path(copied))
	e.Replace(r.path(copied), "<title>2026-02-03</title>", "")
	e.Wait("the format finding beside the relation", func() bool {
		return strings.Join(e.Codes(r.path(copied)), " ") == "title-count duplicate"
	})
}

// While a person types, a relation keeps its place in the text, and is neither
// taken away nor told twice for one version (golang/go#42837).
func TestRelationsKeepTheirPlaceWhileTyping(t *testing.T) {
	bothWays(t, func(t *testing.T, capabilities fakeeditor.Object) {
		r := pair(t)
		e := fakeeditor.Open(t, fakeeditor.Config{Folders: []string{r.dir}, Capabilities: capabilities},
			server(t, lsp.Options{Debounce: 300 * time.Millisecond}))
		e.WaitCodes(r.path(copied), "duplicate")
		e.Open(r.path(copied))
		e.WaitVersion(r.path(copied))
		e.Replace(r.path(copied), "<title>2026-02-03</title>", "<title>Zwei</title>\n")
		e.WaitVersion(r.path(copied))
		e.Replace(r.path(copied), "Zwei</title>", "Drei</title>\n\n")
		e.WaitVersion(r.path(copied))
		text, _ := e.Buffer(r.path(copied))
		for _, p := range e.Publications(r.path(copied)) {
			if len(p.Diagnostics) != 1 {
				t.Errorf("version %d showed %d findings", *p.Version, len(p.Diagnostics))
			}
		}
		got, _ := e.TextAt(text, e.Diagnostics(r.path(copied))[0].Range)
		if got != "Drain the queue before a deploy" {
			t.Errorf("the range holds %q", got)
		}
	})
}

func TestSaveEndsTheWait(t *testing.T) {
	r := pair(t)
	e := fakeeditor.Open(t, fakeeditor.Config{Folders: []string{r.dir}, Capabilities: fakeeditor.VSCode()},
		server(t, lsp.Options{Debounce: time.Hour}))
	e.WaitCodes(r.path(copied), "duplicate")
	e.Open(r.path(copied))
	e.WaitVersion(r.path(copied))
	e.Replace(r.path(copied), "Drain the queue", "Fill the queue")
	e.Save(r.path(copied))
	e.WaitCodes(r.path(copied))
}

func TestEqualSetsAreNotSentAgain(t *testing.T) {
	r := pair(t)
	e := open(t, r, fakeeditor.VSCode())
	e.WaitCodes(r.path(copied), "duplicate")
	e.Open(r.path(copied))
	e.WaitVersion(r.path(copied))
	before := len(e.Publications(r.path(copied)))
	for range 5 {
		e.Save(r.path(copied))
	}
	// A finding that comes after shows that the saves were looked at.
	e.Open(r.path(pool))
	e.WaitVersion(r.path(pool))
	e.Replace(r.path(pool), "<article>", "<article><b>x</b>")
	e.WaitCodes(r.path(pool), "element-unknown")
	if after := len(e.Publications(r.path(copied))); after != before {
		t.Errorf("%d more publications of an unchanged set", after-before)
	}
}

func TestDeletedFileIsCleared(t *testing.T) {
	bothWays(t, func(t *testing.T, capabilities fakeeditor.Object) {
		r := pair(t)
		e := open(t, r, capabilities)
		e.WaitCodes(r.path(copied), "duplicate")
		r.remove(copied)
		e.Watched(3, r.path(copied))
		e.WaitCodes(r.path(copied))
	})
}

func TestClosedRootFileKeepsFindings(t *testing.T) {
	bothWays(t, func(t *testing.T, capabilities fakeeditor.Object) {
		r := pair(t)
		e := open(t, r, capabilities)
		e.Open(r.path(copied))
		e.WaitCodes(r.path(copied), "duplicate")
		e.Replace(r.path(copied), "Drain the queue", "Fill the queue")
		e.WaitCodes(r.path(copied))
		e.Close(r.path(copied))
		e.WaitCodes(r.path(copied), "duplicate")
	})
}

const loose = `<html><head><meta name="memhtml-type" content="semantic"><title>x</title></head><body><article><p>No mark.</p></article></body></html>`

// A document outside every root is looked at while it is open, and only if it
// is meant to be a memory.
func TestOutsideEveryRoot(t *testing.T) {
	bothWays(t, func(t *testing.T, capabilities fakeeditor.Object) {
		dir := t.TempDir()
		e := fakeeditor.Open(t, fakeeditor.Config{Capabilities: capabilities}, server(t, lsp.Options{}))
		memory, page := dir+"/memory.html", dir+"/page.html"
		e.OpenText(memory, "html", loose)
		e.Wait("format findings", func() bool {
			return strings.Contains(strings.Join(e.Codes(memory), " "), "mark-count")
		})
		e.OpenText(page, "html", "<p class=x>Just a page")
		if actions := e.Actions(memory, fakeeditor.Range{}); len(actions) != 0 {
			t.Errorf("actions on offer outside every root: %+v", actions)
		}
		if got := e.Diagnostics(page); len(got) != 0 {
			t.Errorf("a page that is no memory has findings: %+v", got)
		}
		e.Close(memory)
		e.WaitCodes(memory)
	})
}

// A file that was opened again in another language kept its old findings
// (harper#966).
func TestOtherLanguageShowsNothing(t *testing.T) {
	bothWays(t, func(t *testing.T, capabilities fakeeditor.Object) {
		r := pair(t)
		e := open(t, r, capabilities)
		e.WaitCodes(r.path(copied), "duplicate")
		e.Open(r.path(copied))
		e.WaitVersion(r.path(copied))
		e.Close(r.path(copied))
		e.OpenText(r.path(copied), "plaintext", r.read(copied))
		e.WaitCodes(r.path(copied))
		e.SetText(r.path(copied), "x")
		e.Close(r.path(copied))
		e.WaitCodes(r.path(copied), "duplicate")
	})
}

// Documents without a file, and a client without folders, ended servers
// (nil#58).
func TestForeignSchemesAreIgnored(t *testing.T) {
	e := fakeeditor.Open(t, fakeeditor.Config{Capabilities: fakeeditor.VSCode()}, server(t, lsp.Options{}))
	for _, uri := range []string{
		"untitled:Untitled-1", "git:/x/a.html?%7B%7D", "vscode-notebook-cell:/x/a.html", "vscode-vfs://github/x/a.html",
		"file://elsewhere/x/a.html", "file:///x/%00.html", "", "::",
	} {
		e.Notify("textDocument/didOpen", fakeeditor.Object{"textDocument": fakeeditor.Object{
			"uri": uri, "languageId": "html", "version": 1, "text": loose,
		}})
		raw, failure := e.Try("textDocument/codeAction", fakeeditor.Object{
			"textDocument": fakeeditor.Object{"uri": uri}, "range": fakeeditor.Range{},
			"context": fakeeditor.Object{"diagnostics": []any{}},
		})
		if failure != nil || string(raw) != "[]" {
			t.Errorf("%q: %s %v", uri, raw, failure)
		}
		e.Notify("textDocument/didClose", fakeeditor.Object{"textDocument": fakeeditor.Object{"uri": uri}})
	}
	if n := e.PublicationCount(); n != 0 {
		t.Errorf("%d publications", n)
	}
}

func TestDegradesToWhatTheClientShows(t *testing.T) {
	r := pair(t)
	e := open(t, r, fakeeditor.Plain())
	e.WaitCodes(r.path(copied), "duplicate")
	d := e.Diagnostics(r.path(copied))[0]
	if d.Related != nil || d.Data != nil || d.CodeDescription != nil {
		t.Errorf("sent what was not offered: %+v", d)
	}
}

func TestFindingsCarryTheirFacts(t *testing.T) {
	r := pair(t)
	e := open(t, r, fakeeditor.VSCode())
	e.WaitCodes(r.path(copied), "duplicate")
	d := e.Diagnostics(r.path(copied))[0]
	var data struct{ Other string }
	if err := json.Unmarshal(d.Data, &data); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(drain, data.Other); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !strings.Contains(string(d.CodeDescription), "docs/diagnostics/duplicate.md") {
		t.Errorf("no page: %s", d.CodeDescription)
	}
}

func TestTooLargeDocument(t *testing.T) {
	r := pair(t)
	e := open(t, r, fakeeditor.VSCode())
	e.Open(r.path(copied))
	e.WaitCodes(r.path(copied), "duplicate")
	text, _ := e.Buffer(r.path(copied))
	e.SetText(r.path(copied), text+strings.Repeat("x", 50<<20))
	e.WaitCodes(r.path(copied), "not-indexed")
	e.SetText(r.path(copied), text)
	e.WaitCodes(r.path(copied), "duplicate")
}

func TestAwkwardTexts(t *testing.T) {
	r := pair(t)
	e := open(t, r, fakeeditor.UTF8())
	e.Open(r.path(pool))
	e.WaitVersion(r.path(pool))
	text, _ := e.Buffer(r.path(pool))
	for name, awkward := range map[string]string{
		"empty": "", "a NUL": "\x00", "half a tag": text[:len(text)/2], "only a mark": "<mark>",
		"an open attribute": `<meta name="memhtml-type" content="`, "a lone CR": strings.ReplaceAll(text, "\n", "\r"),
		"10,000 nested tags": strings.Repeat("<em>", 10000) + text, "no html": "\ufffd\ufffd",
	} {
		t.Run(name, func(t *testing.T) {
			e.SetText(r.path(pool), awkward)
			barrier(t, e)
			for _, d := range e.Diagnostics(r.path(pool)) {
				if _, ok := e.TextAt(awkward, d.Range); !ok {
					t.Errorf("%s is at %v, which is no range of the text", d.Code, d.Range)
				}
			}
		})
	}
	e.SetText(r.path(pool), text)
	e.WaitCodes(r.path(pool))
}

// A file that is away for a moment, as in a checkout, and comes back with the
// same bytes had lost what was found of it meanwhile: equal bytes are no change.
func TestFileThatIsAwayForAMoment(t *testing.T) {
	bothWays(t, func(t *testing.T, capabilities fakeeditor.Object) {
		r := pair(t)
		e := open(t, r, capabilities)
		e.Open(r.path(drain))
		e.WaitCodes(r.path(copied), "duplicate")
		e.Replace(r.path(drain), claim, "Something else")
		e.WaitCodes(r.path(copied))
		// Nothing of the disk is taken in while git is at work.
		r.write(".git/index.lock", "")
		aside := r.path("aside.html")
		if err := os.Rename(r.path(copied), aside); err != nil {
			t.Fatal(err)
		}
		e.Close(r.path(drain))
		barrier(t, e)
		if got := e.Codes(r.path(copied)); len(got) != 0 {
			t.Errorf("of a file that is away: %v", got)
		}
		if err := os.Rename(aside, r.path(copied)); err != nil {
			t.Fatal(err)
		}
		r.remove(".git/index.lock")
		e.WaitCodes(r.path(copied), "duplicate")
	})
}
