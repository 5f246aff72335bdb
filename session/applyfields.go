package session

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/internal/spelling"
)

// operationField is one field of an operation: what it takes, in words, and how
// a value of it that is not null is taken.
type operationField struct {
	takes string
	set   func(*WriteRequest, json.RawMessage) error
}

// operationFields are the fields of an operation beside op: all that a
// [WriteRequest] can say, some in two spellings.
var operationFields = map[string]operationField{
	"title":           single(func(w *WriteRequest) *string { return &w.Title }),
	"type":            single(func(w *WriteRequest) *string { return &w.Type }),
	"claim":           single(func(w *WriteRequest) *string { return &w.Claim }),
	"article_html":    single(func(w *WriteRequest) *string { return &w.ArticleHTML }),
	"body":            {"a text or a list of texts", body},
	"path":            single(func(w *WriteRequest) *string { return &w.Path }),
	"strict_path":     {"true or false", into(func(w *WriteRequest) any { return &w.StrictPath })},
	"workspace":       single(func(w *WriteRequest) *string { return &w.Workspace }),
	"tag":             list(func(w *WriteRequest) *[]string { return &w.Tags }),
	"tags":            list(func(w *WriteRequest) *[]string { return &w.Tags }),
	"entity":          list(func(w *WriteRequest) *[]string { return &w.Entities }),
	"entities":        list(func(w *WriteRequest) *[]string { return &w.Entities }),
	"alias":           list(func(w *WriteRequest) *[]string { return &w.Aliases }),
	"aliases":         list(func(w *WriteRequest) *[]string { return &w.Aliases }),
	"importance":      {"a whole number from 1 to 10", number(func(w *WriteRequest) any { return &w.Importance })},
	"confidence":      {"a number from 0 to 1", number(func(w *WriteRequest) any { return &w.Confidence })},
	"author":          single(func(w *WriteRequest) *string { return &w.Author }),
	"valid_from":      single(func(w *WriteRequest) *string { return &w.ValidFrom }),
	"valid_until":     single(func(w *WriteRequest) *string { return &w.ValidUntil }),
	"status":          single(func(w *WriteRequest) *string { return &w.Status }),
	"due":             single(func(w *WriteRequest) *string { return &w.Due }),
	"session_id":      single(func(w *WriteRequest) *string { return &w.SessionID }),
	"prompt_id":       single(func(w *WriteRequest) *string { return &w.PromptID }),
	"turn_uuid":       single(func(w *WriteRequest) *string { return &w.TurnUUID }),
	"dedupe":          {"a text", into(func(w *WriteRequest) any { return &w.Dedupe })},
	"near_threshold":  {"a number from 0 to 1", number(func(w *WriteRequest) any { return &w.NearThreshold })},
	"near_candidates": {"a whole number from 1", number(func(w *WriteRequest) any { return &w.NearCandidates })},
	"scope":           {"a text", into(func(w *WriteRequest) any { return &w.Scope })},
}

// OperationFields are the names of the fields of an operation, op first.
func OperationFields() []string {
	return append([]string{"op"}, slices.Sorted(maps.Keys(operationFields))...)
}

func unknownOperationField(name string) error {
	unknown := failure.New(failure.InvalidFlag, "there is no field %q.", shortened(name))
	if near := spelling.Nearest(name, OperationFields()); len(near) > 0 && len(name) <= maxName {
		return unknown.Suggest(near...)
	}
	return unknown.Suggest("The fields are " + strings.Join(OperationFields(), ", ") + ".")
}

func single(field func(*WriteRequest) *string) operationField {
	return operationField{"a text", into(func(w *WriteRequest) any { return field(w) })}
}

func into(field func(*WriteRequest) any) func(*WriteRequest, json.RawMessage) error {
	return func(w *WriteRequest, value json.RawMessage) error { return json.Unmarshal(value, field(w)) }
}

// number takes a number, or a text that is one, as many programs send it.
func number(field func(*WriteRequest) any) func(*WriteRequest, json.RawMessage) error {
	return func(w *WriteRequest, value json.RawMessage) error {
		var text string
		if json.Unmarshal(value, &text) == nil {
			value = json.RawMessage(strings.TrimSpace(text))
		}
		return json.Unmarshal(value, field(w))
	}
}

// body is a text with blank lines between its paragraphs, or a list of
// paragraphs.
func body(w *WriteRequest, value json.RawMessage) error {
	if json.Unmarshal(value, &w.Prose) == nil {
		return nil
	}
	w.Prose = ""
	return json.Unmarshal(value, &w.Body)
}

// list takes one text or a list of them; both spellings of a field add up.
func list(field func(*WriteRequest) *[]string) operationField {
	return operationField{"a text or a list of texts", func(w *WriteRequest, value json.RawMessage) error {
		var one string
		if json.Unmarshal(value, &one) == nil {
			*field(w) = append(*field(w), one)
			return nil
		}
		var many []string
		err := json.Unmarshal(value, &many)
		*field(w) = append(*field(w), many...)
		return err
	}}
}
