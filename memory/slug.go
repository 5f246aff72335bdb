package memory

import (
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// maxSlug is how many characters a slug has at most (M9). A slug is ASCII, so
// characters are bytes.
const maxSlug = 80

// Slug is the file name of a title, without date and extension (format.md §6):
// at most 80 of [a-z0-9-], never empty, and its own slug.
func Slug(title string) string {
	var b strings.Builder
	gap := false
	for _, r := range norm.NFKD.String(title) {
		switch {
		case unicode.Is(unicode.Mn, r):
			continue
		case 'A' <= r && r <= 'Z':
			r += 'a' - 'A'
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9':
		default:
			gap = true
			continue
		}
		if gap && b.Len() > 0 {
			b.WriteByte('-')
		}
		gap = false
		b.WriteByte(byte(r))
		if b.Len() >= maxSlug {
			break
		}
	}
	if b.Len() == 0 {
		return "untitled"
	}
	return cutSlug(b.String(), maxSlug)
}

// SlugOrdinal is the nth name tried for a slug: the slug itself for n < 2, else
// the slug cut to leave room for "-n". It never equals the slug for n >= 2, so a
// slug that already ends in the suffix is not tried twice (M10).
func SlugOrdinal(slug string, n int) string {
	if n < 2 {
		return slug
	}
	suffix := "-" + strconv.Itoa(n)
	for room := maxSlug - len(suffix); ; room-- {
		if name := cutSlug(slug, room) + suffix; name != slug {
			return name
		}
	}
}

// CutOrdinal splits a name that ends as [SlugOrdinal] would number it, and
// returns the name itself and 1 for any other. That the number was given by
// SlugOrdinal cannot be seen from the name alone.
func CutOrdinal(name string) (slug string, n int) {
	i := strings.LastIndexByte(name, '-')
	if i < 1 || len(name)-i > maxOrdinalDigits+1 {
		return name, 1
	}
	n, err := strconv.Atoi(name[i+1:])
	if err != nil || n < 2 || strconv.Itoa(n) != name[i+1:] {
		return name, 1
	}
	return name[:i], n
}

// maxOrdinalDigits keeps dates from being taken for ordinals.
const maxOrdinalDigits = 6

// cutSlug is at most n characters of slug, without the hyphens the cut exposes.
func cutSlug(slug string, n int) string {
	return strings.TrimRight(slug[:min(n, len(slug))], "-")
}
