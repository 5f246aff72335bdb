package same

import "strings"

// stem returns the dictionary form of a lower-case word in American spelling:
// "labelled" and "labeled" become "label". A word whose ending cannot be
// explained by a known word loses only its plural s.
func stem(w string) string {
	if base, ok := irregular()[w]; ok {
		return base
	}
	if len(w) < 4 || !letters(w) {
		return w
	}
	return base(american(w))
}

func letters(w string) bool {
	for i := range len(w) {
		if w[i] < 'a' || w[i] > 'z' {
			return false
		}
	}
	return true
}

func base(w string) string {
	switch {
	case strings.HasSuffix(w, "ies"):
		return firstKnown(w, w[:len(w)-3]+"y", w[:len(w)-1])
	case strings.HasSuffix(w, "s"):
		return singular(w)
	case strings.HasSuffix(w, "ied"):
		return firstKnown(w, w[:len(w)-3]+"y", w[:len(w)-1])
	case strings.HasSuffix(w, "ed"):
		return verb(w, w[:len(w)-2])
	case strings.HasSuffix(w, "ing"):
		return verb(w, w[:len(w)-3])
	}
	return w
}

// singular undoes a plural or a third person.
func singular(w string) string {
	one := w[:len(w)-1]
	switch {
	case strings.HasSuffix(one, "s") || strings.HasSuffix(one, "u") || strings.HasSuffix(one, "i"):
		return w
	case known(one):
		return one
	case strings.HasSuffix(one, "e") && known(one[:len(one)-1]):
		return one[:len(one)-1]
	case known(w) || strings.HasSuffix(one, "o") || !strings.ContainsAny(one, "aeiouy"):
		return w
	}
	return one
}

// verb undoes -ed or -ing: rest is the word without it. A short vowel with one
// consonant would have doubled it, so "hoping" is of "hope" and not of "hop".
func verb(w, rest string) string {
	if len(rest) < 2 || !strings.ContainsAny(rest, "aeiouy") {
		return w
	}
	if n := len(rest); rest[n-1] == rest[n-2] && known(rest[:n-1]) && !known(rest) {
		return rest[:n-1]
	}
	if vowelConsonant(rest) {
		return firstKnown(w, rest+"e", rest)
	}
	return firstKnown(w, rest, rest+"e")
}

func vowelConsonant(s string) bool {
	n := len(s)
	vowel := func(c byte) bool { return strings.IndexByte("aeiou", c) >= 0 }
	return !vowel(s[n-1]) && vowel(s[n-2]) && (n == 2 || !vowel(s[n-3]))
}

func firstKnown(w string, candidates ...string) string {
	for _, c := range candidates {
		if known(c) {
			return c
		}
	}
	return w
}

// american respells a British word when the result is a word.
func american(w string) string {
	if to, ok := respelled()[w]; ok {
		return to
	}
	for _, r := range respellings {
		i := strings.LastIndex(w, r.from)
		if i < 2 {
			continue
		}
		if to := w[:i] + r.to + w[i+len(r.from):]; known(to) {
			return to
		}
	}
	return w
}

// respellings are the regular differences of British and American spelling.
var respellings = []struct{ from, to string }{
	{"our", "or"},
	{"isation", "ization"},
	{"ise", "ize"},
	{"ising", "izing"},
	{"isable", "izable"},
	{"yse", "yze"},
	{"ysing", "yzing"},
	{"ogue", "og"},
	{"tre", "ter"},
	{"ence", "ense"},
}
