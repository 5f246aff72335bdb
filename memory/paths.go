package memory

import (
	"fmt"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Buckets are the top folders that memories live in (format.md §1).
var Buckets = []string{"projects", "areas", "resources", "archive"}

// NormalizePath drops leading slashes, makes runs of slashes one and drops one
// trailing slash. It does not resolve "." or "..": those make a path invalid.
func NormalizePath(p string) string {
	if !strings.HasPrefix(p, "/") && !strings.HasSuffix(p, "/") && !strings.Contains(p, "//") {
		return p
	}
	var b strings.Builder
	b.Grow(len(p))
	for i := range len(p) {
		if p[i] == '/' && (b.Len() == 0 || p[i-1] == '/') {
			continue
		}
		b.WriteByte(p[i])
	}
	return strings.TrimSuffix(b.String(), "/")
}

// Bucket is the bucket that a path lies in, "" when it lies in none.
func Bucket(p string) string {
	first, _, below := strings.Cut(NormalizePath(p), "/")
	if !below || !slices.Contains(Buckets, first) {
		return ""
	}
	return first
}

// ValidPath reports whether p, normalised, can hold a memory: below a bucket,
// ending in ".html", with no "." or ".." segment (format.md §1).
func ValidPath(p string) bool {
	p = NormalizePath(p)
	return Bucket(p) != "" && strings.HasSuffix(p, ".html") && cleanSegments(p)
}

// IsMemoryPath reports whether a root-relative path, as stored, is that of a
// memory: valid, normalised, and not a generated index.html (M50).
func IsMemoryPath(p string) bool {
	return ValidPath(p) && p == NormalizePath(p) && path.Base(p) != "index.html"
}

// IsArchived reports whether a normalised path lies under archive/. The bucket
// alone decides, whatever memhtml-status says (M22).
func IsArchived(p string) bool { return strings.HasPrefix(p, "archive/") }

// ArchivePath is where p goes when it is archived in a UTC year.
func ArchivePath(p string, year int) string {
	return fmt.Sprintf("archive/%04d/%s", year, NormalizePath(p))
}

// UnarchivePath is where an archived path came from: exactly one
// archive/<4 or more digits>/ is stripped. ok is false when p has none.
func UnarchivePath(p string) (original string, ok bool) {
	_, original, ok = cutArchive(p)
	return original, ok
}

// ArchiveYear is the year that an archived path was filed under.
func ArchiveYear(p string) (year int, ok bool) {
	digits, _, ok := cutArchive(p)
	if !ok {
		return 0, false
	}
	year, err := strconv.Atoi(digits)
	return year, err == nil
}

// cutArchive splits archive/<year>/<original>.
func cutArchive(p string) (year, original string, ok bool) {
	rest, ok := strings.CutPrefix(NormalizePath(p), "archive/")
	if !ok {
		return "", "", false
	}
	year, original, ok = strings.Cut(rest, "/")
	if !ok || len(year) < 4 || strings.Trim(year, "0123456789") != "" {
		return "", "", false
	}
	return year, original, true
}

// ValidHref reports whether a link's href is root-relative: exactly one leading
// slash and, before any '?' or '#', no empty, "." or ".." segment.
func ValidHref(href string) bool {
	p, ok := strings.CutPrefix(cutHref(href), "/")
	return ok && cleanSegments(p)
}

// linkTarget is [Link.Target] on the attribute value.
func linkTarget(href string) (literal, alternate string) {
	cut := cutHref(href)
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

// cutHref is the part of an href before any '?' or '#'.
func cutHref(href string) string {
	if i := strings.IndexAny(href, "?#"); i >= 0 {
		return href[:i]
	}
	return href
}

// insideRoot turns "/a/b" into "a/b", and anything that is not exactly one
// slash and a clean relative path, or that holds a NUL, into "".
func insideRoot(href string) string {
	p, ok := strings.CutPrefix(href, "/")
	if !ok || !cleanSegments(p) || strings.IndexByte(p, 0) >= 0 {
		return ""
	}
	return p
}

// cleanSegments reports whether a relative path has no empty, "." or ".."
// segment; the empty path has one.
func cleanSegments(p string) bool {
	for s := range strings.SplitSeq(p, "/") {
		if s == "" || s == "." || s == ".." {
			return false
		}
	}
	return true
}
