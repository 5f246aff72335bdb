// Package frame finds the slot that a claim fills.
//
// "The pool ceiling is 64." fills the slot "the pool ceiling is" with "64":
// two claims with one key and different values are likely in conflict. The rule
// is surface grammar alone (format.md §5). It is not a judge of meaning: a
// rewording has another key, and most prose has none.
package frame

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
)

// A frame shorter than minFrameTokens is ordinary prose, a value longer than
// maxValueTokens is a clause; both mean no frame (M57).
const (
	minFrameTokens = 3
	maxValueTokens = 6
)

// Frame is the slot of one claim and what the claim puts into it.
type Frame struct {
	// Key is the slot, lower-cased as JavaScript lower-cases.
	Key string
	// Value is what follows, as written but for collapsed whitespace and one
	// final period.
	Value string
	// Normal is Value case-folded and without its final period: equal Normals
	// say the same thing again, different ones are a conflict.
	Normal string
}

// Of returns the frame of a claim; ok is false when the claim has none. It is
// a function of the claim alone, so that a rebuild gives the same keys.
func Of(claim string) (f Frame, ok bool) {
	text := collapse(claim)
	end := lastLink(text)
	if end < 0 || tokens(text[:end]) < minFrameTokens {
		return Frame{}, false
	}
	value := withoutPeriod(text[end+1:])
	if tokens(value) > maxValueTokens {
		return Frame{}, false
	}
	return Frame{Key: lower(text[:end]), Value: value, Normal: normal(value)}, true
}

// lastLink returns the end of the last standalone linking word that is
// followed by a space, or -1. A collapsed text has something after each space.
func lastLink(text string) int {
	for end := strings.LastIndexByte(text, ' '); end > 0; end = strings.LastIndexByte(text[:end], ' ') {
		if endsInLink(text[:end]) {
			return end
		}
	}
	return -1
}

// endsInLink reports whether s ends in a linking word with an ASCII word
// boundary before it. The words are lower case only: "IS" does not link.
func endsInLink(s string) bool {
	if len(s) < 2 {
		return false
	}
	switch s[len(s)-2:] {
	case "of", "is", "in", "to", "by", "as":
		return len(s) == 2 || !isWord(s[len(s)-3])
	}
	return false
}

// isWord is JavaScript's \w. A byte of a longer character is not a word
// character, so "éis" has a boundary before "is".
func isWord(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// tokens counts what stands between single spaces; a trailing space counts
// one, empty, token more.
func tokens(s string) int { return strings.Count(s, " ") + 1 }

// withoutPeriod drops one final period, unless nothing else would be left.
func withoutPeriod(s string) string {
	if len(s) > 1 {
		return strings.TrimSuffix(s, ".")
	}
	return s
}

// normal folds case in full, so that "STRASSE" and "Straße" are one value.
func normal(value string) string {
	value = strings.TrimSuffix(withoutPeriod(value), " ")
	if isASCII(value) {
		return strings.ToLower(value)
	}
	return cases.Fold().String(value)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// collapse makes every run of whitespace one space and trims the ends.
func collapse(s string) string {
	if isCollapsed(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for field := range strings.FieldsFuncSeq(s, isSpace) {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(field)
	}
	return b.String()
}

func isCollapsed(s string) bool {
	space := true
	for _, r := range s {
		if isSpace(r) && (r != ' ' || space) {
			return false
		}
		space = r == ' '
	}
	return !space || s == ""
}

// isSpace is JavaScript's \s, which unlike Go's has U+000B and U+FEFF and has
// not U+0085.
func isSpace(r rune) bool {
	switch r {
	case ' ', '\t', '\n', '\v', '\f', '\r', 0xA0, 0x1680, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF:
		return true
	}
	return 0x2000 <= r && r <= 0x200A
}
