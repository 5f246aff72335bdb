package calibrate

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"unicode/utf8"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
)

// Pair is two claims, and what somebody says of them.
type Pair struct {
	A, B string
	// Same says that they state one fact: the label is 1.
	Same bool
	// Kind is why the pair is in the set, such as "negation"; it may be empty.
	Kind string
}

// maxLine is the most bytes a line of a set may have.
const maxLine = 1 << 20

// Read reads one JSON object a line, {"a", "b", "label": 0 or 1, "kind"}; other
// fields are somebody else's. Blank lines are skipped. A line that is no pair
// refuses the whole set, and is named.
func Read(r io.Reader) ([]Pair, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	var pairs []Pair
	for n := 1; lines.Scan(); n++ {
		line := bytes.TrimSpace(bytes.TrimPrefix(lines.Bytes(), []byte("\ufeff")))
		if len(line) == 0 {
			continue
		}
		pair, ok := parse(line)
		if !ok {
			return nil, failure.New(failure.InvalidFlag, "Line %d is not a labelled pair.", n).
				Suggest(`A line is {"a": "…", "b": "…", "label": 1, "kind": "…"}; the label is 1 where both say the same, else 0.`)
		}
		pairs = append(pairs, pair)
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return nil, failure.New(failure.InvalidFlag, "A line is longer than 1 MB, which no pair is.").Wrap(err)
	case err != nil:
		return nil, failure.New(failure.Storage, "The pairs cannot be read.").Wrap(err)
	}
	return pairs, nil
}

func parse(line []byte) (Pair, bool) {
	var got struct {
		A, B  *string
		Label *int
		Kind  string
	}
	if !utf8.Valid(line) || json.Unmarshal(line, &got) != nil || got.A == nil || got.B == nil || got.Label == nil {
		return Pair{}, false
	}
	label := *got.Label
	return Pair{A: *got.A, B: *got.B, Same: label == 1, Kind: got.Kind}, label == 0 || label == 1
}
