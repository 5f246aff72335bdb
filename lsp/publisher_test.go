package lsp

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// found is a set of findings with these messages.
func found(name string, messages ...string) *findings {
	var items []protocol.Diagnostic
	for _, m := range messages {
		items = append(items, protocol.Diagnostic{Severity: protocol.DiagnosticSeverityError, Message: protocol.String(m)})
	}
	return newFindings(uri.URI(name), items)
}

// opened is what an open document shows.
func opened(name string, messages ...string) *findings {
	f := found(name, messages...)
	f.open = true
	return f
}

// pushedLines returns a channel that pushes, and what it sent so far.
func pushedLines() (*pushed, *[]string) {
	sent := &[]string{}
	return newPushed(func(p *protocol.PublishDiagnosticsParams) {
		line := string(p.URI)
		for _, d := range p.Diagnostics {
			line += " " + string(d.Message.(protocol.String))
		}
		*sent = append(*sent, line)
	}), sent
}

func TestPublisherSendsDifferences(t *testing.T) {
	push, sent := pushedLines()
	p := newPublisher(10, push, func([]string) {})
	tests := []struct {
		name string
		f    *findings
		owed bool
		want []string
	}{
		{"nothing about a file without findings", found("a"), false, nil},
		{"an empty answer that is owed", opened("a"), true, []string{"a"}},
		{"a first set", found("a", "x"), false, []string{"a x"}},
		{"the same set", found("a", "x"), false, nil},
		{"the same set, owed", opened("a", "x"), true, []string{"a x"}},
		{"another set", found("a", "x", "y"), false, []string{"a x y"}},
		{"another spelling", found("A", "x"), false, []string{"a", "A x"}},
		{"none any more", found("A"), false, []string{"A"}},
		{"still none", found("A"), false, nil},
		{"some again", found("A", "z"), false, []string{"A z"}},
		{"none in an open document", opened("A"), false, []string{"A"}},
		{"closed", found("A"), false, nil},
	}
	for _, test := range tests {
		*sent = nil
		p.publish("/r/a", test.f, test.owed)
		p.flush(0, func() bool { return false })
		if diff := cmp.Diff(test.want, *sent); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
	p.publish("/r/a", found("A", "z"), false)
	p.publish("/other", found("o", "x"), false)
	p.flush(0, func() bool { return false })
	for range 2 {
		*sent = nil
		p.drop("/r")
		p.drop("/rest")
	}
	if *sent != nil {
		t.Errorf("cleared twice: %q", *sent)
	}
	if diff := cmp.Diff(map[string]uri.URI{"/other": "o"}, p.names); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
