package lsp_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memhtml-ls/memhtml-ls/internal/fakeeditor"
	"github.com/memhtml-ls/memhtml-ls/lsp"
)

// After any history of typing, saving, closing and changes on disk, with all
// files closed, clients that pull hold what a client that is pushed to does, and
// all of them what a server that has just started says. While files are open,
// which of two reports depends on what each server read when.
func TestEveryClientHoldsTheSame(t *testing.T) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			h := newChannelHistory(t, rand.New(rand.NewPCG(5, seed)))
			for range 5 {
				for range 12 {
					h.step()
				}
				for _, path := range slices.Sorted(maps.Keys(h.open)) {
					h.close(path)
				}
				h.agree()
			}
			h.agreeWithFreshStart()
		})
	}
}

// channelHistory drives several clients of one repository through the same
// history.
type channelHistory struct {
	t      *testing.T
	r      repo
	random *rand.Rand
	// pushed is the client that the others are held against.
	pushed  *fakeeditor.Editor
	editors map[string]*fakeeditor.Editor
	open    map[string]bool
}

func newChannelHistory(t *testing.T, random *rand.Rand) *channelHistory {
	h := &channelHistory{t: t, r: pair(t), random: random, open: map[string]bool{}}
	h.pushed = open(t, h.r, fakeeditor.VSCode())
	h.editors = map[string]*fakeeditor.Editor{
		"pushed": h.pushed, "pulls": open(t, h.r, fakeeditor.Pulling()), "takes other files": open(t, h.r, fakeeditor.Neovim012()),
	}
	// A client that takes other files with a document has to have one open.
	h.r.write(anchor, memo("2026-01-01", "An anchor holds a ship"))
	h.each(func(e *fakeeditor.Editor) { e.Open(h.r.path(anchor)) })
	return h
}

// anchor is a file without findings that stays open.
const anchor = "areas/anchor.html"

func (h *channelHistory) pick(words ...string) string { return words[h.random.IntN(len(words))] }

func (h *channelHistory) text() string {
	created := h.pick("2026-01-02", "2026-02-03", "2026-03-04")
	text := memo(created, h.pick(claim, "The connection pool ceiling is 64", "The connection pool ceiling is 32", "Fill the queue"))
	return strings.Replace(text, "<title>"+created+"</title>", h.pick("<title>x</title>", "<title>y</title>\n\n", ""), 1)
}

func (h *channelHistory) step() {
	path := h.r.path(h.pick(drain, copied, pool, "areas/x.html", "areas/über@.html"))
	_, err := os.Stat(path)
	exists := err == nil
	switch n := h.random.IntN(10); {
	case n < 5 && h.open[path]:
		h.typeIn(path)
	case n < 4 && exists:
		h.open[path] = true
		h.each(func(e *fakeeditor.Editor) { e.Open(path) })
	case n == 6 && exists:
		h.remove(path)
	case n == 7 && exists:
		to := h.r.path("archive/2026/" + h.pick("a.html", "b.html"))
		h.write(to, h.read(path))
		h.remove(path)
	default:
		h.write(path, h.text())
	}
}

// typeIn replaces the text of an open document, saves it or closes it.
func (h *channelHistory) typeIn(path string) {
	switch h.random.IntN(6) {
	case 0:
		h.each(func(e *fakeeditor.Editor) { e.Save(path) })
		h.changed(2, path)
	case 1:
		h.close(path)
	default:
		text := h.text()
		h.each(func(e *fakeeditor.Editor) { e.SetText(path, text) })
	}
}

func (h *channelHistory) each(do func(*fakeeditor.Editor)) {
	for _, name := range slices.Sorted(maps.Keys(h.editors)) {
		do(h.editors[name])
	}
}

func (h *channelHistory) close(path string) {
	delete(h.open, path)
	h.each(func(e *fakeeditor.Editor) { e.Close(path) })
	h.changed(2, path)
}

func (h *channelHistory) read(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		h.t.Fatal(err)
	}
	return string(text)
}

func (h *channelHistory) write(path, text string) {
	rel, err := filepath.Rel(h.r.dir, path)
	if err != nil {
		h.t.Fatal(err)
	}
	h.r.write(filepath.ToSlash(rel), text)
	h.changed(2, path)
}

func (h *channelHistory) remove(path string) {
	if err := os.Remove(path); err != nil {
		h.t.Fatal(err)
	}
	h.changed(3, path)
}

// changed tells of a change of the disk.
func (h *channelHistory) changed(kind int, path string) {
	h.each(func(e *fakeeditor.Editor) { e.Watched(kind, path) })
}

// agree waits until every client holds what the one that is pushed to does.
func (h *channelHistory) agree() {
	h.t.Helper()
	for name, e := range h.editors {
		h.holds(name, e, h.pushed)
	}
}

// holds waits until two clients hold the same; either may have to hear something
// yet.
func (h *channelHistory) holds(what string, e, as *fakeeditor.Editor) {
	h.t.Helper()
	ticker, deadline := time.NewTicker(2*time.Millisecond), time.After(fakeeditor.Patience)
	defer ticker.Stop()
	for diff := "?"; diff != ""; {
		select {
		case <-ticker.C:
			diff = cmp.Diff(held(as), held(e))
		case <-deadline:
			h.t.Fatalf("%s (-want +got):\n%s", what, diff)
		}
	}
}

// agreeWithFreshStart waits until the client that is pushed to, and with it all,
// holds what a new server says.
func (h *channelHistory) agreeWithFreshStart() {
	h.t.Helper()
	fresh := fakeeditor.Open(h.t, fakeeditor.Config{
		Folders: []string{h.r.dir}, Capabilities: fakeeditor.VSCode(),
		InitializationOptions: fakeeditor.Object{"memhtmlStatus": true},
	}, server(h.t, lsp.Options{}))
	fresh.Wait("the first index", func() bool { return len(fresh.Seen("memhtml/status")) > 0 })
	barrier(h.t, fresh)
	h.holds("as a new server says", h.pushed, fresh)
	h.agree()
}

// held is what a client shows, in a form that does not depend on its encoding.
func held(e *fakeeditor.Editor) map[string][]string {
	all := map[string][]string{}
	for name, diagnostics := range e.Shown() {
		uri, err := url.PathUnescape(name)
		if err != nil || strings.HasSuffix(uri, "/probe.html") {
			continue
		}
		for _, d := range diagnostics {
			all[uri] = append(all[uri], fmt.Sprint(d.Range.Start.Line, " ", d.Code, " ", d.Severity, " ", d.Message))
		}
	}
	return all
}
