package lsp

import (
	"encoding/json"
	"strings"
	"testing"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// Every outgoing type that has a kind says which: the library leaves it empty.
func TestKindsAreSaid(t *testing.T) {
	var p []any
	c := &client{conn: &recorder{&p}}
	item := &progress{c, protocol.String("t")}
	item.report(1, 2)
	item.end("Done.")
	var server server
	server.client, server.capabilities.progress = c, true
	server.beginProgress(t.Context(), "x")
	kinds := ""
	for _, params := range p {
		body, err := protocol.Marshal(params)
		if err != nil {
			t.Fatal(err)
		}
		var got struct{ Value struct{ Kind string } }
		if err := json.Unmarshal(body, &got); err != nil {
			t.Fatal(err)
		}
		kinds += got.Value.Kind + " "
	}
	if kinds != "report end begin " {
		t.Errorf("kinds %q", kinds)
	}
}

// An edit is in one of the two forms, never in both, and its members are not
// file operations.
func TestEditHasOneForm(t *testing.T) {
	v := &documentView{s: &server{}, document: document{uri: "file:///a@b.html", version: 3, text: []byte("abc")}}
	for _, documentChanges := range []bool{true, false} {
		v.s.capabilities.documentChanges = documentChanges
		body, err := protocol.Marshal(v.edit(textEditOf(1, 2, "x")))
		if err != nil {
			t.Fatal(err)
		}
		if has := strings.Contains(string(body), `"documentChanges"`); has != documentChanges {
			t.Errorf("%s", body)
		}
		if has := strings.Contains(string(body), `"changes"`); has == documentChanges {
			t.Errorf("%s", body)
		}
		if !strings.Contains(string(body), `file:///a@b.html"`) {
			t.Errorf("not the client's spelling: %s", body)
		}
	}
}

// The library's own client types keep an uri as it was spelled when they are
// sent.
func TestSpellingSurvivesTheCodec(t *testing.T) {
	body, err := codec{}.Marshal(&protocol.PublishDiagnosticsParams{URI: uri.URI("file:///a@b c.html")})
	if err != nil || !strings.Contains(string(body), `"file:///a@b c.html"`) {
		t.Errorf("%s %v", body, err)
	}
}

func TestWireNumbers(t *testing.T) {
	for body, want := range map[string]wireNumber{
		"0": 0, "7": 7, "4294967295": 4294967295, "99999999999999999999": 4294967295,
		"-1": 0, "1.5": 0, "1e3": 0, "null": 0, `"x"`: 0, "[]": 0, "{}": 0,
	} {
		var got wireNumber = 9
		if err := json.Unmarshal([]byte(body), &got); err != nil || got != want && body != "null" {
			t.Errorf("%s is %d (%v), want %d", body, got, err, want)
		}
	}
}
