package same

import (
	_ "embed"
	"strings"
)

// words holds common English words in lower case, one a line and in byte
// order: SCOWL up to size 50, American and British (words.LICENSE).
//
//go:embed words.txt
var words string

// known reports whether w is a common English word. It searches the text in
// place, so that the list costs no memory but its own.
func known(w string) bool {
	lo, hi := 0, len(words)
	for lo < hi {
		mid := lineStart((lo + hi) / 2)
		line := words[mid : mid+strings.IndexByte(words[mid:], '\n')]
		switch {
		case line == w:
			return true
		case line < w:
			lo = mid + len(line) + 1
		default:
			hi = mid
		}
	}
	return false
}

// lineStart returns where the line that holds offset i begins.
func lineStart(i int) int { return strings.LastIndexByte(words[:i], '\n') + 1 }
