package session

import (
	"fmt"
	"strings"
	"unicode"
)

// Shown makes a path safe to show: control characters and bidirectional
// overrides become visible (design.md §9).
func Shown(path string) string {
	if strings.IndexFunc(path, invisible) < 0 {
		return path
	}
	var out strings.Builder
	for _, r := range path {
		if invisible(r) {
			fmt.Fprintf(&out, "\\u{%X}", r)
			continue
		}
		out.WriteRune(r)
	}
	return out.String()
}

func invisible(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029'
}
