package memory

import "unicode/utf8"

// Replacement is the smallest single range of before whose replacement by text
// gives after. Neither edge splits a character of either text, nor a CR from
// its LF: an editor could not name such a place.
func Replacement(before, after []byte) (at Span, text []byte) {
	start := commonPrefix(before, after)
	rest := min(len(before), len(after)) - start
	tail := commonSuffix(before, after, rest)
	return Span{start, len(before) - tail}, after[start : len(after)-tail]
}

func commonPrefix(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	for n > 0 && !(cuttable(a, n) && cuttable(b, n)) {
		n--
	}
	return n
}

func commonSuffix(a, b []byte, limit int) int {
	n := 0
	for n < limit && a[len(a)-n-1] == b[len(b)-n-1] {
		n++
	}
	for n > 0 && !(cuttable(a, len(a)-n) && cuttable(b, len(b)-n)) {
		n--
	}
	return n
}

// cuttable reports whether text can be cut at i.
func cuttable(text []byte, i int) bool {
	switch {
	case i == 0, i == len(text):
		return true
	case text[i-1] == '\r' && text[i] == '\n':
		return false
	}
	return utf8.RuneStart(text[i])
}
