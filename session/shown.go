package session

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Shown makes a path safe to show: control characters and bidirectional
// overrides become visible (design.md §9).
func Shown(path string) string {
	if strings.IndexFunc(path, invisible) < 0 && utf8.ValidString(path) {
		return path
	}
	var out strings.Builder
	for i, r := range path {
		if r == utf8.RuneError && !strings.HasPrefix(path[i:], string(r)) {
			fmt.Fprintf(&out, "\\x{%X}", path[i])
			continue
		}
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
