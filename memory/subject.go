package memory

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf16"
)

// maxSubject is how many UTF-16 units the text of a commit subject has at most,
// the final ellipsis included (M16).
const maxSubject = 72

// Subject is the first line of a commit message, "memhtml(<op>): <text>", with
// the text on one line and cut to 72 UTF-16 units; "(untitled)" stands for an
// empty one. Control characters count as white space: none may reach git.
func Subject(op, text string) string {
	words := strings.FieldsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || r == '\uFEFF'
	})
	flat := strings.Join(words, " ")
	if flat == "" {
		flat = "(untitled)"
	}
	return "memhtml(" + op + "): " + cutUTF16(flat, maxSubject)
}

// cutUTF16 is s, or where s is longer than limit UTF-16 units as much of it as
// fits with a final ellipsis. A surrogate pair is never split.
func cutUTF16(s string, limit int) string {
	units, fits := 0, 0
	for i, r := range s {
		if units < limit {
			fits = i
		}
		if units += max(1, utf16.RuneLen(r)); units > limit {
			return trim(s[:fits]) + "…"
		}
	}
	return s
}

// Stamp is the written form of an instant: UTC, whole seconds, "Z" (M17).
func Stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") }
