package lsp

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/internal/spelling"
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
	"memhtml.link":            linkArguments{},
	"memhtml.keepBoth":        behalf{},
	"memhtml.merge":           behalf{},
	"memhtml.undo":            undoArguments{},
	"memhtml.show":            undoArguments{},
}

// refuseUnknown refuses an argument with a field that nobody reads. Whoever
// misspells an expectation would get a commit that nothing was expected of.
func refuseUnknown(command string, raw json.RawMessage) error {
	field, near := unknownField(raw, "", arguments{}, ownFields[command])
	var nested struct {
		Expect map[string]json.RawMessage
		Pairs  []json.RawMessage
	}
	if json.Unmarshal(raw, &nested) == nil {
		for _, uri := range slices.Sorted(maps.Keys(nested.Expect)) {
			if name, names := unknownField(nested.Expect[uri], "expect.", expectation{}); name != "" {
				field, near = name, names
			}
		}
		for _, pair := range nested.Pairs {
			if name, names := unknownField(pair, "pairs.", session.Pair{}); name != "" {
				field, near = name, names
			}
		}
	}
	if field == "" {
		return nil
	}
	unknown := failure.New(failure.InvalidFlag, "%s has no argument field %s.", command, diagnostics.Shown(field))
	if len(near) == 0 {
		near = []string{"Correct its spelling or leave it out."}
	}
	return unknown.Suggest(near...)
}

// unknownField returns the first member of an object that no field of the
// structs reads, and the names that are near it, all with what stands before
// them; "" when there is none.
func unknownField(raw json.RawMessage, before string, structs ...any) (field string, near []string) {
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil {
		return "", nil // whoever reads it says why
	}
	var known []string
	for _, fields := range structs {
		if fields != nil {
			known = append(known, namesOf(fields)...)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if slices.ContainsFunc(known, func(of string) bool { return strings.EqualFold(of, name) }) {
			continue
		}
		for _, of := range spelling.Nearest(name, known) {
			near = append(near, before+of)
		}
		return before + name, near
	}
	return "", nil
}

// namesOf are the names of the fields of a struct, as they are sent.
func namesOf(fields any) (names []string) {
	for _, field := range reflect.VisibleFields(reflect.TypeOf(fields)) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "" {
			name = camelCase(field.Name)
		}
		names = append(names, name)
	}
	return names
}

// camelCase is a Go name as a member of an object is spelled.
func camelCase(name string) string {
	return strings.NewReplacer("ID", "Id", "HTML", "Html", "UUID", "Uuid").Replace(strings.ToLower(name[:1]) + name[1:])
}
