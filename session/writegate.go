package session

import (
	"strings"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/internal/spelling"
	"github.com/memhtml-ls/memhtml-ls/memory"
)

// gate refuses what the format would not take back as it was meant, with all
// that is wrong, in the words of a check (M6).
func gate(problems []memory.Problem) error {
	var wrong []string
	for _, problem := range problems {
		wrong = append(wrong, problem.Code+": "+strings.TrimSuffix(diagnostics.Words(problem), "."))
	}
	if len(wrong) == 0 {
		return nil
	}
	refused := failure.New(failure.InvalidMemory, "it would have format errors: %s.", strings.Join(wrong, "; "))
	if near := nearest(problems); len(near) > 0 {
		return refused.Suggest(near...)
	}
	return refused.Suggest("memhtml-ls explain CODE says what each of them means.")
}

// nearest are the words that may have been meant where a word is all that is
// wrong.
func nearest(problems []memory.Problem) []string {
	if len(problems) > 1 {
		return nil
	}
	switch p := problems[0]; p.Code {
	case string(diagnostics.TypeUnknown):
		return spelling.Nearest(p.Value, memory.Types())
	case string(diagnostics.TaskStatusUnknown):
		return spelling.Nearest(p.Value, memory.TaskStatuses())
	}
	return nil
}

// checkNumbers refuses numbers that a reader would drop.
func (w WriteRequest) checkNumbers() error {
	if n := w.Importance; n != nil && !(1 <= *n && *n <= 10) {
		return failure.New(failure.InvalidMemory, "the importance is %d, and not a whole number from 1 to 10.", *n)
	}
	if n := w.Confidence; n != nil && !(0 <= *n && *n <= 1) {
		return failure.New(failure.InvalidMemory, "the confidence is %v, and not a number from 0 to 1.", *n)
	}
	return nil
}

// noChoice refuses a word where one of a few is asked for.
func noChoice(what, word string, words ...string) error {
	refused := failure.New(failure.InvalidFlag, "%s cannot be “%s”: it is one of %s.",
		what, diagnostics.Shown(shortened(word)), strings.Join(words, ", "))
	return refused.Suggest(spelling.Nearest(word, words)...)
}
