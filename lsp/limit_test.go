package lsp_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memhtml-ls/memhtml-ls/internal/fakeeditor"
	"github.com/memhtml-ls/memhtml-ls/lsp"
)

// untitled has a finding that is an error, unlinked one that is a warning.
func untitled(n int) string {
	return strings.Replace(memo("2026-01-05", fmt.Sprintf("Gate %d is open", n)), "<title>2026-01-05</title>", "", 1)
}

func unlinked(n int) string {
	return strings.Replace(memo("2026-01-05", fmt.Sprintf("Door %d is shut", n)), "</head>",
		`<link rel="memhtml-relates-to" href="/areas/nowhere.html">`+"\n</head>", 1)
}

// limited opens an editor that shows n closed files at a time.
func limited(t *testing.T, r repo, capabilities fakeeditor.Object, n int) *fakeeditor.Editor {
	return fakeeditor.Open(t, fakeeditor.Config{
		Folders: []string{r.dir}, Capabilities: capabilities,
		InitializationOptions: fakeeditor.Object{"memhtmlStatus": true, "diagnostics": fakeeditor.Object{"maxFiles": n}},
	}, server(t, lsp.Options{}))
}

// waitShown waits until exactly these files show findings.
func waitShown(e *fakeeditor.Editor, r repo, files ...string) {
	var want []string
	for _, file := range files {
		want = append(want, fakeeditor.URI(r.path(file)))
	}
	slices.Sort(want)
	e.Wait(fmt.Sprintf("findings in %v alone", files), func() bool {
		var got []string
		for uri := range e.Shown() {
			got = append(got, uri)
		}
		slices.Sort(got)
		return slices.Equal(want, got)
	})
}

// Of many files with findings the most severe are shown, the open ones always,
// and the others take the places that become free.
func TestLimitOfFilesWithFindings(t *testing.T) {
	bothWays(t, func(t *testing.T, capabilities fakeeditor.Object) {
		r := newRepo(t,
			"areas/a.html", unlinked(1), "areas/b.html", unlinked(2), "areas/c.html", unlinked(3),
			"areas/x.html", untitled(1), "areas/y.html", untitled(2))
		e := limited(t, r, capabilities, 3)
		waitShown(e, r, "areas/x.html", "areas/y.html", "areas/a.html")
		e.Wait("the number of those that are left out", func() bool {
			seen := e.Seen("memhtml/status")
			return len(seen) > 0 && strings.Contains(string(seen[len(seen)-1].Params), `"leftOut":2`)
		})
		if n := statusOf(t, e).LeftOut; n != 2 {
			t.Errorf("memhtml.status says that %d are left out", n)
		}
		e.Open(r.path("areas/c.html"))
		waitShown(e, r, "areas/x.html", "areas/y.html", "areas/a.html", "areas/c.html")
		r.write("areas/x.html", memo("2026-01-05", "Gate 1 is open"))
		e.Watched(2, r.path("areas/x.html"))
		waitShown(e, r, "areas/y.html", "areas/a.html", "areas/b.html", "areas/c.html")
		e.Close(r.path("areas/c.html"))
		waitShown(e, r, "areas/y.html", "areas/a.html", "areas/b.html")
		r.write("areas/z.html", untitled(3))
		e.Watched(1, r.path("areas/z.html"))
		waitShown(e, r, "areas/y.html", "areas/z.html", "areas/a.html")
		r.remove("areas/y.html")
		e.Watched(3, r.path("areas/y.html"))
		waitShown(e, r, "areas/z.html", "areas/a.html", "areas/b.html")
	})
}

// A first pass that finds more than is shown shows nothing that it takes away.
func TestLimitDoesNotFlicker(t *testing.T) {
	files := []string{}
	for i := range 600 {
		files = append(files, fmt.Sprintf("areas/a%03d.html", i), unlinked(i))
	}
	files = append(files, "areas/z.html", untitled(0))
	r := newRepo(t, files...)
	e := limited(t, r, fakeeditor.VSCode(), 2)
	waitShown(e, r, "areas/a000.html", "areas/z.html")
	barrier(t, e)
	n := 0
	for _, p := range e.Seen("textDocument/publishDiagnostics") {
		if strings.Contains(string(p.Params), "/areas/") {
			n++
		}
	}
	if n != 2 {
		t.Errorf("%d publications for two files", n)
	}
}

// A changed setting counts at once.
func TestLimitChanges(t *testing.T) {
	r := newRepo(t, "areas/a.html", unlinked(1), "areas/b.html", unlinked(2), "areas/x.html", untitled(1))
	e := limited(t, r, fakeeditor.With(fakeeditor.VSCode(), fakeeditor.Object{"workspace": fakeeditor.Object{"configuration": nil}}), 2)
	waitShown(e, r, "areas/x.html", "areas/a.html")
	for _, change := range []struct {
		limit int
		files []string
	}{
		{1, []string{"areas/x.html"}},
		{0, nil},
		{1000, []string{"areas/x.html", "areas/a.html", "areas/b.html"}},
	} {
		e.Notify("workspace/didChangeConfiguration", fakeeditor.Object{"settings": fakeeditor.Object{
			"memhtml": fakeeditor.Object{"diagnostics": fakeeditor.Object{"maxFiles": change.limit}},
		}})
		waitShown(e, r, change.files...)
	}
}
