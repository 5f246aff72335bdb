package store

import (
	"path"
	"strings"
)

// matchAttribute tells whether a pattern of an attributes file covers a path
// relative to that file. A pattern without a slash is held against the name
// alone; one that ends in a slash covers folders only, hence no path here.
func matchAttribute(pattern, p string) bool {
	if strings.HasSuffix(pattern, "/") {
		return false
	}
	if !strings.Contains(pattern, "/") {
		return wildmatch(pattern, path.Base(p))
	}
	return wildmatch(strings.TrimPrefix(pattern, "/"), p)
}

// wildmatch is git's glob: '*' and '?' stop at '/', "**" between slashes does
// not, and a set never matches '/'.
func wildmatch(pat, s string) bool {
	for pat != "" {
		switch pat[0] {
		case '*':
			return matchStar(pat, s)
		case '?':
			if s == "" || s[0] == '/' {
				return false
			}
			pat, s = pat[1:], s[1:]
		case '[':
			if s == "" {
				return false
			}
			in, n := matchSet(pat, s[0])
			if !in || s[0] == '/' {
				return false
			}
			pat, s = pat[n:], s[1:]
		case '\\':
			if len(pat) < 2 || s == "" || s[0] != pat[1] {
				return false
			}
			pat, s = pat[2:], s[1:]
		default:
			if s == "" || s[0] != pat[0] {
				return false
			}
			pat, s = pat[1:], s[1:]
		}
	}
	return s == ""
}

// matchStar handles a pattern that begins with '*'.
func matchStar(pat, s string) bool {
	rest := strings.TrimLeft(pat, "*")
	if strings.HasPrefix(pat, "**/") {
		for {
			if wildmatch(rest[1:], s) {
				return true
			}
			i := strings.IndexByte(s, '/')
			if i < 0 {
				return false
			}
			s = s[i+1:]
		}
	}
	deep := pat == "**"
	for {
		if wildmatch(rest, s) {
			return true
		}
		if s == "" || s[0] == '/' && !deep {
			return false
		}
		s = s[1:]
	}
}

// matchSet tells whether c is in the set that pat begins with, and the set's
// length. A set without an end matches nothing.
func matchSet(pat string, c byte) (in bool, n int) {
	i := 1
	negate := i < len(pat) && (pat[i] == '!' || pat[i] == '^')
	if negate {
		i++
	}
	for first := true; i < len(pat) && (pat[i] != ']' || first); first = false {
		if class, rest, ok := strings.Cut(pat[i:], ":]"); ok && strings.HasPrefix(class, "[:") {
			in = in || inClass(class[2:], c)
			i = len(pat) - len(rest)
			continue
		}
		lo, k := setByte(pat, i)
		hi := lo
		i = k
		if i+1 < len(pat) && pat[i] == '-' && pat[i+1] != ']' {
			hi, i = setByte(pat, i+1)
		}
		in = in || lo <= c && c <= hi
	}
	if i >= len(pat) {
		return false, len(pat)
	}
	return in != negate, i + 1
}

// setByte reads one byte of a set, which may be escaped.
func setByte(pat string, i int) (byte, int) {
	if pat[i] == '\\' && i+1 < len(pat) {
		i++
	}
	return pat[i], i + 1
}

func inClass(class string, c byte) bool {
	lower, upper, digit := c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9'
	switch class {
	case "alpha":
		return lower || upper
	case "digit":
		return digit
	case "alnum":
		return lower || upper || digit
	case "lower":
		return lower
	case "upper":
		return upper
	case "space":
		return strings.IndexByte(" \t\n\v\f\r", c) >= 0
	case "blank":
		return c == ' ' || c == '\t'
	case "punct":
		return c > ' ' && c < 0x7f && !lower && !upper && !digit
	case "xdigit":
		return digit || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
	}
	return false
}
