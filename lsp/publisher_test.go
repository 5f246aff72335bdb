package lsp

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

func TestPublisherSendsDifferences(t *testing.T) {
	var sent []string
	p := newPublisher(func(p *protocol.PublishDiagnosticsParams) {
		line := string(p.URI)
		for _, d := range p.Diagnostics {
			line += " " + string(d.Message.(protocol.String))
		}
		sent = append(sent, line)
	})
	set := func(name string, messages ...string) *protocol.PublishDiagnosticsParams {
		params := &protocol.PublishDiagnosticsParams{URI: uri.URI(name)}
		for _, m := range messages {
			params.Diagnostics = append(params.Diagnostics, protocol.Diagnostic{Message: protocol.String(m)})
		}
		return params
	}
	tests := []struct {
		name string
		do   func()
		want []string
	}{
		{"nothing about a file without findings", func() { p.publish("a", set("a"), false) }, nil},
		{"an empty answer that is owed", func() { p.publish("a", set("a"), true) }, []string{"a"}},
		{"a first set", func() { p.publish("a", set("a", "x"), false) }, []string{"a x"}},
		{"the same set", func() { p.publish("a", set("a", "x"), false) }, nil},
		{"the same set, owed", func() { p.publish("a", set("a", "x"), true) }, []string{"a x"}},
		{"another set", func() { p.publish("a", set("a", "x", "y"), false) }, []string{"a x y"}},
		{"another spelling", func() { p.publish("a", set("A", "x"), false) }, []string{"a", "A x"}},
		{"none any more", func() { p.publish("a", set("A"), false) }, []string{"A"}},
		{"still none", func() { p.publish("a", set("A"), false) }, nil},
		{"clearing what shows nothing", func() { p.clear("a") }, nil},
		{"some again", func() { p.publish("a", set("A", "z"), false) }, []string{"A z"}},
		{"cleared", func() { p.clear("a") }, []string{"A"}},
		{"cleared twice", func() { p.clear("a") }, nil},
	}
	for _, test := range tests {
		sent = nil
		test.do()
		if diff := cmp.Diff(test.want, sent); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}
