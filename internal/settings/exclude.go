package settings

import (
	"path"
	"strings"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
)

// Options are the choices as the checks take them.
func (d Diagnostics) Options() diagnostics.Options {
	options := diagnostics.Options{Mirror: d.Mirror, Severities: make(map[diagnostics.Code]diagnostics.Severity, len(d.Severities))}
	for code, word := range d.Severities {
		if severity, ok := diagnostics.ParseSeverity(word); ok {
			options.Severities[diagnostics.Code(code)] = severity
		}
	}
	return options
}

// Excluder returns a function that reports whether a path of the root is
// excluded. Its cost for a path is that of its names times those of the patterns,
// whatever they are.
func (d Diagnostics) Excluder() func(file string) bool {
	var patterns [][]string
	for _, pattern := range d.Exclude {
		patterns = append(patterns, names(pattern))
	}
	return func(file string) bool {
		for _, pattern := range patterns {
			if covers(pattern, file) {
				return true
			}
		}
		return false
	}
}

// names are the parts of a pattern between slashes; one in front and one at the
// end say nothing, since a pattern begins at the root and a folder stands for all
// in it.
func names(pattern string) []string {
	return strings.Split(strings.Trim(pattern, "/"), "/")
}

func isPattern(pattern string) bool {
	if strings.Trim(pattern, "/ ") == "" {
		return false
	}
	for _, name := range names(pattern) {
		if _, err := path.Match(name, ""); err != nil {
			return false
		}
	}
	return true
}

// covers reports whether a pattern matches a path or a folder that it is in. A
// name that does not match sends the search back to the last "**", which takes
// one name more; an earlier one need not be tried again, because whatever it
// could take the later one can.
func covers(pattern []string, file string) bool {
	parts := strings.Split(file, "/")
	p, f := 0, 0
	back, taken := -1, 0
	for p < len(pattern) {
		switch {
		case pattern[p] == "**":
			back, taken = p, f
			p++
		case f < len(parts) && match(pattern[p], parts[f]):
			p, f = p+1, f+1
		case back >= 0 && taken < len(parts):
			taken++
			p, f = back+1, taken
		default:
			return false
		}
	}
	return true
}

func match(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return ok && err == nil
}
