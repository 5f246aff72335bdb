package memory

import "unicode/utf8"

// Replacement is the smallest single range of before whose replacement by text
// gives after. Neither edge splits a character of either text, nor a CR from
// its LF: an editor could not name such a place. Of equally small ranges it is
// one that starts a line, if there is one, because that is what a person would
// have typed or cut.
func Replacement(before, after []byte) (at Span, text []byte) {
	start := commonPrefix(before, after)
	rest := min(len(before), len(after)) - start
	tail := commonSuffix(before, after, rest)
	if shift := toLineStart(before, after, start, tail); shift > 0 {
		start, tail = start-shift, tail+shift
	}
	return Span{start, len(before) - tail}, after[start : len(after)-tail]
}

// toLineStart is how many bytes a pure insertion or deletion can move towards
// the start of the text, without meaning anything else, to begin a line.
func toLineStart(before, after []byte, start, tail int) int {
	longer, end := before, len(before)-tail
	if len(after) > len(before) {
		longer, end = after, len(after)-tail
	}
	if start+tail != min(len(before), len(after)) {
		return 0
	}
	for shift := 0; shift < start; shift++ {
		at := start - shift
		if longer[at-1] == '\n' && cuttable(longer, end-shift) {
			return shift
		}
		if longer[at-1] != longer[end-shift-1] {
			return 0
		}
	}
	return 0
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
