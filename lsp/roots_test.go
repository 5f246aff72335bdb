package lsp_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/memhtml-ls/memhtml-ls/internal/fakeeditor"
	"github.com/memhtml-ls/memhtml-ls/lsp"
)

// A repository opened through a link: files are not duplicates of themselves,
// and are called as the client calls them.
func TestOpenedThroughALink(t *testing.T) {
	bothWays(t, func(t *testing.T, capabilities fakeeditor.Object) {
		r := pair(t)
		link := filepath.Join(t.TempDir(), "link")
		if err := os.Symlink(r.dir, link); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink("ops", r.path("areas/same")); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink("pool-size.html", r.path("areas/ops/pool-link.html")); err != nil {
			t.Fatal(err)
		}
		e := fakeeditor.Open(t, fakeeditor.Config{Folders: []string{link}, Capabilities: capabilities}, server(t, lsp.Options{}))
		through := func(rel string) string { return filepath.Join(link, filepath.FromSlash(rel)) }
		e.WaitCodes(through(copied), "duplicate")
		if got := e.Diagnostics(through(copied))[0].Related[0].Location.URI; got != fakeeditor.URI(through(drain)) {
			t.Errorf("the other file is called %s", got)
		}
		e.Open(through("areas/same/pool-size.html"))
		e.WaitCodes(through("areas/same/pool-size.html"))
		e.Open(through("areas/ops/pool-link.html"))
		e.Replace(through("areas/same/pool-size.html"), "<title>2026-01-05</title>", "")
		e.WaitCodes(through("areas/same/pool-size.html"), "title-count")
		for _, name := range []string{r.path(copied), r.path(drain), through(drain), through(pool)} {
			if all := e.Publications(name); all != nil {
				t.Errorf("%s was told about: %+v", name, all)
			}
		}
	})
}

// The uri that the client opened comes back byte for byte.
func TestTheClientsSpelling(t *testing.T) {
	for i, name := range []string{"a@b.html", "c d.html", "50%.html", "q?#.html", "é.html"} {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			bothWays(t, func(t *testing.T, capabilities fakeeditor.Object) {
				r := newRepo(t, drain, memo("2026-01-02", claim), "areas/"+name, memo("2026-02-03", claim))
				e := open(t, r, capabilities)
				e.Wait("the first publication", func() bool { return e.PublicationCount() > 0 })
				spelling := "file://" + r.dir + "/areas/" + percent(name)
				e.OpenText(spelling, "html", r.read("areas/"+name))
				e.WaitCodes(spelling, "duplicate")
				e.Replace(spelling, claim, "Something else")
				e.WaitCodes(spelling)
				e.Close(spelling)
				e.WaitCodes(spelling, "duplicate")
			})
		})
	}
}

// percent escapes every byte that is not a letter, in lower case, as no library
// does.
func percent(name string) string {
	var out strings.Builder
	for _, c := range []byte(name) {
		if c == '.' || c >= 'a' && c <= 'z' {
			out.WriteByte(c)
		} else {
			fmt.Fprintf(&out, "%%%02x", c)
		}
	}
	return out.String()
}

func TestFoldersComeAndGo(t *testing.T) {
	first, second := pair(t), pair(t)
	e := open(t, first, fakeeditor.VSCode())
	e.WaitCodes(first.path(copied), "duplicate")
	change := func(added, removed []string) {
		folders := func(dirs []string) []fakeeditor.Object {
			out := []fakeeditor.Object{}
			for _, dir := range dirs {
				out = append(out, fakeeditor.Object{"uri": fakeeditor.URI(dir), "name": "x"})
			}
			return out
		}
		e.Notify("workspace/didChangeWorkspaceFolders", fakeeditor.Object{"event": fakeeditor.Object{
			"added": folders(added), "removed": folders(removed),
		}})
	}
	change([]string{second.dir}, nil)
	e.WaitCodes(second.path(copied), "duplicate")
	change(nil, []string{first.dir})
	e.WaitCodes(first.path(copied))
	if got := e.Codes(second.path(copied)); len(got) != 1 {
		t.Errorf("the folder that stays shows %v", got)
	}
	e.Wait("the patterns of the folder that stays", func() bool {
		asked := e.Asked("client/registerCapability")
		last := string(asked[len(asked)-1].Params)
		return strings.Contains(last, second.dir) && !strings.Contains(last, first.dir) &&
			len(e.Asked("client/unregisterCapability")) == len(asked)-1
	})
	change([]string{first.dir}, []string{second.dir})
	e.WaitCodes(first.path(copied), "duplicate")
	e.WaitCodes(second.path(copied))
}

