package fakeeditor

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Position is a place in a buffer, in the units that were negotiated.
type Position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// Range is a half-open range of a buffer.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// TextEdit replaces Range by NewText.
type TextEdit struct {
	Range   Range  `json:"range"`
	NewText string `json:"newText"`
}

// width returns the units of one rune.
func width(r rune, encoding string) int {
	switch encoding {
	case "utf-8":
		return utf8.RuneLen(r)
	case "utf-32":
		return 1
	default:
		return utf16.RuneLen(r)
	}
}

// positionAt counts from the start of text to the byte offset. It is slow and
// plain on purpose: it checks the server's own mapping.
func positionAt(text string, offset int, encoding string) Position {
	var p Position
	for i, r := range text[:offset] {
		if r == '\n' || r == '\r' && !strings.HasPrefix(text[i+1:], "\n") {
			p = Position{p.Line + 1, 0}
		} else if r != '\r' {
			p.Character += width(r, encoding)
		}
	}
	return p
}

// offsetAt is the inverse of positionAt; ok is false when p is not a place of
// text exactly.
func offsetAt(text string, p Position, encoding string) (offset int, ok bool) {
	for i := range text {
		if positionAt(text, i, encoding) == p {
			return i, true
		}
	}
	return len(text), positionAt(text, len(text), encoding) == p
}
