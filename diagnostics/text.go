package diagnostics

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// claimLimit is the greatest length of a quoted text, in characters.
const claimLimit = 200

// clip makes a text fit to be shown: one line, nothing invisible, and at most
// claimLimit characters, cut at a word.
func clip(text string) string {
	text = Shown(strings.Join(strings.Fields(text), " "))
	if utf8.RuneCountInString(text) <= claimLimit {
		return text
	}
	cut := string([]rune(text)[:claimLimit-1])
	if word := strings.LastIndexByte(cut, ' '); word > 0 {
		cut = cut[:word]
	}
	return strings.TrimRight(cut, " ") + "…"
}

// quote is clip in typographic quotes.
func quote(text string) string { return "“" + clip(text) + "”" }

// subject is a quoted value at the start of a sentence.
func subject(value string) string {
	if value == "" {
		return "An empty value"
	}
	return quote(value)
}

// Shown makes a text of a memory, or a path, fit to stand in a message. It
// spells out every character that could change how its surroundings
// read without being seen itself: controls, directional marks and overrides,
// zero-width characters, and bytes that are no UTF-8.
func Shown(text string) string {
	if strings.IndexFunc(text, unseen) < 0 {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, "\\x{%02X}", text[0])
		case r != utf8.RuneError && unseen(r):
			fmt.Fprintf(&b, "\\u{%X}", r)
		default:
			b.WriteString(text[:size])
		}
		text = text[size:]
	}
	return b.String()
}

// unseen also holds for RuneError, which visible looks at more closely. The
// joiners U+200C and U+200D are left alone: scripts and emoji need them.
func unseen(r rune) bool {
	switch {
	case r == utf8.RuneError, r == '\u2028', r == '\u2029':
		return true
	case r == '\u200C', r == '\u200D':
		return false
	}
	return unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r)
}

// plural counts things: "2 <mark> elements", "No <mark> element" for none.
func plural(n int, thing string) string {
	switch n {
	case 0:
		return "No " + thing
	case 1:
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