// A file of a root that no folder named is judged against its root.
func TestFileOfAnUnnamedRoot(t *testing.T) {
	r := pair(t)
	e := fakeeditor.Open(t, fakeeditor.Config{Capabilities: fakeeditor.VSCode()}, server(t, lsp.Options{}))
	e.Open(r.path(copied))
	e.WaitCodes(r.path(copied), "duplicate")
	e.Action(actionsAt(e, r.path(copied), claim), "Archive this copy, keep "+drain)
}

// Servers that were started in a home folder read all of it, or complained
// (marksman#373).
func TestFolderWithoutARoot(t *testing.T) {
	dir := t.TempDir()
	for i := range 300 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(i, ".html")), []byte(loose), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	e := fakeeditor.Open(t, fakeeditor.Config{Folders: []string{dir}, Capabilities: fakeeditor.VSCode()}, server(t, lsp.Options{}))
	e.Open(filepath.Join(dir, "7.html"))
	e.WaitVersion(filepath.Join(dir, "7.html"))
	if n := e.PublicationCount(); n != len(e.Publications(filepath.Join(dir, "7.html"))) {
		t.Error("files of a folder that is no root were told about")
	}
	if shown := messages(t, e); len(shown) != 0 {
		t.Errorf("messages %q", shown)
	}
}

// bigRepo has enough files for the first index to be seen at work.
func bigRepo(t testing.TB, n int) repo {
	files := []string{drain, memo("2026-01-02", claim), copied, memo("2026-02-03", claim)}
	for i := range n {
		files = append(files, fmt.Sprintf("areas/many/%d/%d.html", i%50, i), memo("2026-01-02", fmt.Sprintf("Number %d is odd or even", i)))
	}
	return newRepo(t, files...)
}

func TestProgressOfTheFirstIndex(t *testing.T) {
	r := bigRepo(t, 2500)
	config := fakeeditor.Config{
		Folders: []string{r.dir}, Capabilities: fakeeditor.VSCode(),
		InitializationOptions: fakeeditor.Object{"memhtmlStatus": true},
	}
	e := fakeeditor.Open(t, config, server(t, lsp.Options{ProgressAfter: time.Nanosecond}))
	e.WaitCodes(r.path(copied), "duplicate")
	e.Wait("the end of the progress", func() bool {
		all := e.Seen("$/progress")
		return len(all) > 0 && strings.Contains(string(all[len(all)-1].Params), `"end"`)
	})
	var kinds []string
	first := "" // the comparison of the claims follows with one of its own
	for _, n := range e.Seen("$/progress") {
		var p struct {
			Token string
			Value struct{ Kind, Title string }
		}
		if err := json.Unmarshal(n.Params, &p); err != nil {
			t.Fatal(err)
		}
		if p.Token == first || first == "" {
			first, kinds = p.Token, append(kinds, p.Value.Kind)
		}
	}
	if kinds[0] != "begin" || strings.Count(strings.Join(kinds, " "), "end") != 1 {
		t.Errorf("progress was %v", kinds)
	}
	e.Wait("an idle root", func() bool {
		all := e.Seen("memhtml/status")
		return len(all) > 0 && strings.Contains(string(all[len(all)-1].Params), `"idle"`)
	})
	if shown := messages(t, e); len(shown) != 0 {
		t.Errorf("messages are no meter: %q", shown)
	}
}

