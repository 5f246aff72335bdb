package diagnostics

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memhtml-ls/memhtml-ls/memory"
)

func TestDanglingLink(t *testing.T) {
	const files = `
		areas/live.html
		areas/task.html type=task
		areas/bad.html refused
		areas/back.html
		areas/café.html
		areas/100%25.html
		archive/2024/areas/moved.html
		archive/2026/areas/moved.html
		archive/2026/areas/with-café.html
		archive/2026/areas/again.html
		archive/1999/areas/ancient.html`
	tests := []struct{ href, message, target string }{
		{"/areas/live.html", "", ""},
		{"/areas/live.html#part", "", ""},
		{"/areas/live.html?x=1", "", ""},
		{"/areas/task.html", "", ""},
		{"/areas/bad.html", "", ""},
		{"/areas/caf%C3%A9.html", "", ""},
		{"/areas/100%25.html", "", ""},
		{"/README.html", "", ""},
		{"/areas/index.html", "", ""},
		{"/sessions/2026-05-02", "", ""},
		{"/areas/none.html", "/areas/none.html does not exist.", ""},
		{"/areas/none.html#part", "/areas/none.html does not exist.", ""},
		{"/areas/LIVE.html", "/areas/LIVE.html does not exist.", ""},
		{
			"/areas/moved.html", "/areas/moved.html does not exist; it is now /archive/2026/areas/moved.html.",
			"archive/2026/areas/moved.html",
		},
		{
			"/areas/with-caf%C3%A9.html#part", "/areas/with-caf%C3%A9.html does not exist; it is now /archive/2026/areas/with-café.html.",
			"archive/2026/areas/with-café.html",
		},
		{
			"/areas/ancient.html", "/areas/ancient.html does not exist; it is now /archive/1999/areas/ancient.html.",
			"archive/1999/areas/ancient.html",
		},
		{
			"/archive/2025/areas/back.html",
			"/archive/2025/areas/back.html does not exist; it is now /areas/back.html.", "",
		},
		{
			"/archive/2025/areas/again.html",
			"/archive/2025/areas/again.html does not exist; it is now /archive/2026/areas/again.html.", "",
		},
	}
	snap := corpusOf(files)
	for _, tt := range tests {
		d := memory.Parse(fmt.Appendf(nil, `<head><link rel="memhtml-supports" href="%s"></head>`, tt.href))
		var got []Finding
		for _, f := range Find(Input{Snapshot: snap, File: snap.File("areas/live.html"), Document: d}) {
			if f.Code == DanglingLink {
				got = append(got, f)
			}
		}
		var messages, want []string
		for _, f := range got {
			messages = append(messages, f.Message)
		}
		if tt.message != "" {
			want = []string{tt.message}
		}
		if diff := cmp.Diff(want, messages); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.href, diff)
			continue
		}
		if len(got) == 1 && (got[0].Data.Target != tt.target || got[0].Data.Value != tt.href || got[0].Data.Subject != "supports") {
			t.Errorf("%s: data %+v, want target %q", tt.href, got[0].Data, tt.target)
		}
		if len(got) == 1 && string(d.Source[got[0].Span.Start:got[0].Span.End]) != tt.href {
			t.Errorf("%s: the span is %v", tt.href, got[0].Span)
		}
	}
}

// A link to what was corrected tells what holds now, however often that was.
func TestDanglingLinkTellsTheSuccessor(t *testing.T) {
	const files = `
		areas/linker.html link=supersedes:archive/2026/areas/own.html
		archive/2026/areas/x.html
		archive/2026/areas/x-2.html link=supersedes:archive/2026/areas/x.html
		areas/x-3.html link=supersedes:archive/2026/areas/x-2.html
		archive/2026/areas/own.html
		archive/2026/areas/lost.html
		archive/2026/areas/lost-2.html link=supersedes:archive/2026/areas/lost.html
		archive/2026/areas/round.html link=supersedes:archive/2026/areas/round-2.html
		archive/2026/areas/round-2.html link=supersedes:archive/2026/areas/round.html
		areas/supporter.html link=supports:archive/2026/areas/lost.html`
	const superseded = " does not exist; it was superseded by /areas/x-3.html."
	tests := []struct{ rel, href, message, successor string }{
		{"supports", "/areas/x.html", "/areas/x.html" + superseded, "areas/x-3.html"},
		{"supports", "/areas/x-2.html#part", "/areas/x-2.html" + superseded, "areas/x-3.html"},
		{"supersedes", "/areas/x.html", "/areas/x.html does not exist; it is now /archive/2026/areas/x.html.", ""},
		{"supports", "/archive/2025/areas/x.html", "/archive/2025/areas/x.html does not exist; it is now /archive/2026/areas/x.html.", ""},
		{"supports", "/areas/own.html", "/areas/own.html does not exist; it is now /archive/2026/areas/own.html.", ""},
		{"supports", "/areas/lost.html", "/areas/lost.html does not exist; it is now /archive/2026/areas/lost.html.", ""},
		{"supports", "/areas/round.html", "/areas/round.html does not exist; it is now /archive/2026/areas/round.html.", ""},
	}
	snap := corpusOf(files)
	for _, tt := range tests {
		d := memory.Parse(fmt.Appendf(nil, `<head><link rel="memhtml-%s" href="%s"></head>`, tt.rel, tt.href))
		var got []string
		for _, f := range Find(Input{Snapshot: snap, File: snap.File("areas/linker.html"), Document: d}) {
			if f.Code == DanglingLink {
				got = append(got, f.Message, f.Data.Successor)
			}
		}
		if diff := cmp.Diff([]string{tt.message, tt.successor}, got); diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", tt.rel, tt.href, diff)
		}
	}
}
