package session

import (
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/internal/spelling"
)

// apiVersion is the version of every JSON shape the product returns (cli.md).
const apiVersion = "1"

// Envelope is the one JSON shape that commands answer with, on the command line
// and through the server alike (cli.md "JSON"). Either Type or Code is set.
type Envelope struct {
	APIVersion  string       `json:"apiVersion"`
	Type        string       `json:"type,omitempty"`
	Code        failure.Code `json:"code,omitempty"`
	Error       string       `json:"error,omitempty"`
	Suggestions []string     `json:"suggestions,omitzero"`
	Data        any          `json:"data,omitempty"`
}

// Success wraps the data of a result.
func Success(kind string, data any) Envelope {
	return Envelope{APIVersion: apiVersion, Type: kind, Data: data}
}

// Refusal wraps an error. It is total: an error without a code of its own
// becomes ERR_UNKNOWN, and its text, which might carry memory text or a command
// line, stays out of the envelope (M55, M118).
func Refusal(err error) Envelope {
	refused := Envelope{
		APIVersion:  apiVersion,
		Code:        failure.Unknown,
		Error:       "Something went wrong that has no name yet; the log has the details.",
		Suggestions: []string{},
	}
	var known *failure.Error
	if errors.As(err, &known) {
		refused.Code, refused.Error, refused.Data = known.Code, known.Message, known.Data
		refused.Suggestions = append(refused.Suggestions, known.Suggestions...)
	}
	return refused
}

// Sentences are a refusal in words: what was refused, and what to do. Suggestions
// that are names rather than sentences are put into one.
func (e Envelope) Sentences() string {
	switch {
	case len(e.Suggestions) == 0:
		return e.Error
	case e.suggestsNames():
		return e.Error + " Did you mean " + spelling.Alternatives(e.Suggestions) + "?"
	default:
		return e.Error + " " + strings.Join(e.Suggestions, " ")
	}
}

func (e Envelope) suggestsNames() bool {
	return len(e.Suggestions) > 0 && !strings.HasSuffix(e.Suggestions[0], ".")
}

// WriteJSON writes the envelope as one indented document and a newline.
func (e Envelope) WriteJSON(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(e)
}