func TestNoProgressForAQuickIndex(t *testing.T) {
	r := pair(t)
	e := fakeeditor.Open(t, fakeeditor.Config{Folders: []string{r.dir}, Capabilities: fakeeditor.VSCode()},
		server(t, lsp.Options{ProgressAfter: time.Hour}))
	e.WaitCodes(r.path(copied), "duplicate")
	if all := e.Seen("$/progress"); all != nil {
		t.Errorf("progress: %v", all)
	}
	if all := e.Seen("memhtml/status"); all != nil {
		t.Errorf("status to a client that did not ask: %v", all)
	}
}

// Requests that come during the first index of a small root wait for it.
func TestRequestsWaitForTheFirstIndex(t *testing.T) {
	r := pair(t)
	e := open(t, r, fakeeditor.VSCode())
	e.Open(r.path(copied))
	e.Action(actionsAt(e, r.path(copied), claim), "Archive this copy, keep "+drain)
}

// An editor froze at its end, because shutdown waited for the index (helix#4468).
func TestShutdownDuringTheFirstIndex(t *testing.T) {
	r := bigRepo(t, 2500)
	e := open(t, r, fakeeditor.VSCode())
	started := time.Now()
	e.Call("shutdown", nil, nil)
	if took := time.Since(started); took > 500*time.Millisecond {
		t.Errorf("shutdown was answered after %v", took)
	}
	e.Notify("exit", nil)
	if code := e.ExitStatus(); code != 0 {
		t.Errorf("exit status %d", code)
	}
	if took := time.Since(started); took > 3*time.Second {
		t.Errorf("left after %v", took)
	}
}

// A byte order mark that the client keeps to itself is no unsaved change.
func TestByteOrderMark(t *testing.T) {
	r := newRepo(t, drain, memo("2026-01-02", claim), copied, "\ufeff"+memo("2026-02-03", claim))
	e := open(t, r, fakeeditor.VSCode())
	e.Open(r.path(copied))
	e.WaitCodes(r.path(copied), "duplicate")
	text, _ := e.Buffer(r.path(copied))
	if strings.HasPrefix(text, "\ufeff") {
		t.Fatal("the fake editor keeps the mark")
	}
	action := e.Action(actionsAt(e, r.path(copied), claim), "Archive this copy, keep "+drain)
	if action.Disabled != nil {
		t.Errorf("disabled: %s", action.Disabled.Reason)
	}
	e.Replace(r.path(copied), "<!doctype html>\n", "<!doctype html><title></title>\n")
	e.WaitCodes(r.path(copied), "title-count", "duplicate")
	text, _ = e.Buffer(r.path(copied))
	for _, d := range e.Diagnostics(r.path(copied)) {
		if got, ok := e.TextAt(text, d.Range); !ok || d.Code == "duplicate" && got != claim {
			t.Errorf("%s is at %q", d.Code, got)
		}
	}
	e.SetText(r.path(copied), memo("2026-02-03", "Another claim"))
	e.WaitCodes(r.path(copied))
}

// A request that waits for the first index can be cancelled.
func TestCancelWhileIndexing(t *testing.T) {
	r := bigRepo(t, 1900)
	e := fakeeditor.Open(t, fakeeditor.Config{Folders: []string{r.dir}, Capabilities: fakeeditor.VSCode()},
		server(t, lsp.Options{IndexWait: time.Hour}))
	id := e.Go("workspace/executeCommand", fakeeditor.Object{
		"command": "memhtml.archive", "arguments": []any{fakeeditor.Object{"uri": fakeeditor.URI(r.path(drain))}},
	})
	e.Notify("$/cancelRequest", fakeeditor.Object{"id": json.RawMessage(id)})
	if raw, failure := e.Answer(id); failure == nil && read(t, raw).Data.Commit == "" {
		t.Errorf("answered %s", raw)
	} else if failure != nil && failure.Code != -32800 {
		t.Errorf("answered %v", failure)
	}
	if shown := messages(t, e); len(shown) > 1 {
		t.Errorf("shown %q", shown)
	}
}
