package lsp

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/session"
)

// A misspelled expectation was ignored, and the commit was made.
func TestUnknownFieldsAreRefused(t *testing.T) {
	s := newServer(t.Context(), Options{}.withDefaults())
	close(s.opened)
	for _, command := range s.commandNames() {
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

// A field of a line of apply is one of memhtml.write.
func TestOperationsHaveTheFieldsOfWrite(t *testing.T) {
	var want, got []string
	for _, name := range session.OperationFields() {
		if !slices.Contains([]string{"aliases", "entities", "op", "tags"}, name) {
			want = append(want, strings.ReplaceAll(name, "_", ""))
		}
	}
	for _, field := range reflect.VisibleFields(reflect.TypeOf(writeArguments{})) {
		got = append(got, strings.ToLower(field.Name))
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-fields of an operation +arguments of memhtml.write)\n%s", diff)
	}
}

// The nearest name was left for the sender to find.
func TestAMisspelledFieldIsToldTheNearest(t *testing.T) {
	err := refuseUnknown("memhtml.write", json.RawMessage(`{"titel":"x","expect":{"u":{"hsah":"0"}}}`))
	if got := session.Refusal(err).Sentences(); got != "memhtml.write has no argument field expect.hsah. Did you mean expect.hash?" {
		t.Error(got)
	}
	err = refuseUnknown("memhtml.write", json.RawMessage(`{"title":"x","conf":1}`))
	if got := session.Refusal(err).Sentences(); got != "memhtml.write has no argument field conf. Did you mean confidence?" {
		t.Error(got)
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
