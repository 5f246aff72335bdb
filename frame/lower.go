package frame

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// lower is JavaScript's toLowerCase: Unicode's full mapping, which differs from
// Go's in 'İ', which becomes two code points, and in a sigma that ends a word.
func lower(s string) string {
	if !strings.ContainsAny(s, "İΣ") {
		return strings.ToLower(s)
	}
	var b strings.Builder
	b.Grow(len(s) + len("\u0307"))
	for i, r := range s {
		switch {
		case r == 'İ':
			b.WriteString("i\u0307")
		case r == 'Σ' && endsWord(s[:i], s[i+len("Σ"):]):
			b.WriteRune('ς')
		default:
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}

// endsWord is Unicode's Final_Sigma: a cased letter stands before and none
// after, case-ignorable characters aside.
func endsWord(before, after string) bool {
	return casedLast(before) && !casedFirst(after)
}

func casedLast(s string) bool {
	for s != "" {
		r, n := utf8.DecodeLastRuneInString(s)
		if !isCaseIgnorable(r) {
			return isCased(r)
		}
		s = s[:len(s)-n]
	}
	return false
}

func casedFirst(s string) bool {
	for _, r := range s {
		if !isCaseIgnorable(r) {
			return isCased(r)
		}
	}
	return false
}

func isCased(r rune) bool {
	return unicode.In(r, unicode.Lu, unicode.Ll, unicode.Lt, unicode.Other_Uppercase, unicode.Other_Lowercase)
}

// midLetters are the characters of the Unicode word-break classes MidLetter,
// MidNumLet and Single_Quote, which are case-ignorable.
const midLetters = "'.:·\u0387\u055F\u05F4\u2018\u2019\u2024\u2027\uFE13\uFE52\uFE55\uFF07\uFF0E\uFF1A"

func isCaseIgnorable(r rune) bool {
	return unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Lm, unicode.Sk) ||
		strings.ContainsRune(midLetters, r)
}
