package lsp

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/session"
)

// ownFields are the fields that commands have beside the common ones.
var ownFields = map[string]any{
	"memhtml.write":           writeArguments{},
	"memhtml.apply":           applyArguments{},
	"memhtml.update":          updateArguments{},
	"memhtml.correct":         correctArguments{},
	"memhtml.correctFromEdit": correctArguments{},
	"memhtml.archive":         behalf{},
	"memhtml.supersede":       behalf{},
	"memhtml.supersedeMany":   behalf{},
	"memhtml.link":            behalf{},
	"memhtml.keepBoth":        behalf{},
	"memhtml.merge":           behalf{},
	"memhtml.undo":            undoArguments{},
}

// refuseUnknown refuses an argument with a field that nobody reads. Whoever
// misspells an expectation would get a commit that nothing was expected of.
func refuseUnknown(command string, raw json.RawMessage) error {
	field := unknownField(raw, arguments{}, ownFields[command])
	var nested struct {
		Expect map[string]json.RawMessage
		Pairs  []json.RawMessage
	}
	if json.Unmarshal(raw, &nested) == nil {
		for _, uri := range slices.Sorted(maps.Keys(nested.Expect)) {
			if name := unknownField(nested.Expect[uri], expectation{}); name != "" {
				field = "expect." + name
			}
		}
		for _, pair := range nested.Pairs {
			if name := unknownField(pair, session.Pair{}); name != "" {
				field = "pairs." + name
			}
		}
	}
	if field == "" {
		return nil
	}
	return failure.New(failure.InvalidFlag, "%s has no argument field %s.", command, diagnostics.Shown(field)).
		Suggest("Correct its spelling or leave it out.")
}

// unknownField returns the first member of an object that no field of the
// structs reads, "" when there is none.
func unknownField(raw json.RawMessage, structs ...any) string {
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil {
		return "" // whoever reads it says why
	}
	known := map[string]bool{}
	for _, fields := range structs {
		if fields == nil {
			continue
		}
		for _, field := range reflect.VisibleFields(reflect.TypeOf(fields)) {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if name == "" {
				name = field.Name
			}
			known[strings.ToLower(name)] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if !known[strings.ToLower(name)] {
			return name
		}
	}
	return ""
}
