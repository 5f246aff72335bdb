package lsp

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
)

// A misspelled expectation was ignored, and the commit was made.
func TestUnknownFieldsAreRefused(t *testing.T) {
	s := newServer(t.Context(), Options{}.withDefaults())
	close(s.opened)
	for _, command := range commandNames() {
		for argument, field := range map[string]string{
			`{"uri":"file:///x.html","expects":{}}`:                                           "expects",
			`{"uri":"file:///x.html","expect":{"file:///x.html":{"sha256":"00"}}}`:            "expect.sha256",
			`{"pairs":[{"winner":"file:///x.html","looser":"file:///y.html"}]}`:               "pairs.looser",
			`{"uri":"file:///x.html","expect":{"a":{},"b":{"hash":"0","versions":"\u001b"}}}`: "expect.versions",
		} {
			_, err := s.run(t.Context(), command, []json.RawMessage{json.RawMessage(argument)})
			var refused *failure.Error
			if !errors.As(err, &refused) || refused.Code != failure.InvalidFlag || !strings.Contains(refused.Message, field) {
				t.Errorf("%s %s: %v, want a word about %s", command, argument, err, field)
			}
		}
	}
}

// One object is the argument; what comes after it was ignored.
func TestASecondArgumentIsRefused(t *testing.T) {
	s := newServer(t.Context(), Options{}.withDefaults())
	close(s.opened)
	_, err := s.run(t.Context(), "memhtml.archive", []json.RawMessage{json.RawMessage(`{}`), json.RawMessage(`{}`)})
	if failure.CodeOf(err) != failure.InvalidFlag {
		t.Errorf("%v", err)
	}
}
