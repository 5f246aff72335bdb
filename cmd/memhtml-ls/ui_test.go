package main

import (
	"strings"
	"testing"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
)

// A refusal repeated escape sequences and overrides of the writing direction
// from the command line as they were.
func TestRefusalsShowWhatCannotBeSeen(t *testing.T) {
	var out strings.Builder
	u := &ui{err: &out}
	u.refuse(failure.New(failure.UnknownCommand, "There is no command “%s”.", "\x1b[31m\u202e\u2066\x9b").
		Suggest("\x07\x7f"))
	const want = "There is no command “\\u{1B}[31m\\u{202E}\\u{2066}\\x{9B}”. Did you mean \\u{7}\\u{7F}?\n"
	if out.String() != want {
		t.Errorf("said %q, want %q", out.String(), want)
	}
}
