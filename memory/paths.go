package memory

import (
	"net/url"
	"path"
	"strings"
)

// IsArchived reports whether a normalised path lies under archive/. The bucket
// alone decides, whatever memhtml-status says (M22).
func IsArchived(p string) bool { return strings.HasPrefix(p, "archive/") }

// linkTarget is [Link.Target] on the attribute value.
func linkTarget(href string) (literal, alternate string) {
	cut, _, _ := strings.Cut(href, "#")
	cut, _, _ = strings.Cut(cut, "?")
	literal = insideRoot(cut)
	if literal == "" {
		return "", ""
	}
	decoded, err := url.PathUnescape(cut)
	if err != nil || decoded == cut {
		return literal, ""
	}
	return literal, insideRoot(decoded)
}

// insideRoot turns "/a/b" into "a/b", and anything that is not exactly one
// slash and a clean relative path, or that holds a NUL, into "".
func insideRoot(href string) string {
	p, ok := strings.CutPrefix(href, "/")
	if !ok || p == "" || strings.ContainsRune(p, 0) || path.Clean("/"+p) != href {
		return ""
	}
	return p
}
