package store

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

// attributes are git's attributes of one path: name to value, with "set" and
// "unset" for those without a value. A name that is absent is unspecified.
type attributes map[string]string

const (
	attrSet         = "set"
	attrUnset       = "unset"
	attrUnspecified = "unspecified"
)

// maxAttributeLine is the length from which git ignores a line.
const maxAttributeLine = 2048

// attributeFile is the rules of one file, for paths below dir.
type attributeFile struct {
	dir   string
	rules []attributeRule
}

type attributeRule struct {
	pattern string
	attrs   []attribute
}

type attribute struct{ name, value string }

// conversion names what git would do to the content besides changing its line
// ends, or "". Attributes are read here because asking git costs a process a
// commit.
func (at attributes) conversion() string {
	for _, name := range []string{"filter", "ident", "working-tree-encoding"} {
		if v, ok := at[name]; ok && v != attrUnset {
			return name
		}
	}
	return ""
}

// attributeReader reads each attributes file once per commit.
type attributeReader struct {
	a      *attempt
	files  map[string]*attributeFile
	macros map[string][]attribute
}

func newAttributeReader(a *attempt) *attributeReader {
	return &attributeReader{a: a, files: map[string]*attributeFile{}, macros: map[string][]attribute{
		"binary": {{"diff", attrUnset}, {"merge", attrUnset}, {"text", attrUnset}},
	}}
}

// of returns the attributes of a path. Of two rules the one in the more
// specific file wins, and within a file the later one.
func (rd *attributeReader) of(p string) attributes {
	var stack []*attributeFile
	for _, name := range rd.outside() {
		stack = append(stack, rd.file(name, "", true, os.ReadFile))
	}
	for _, dir := range append([]string{""}, parents(p)...) {
		f := rd.file(path.Join(dir, ".gitattributes"), dir, dir == "", rd.inside)
		stack = append(stack, f)
	}
	info := filepath.Join(rd.a.r.commonDir, "info", "attributes")
	stack = append(stack, rd.file(info, "", true, os.ReadFile))
	found := attributes{}
	for i := len(stack) - 1; i >= 0; i-- {
		stack[i].apply(rd.fold(p), rd, found)
	}
	for name, v := range found {
		if v == attrUnspecified {
			delete(found, name)
		}
	}
	return found
}

// outside are the attributes files of the machine and of the person.
func (rd *attributeReader) outside() []string {
	files := []string{"/etc/gitattributes"}
	if p := rd.a.settings["core.attributesfile"]; p != "" {
		return append(files, expandPath(p, rd.a.r.top))
	}
	base := os.Getenv("XDG_CONFIG_HOME")
	if base == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return files
		}
		base = filepath.Join(home, ".config")
	}
	return append(files, filepath.Join(base, "git", "attributes"))
}

// inside reads a file of the worktree, or of the index where the worktree has
// none, as git does.
func (rd *attributeReader) inside(name string) ([]byte, error) {
	st, err := rd.a.root.Lstat(filepath.FromSlash(name))
	if err == nil && st.Mode().IsRegular() {
		return rd.a.root.ReadFile(filepath.FromSlash(name))
	}
	if id, ok := rd.a.attributeBlobs[name]; ok && err != nil {
		return rd.a.r.object(plumbing.BlobObject, id)
	}
	return nil, fs.ErrNotExist
}

func (rd *attributeReader) file(name, dir string, macros bool, read func(string) ([]byte, error)) *attributeFile {
	if f, ok := rd.files[name]; ok {
		return f
	}
	f := &attributeFile{dir: dir}
	rd.files[name] = f
	b, err := read(name)
	if err != nil {
		return f
	}
	for line := range strings.Lines(strings.TrimPrefix(string(b), "\ufeff")) {
		rule, ok := parseAttributeLine(line)
		if !ok {
			continue
		}
		if name, isMacro := strings.CutPrefix(rule.pattern, "[attr]"); isMacro {
			if macros {
				rd.macros[name] = rule.attrs
			}
			continue
		}
		f.rules = append(f.rules, rule)
	}
	return f
}

// fold lower-cases where git compares names without regard to case.
func (rd *attributeReader) fold(name string) string {
	if rd.a.settings.bool("core.ignorecase", false) {
		return strings.ToLower(name)
	}
	return name
}

func parseAttributeLine(line string) (attributeRule, bool) {
	if len(line) >= maxAttributeLine {
		return attributeRule{}, false
	}
	line = strings.Trim(line, " \t\r\n")
	if line == "" || line[0] == '#' || line[0] == '!' {
		return attributeRule{}, false
	}
	pattern, rest := cutPattern(line)
	if name, ok := strings.CutPrefix(pattern, "[attr]"); ok && name == "" {
		fields := strings.Fields(rest)
		if len(fields) == 0 {
			return attributeRule{}, false
		}
		pattern, rest = pattern+fields[0], strings.Join(fields[1:], " ")
	}
	rule := attributeRule{pattern: pattern}
	for _, word := range strings.Fields(rest) {
		rule.attrs = append(rule.attrs, parseAttribute(word))
	}
	return rule, true
}

// cutPattern splits off the pattern, which may be quoted as in C.
func cutPattern(line string) (pattern, rest string) {
	if line[0] == '"' {
		if q, err := strconv.QuotedPrefix(line); err == nil {
			if pattern, err := strconv.Unquote(q); err == nil {
				return pattern, line[len(q):]
			}
		}
	}
	i := strings.IndexAny(line, " \t")
	if i < 0 {
		return line, ""
	}
	return line[:i], line[i:]
}

func parseAttribute(word string) attribute {
	switch name, value, ok := strings.Cut(word, "="); {
	case ok:
		return attribute{strings.TrimLeft(name, "-!"), value}
	case word[0] == '-':
		return attribute{word[1:], attrUnset}
	case word[0] == '!':
		return attribute{word[1:], attrUnspecified}
	}
	return attribute{word, attrSet}
}

// apply adds what the file says of a path and what is not yet decided.
func (f *attributeFile) apply(p string, rd *attributeReader, found attributes) {
	rel := p
	if f.dir != "" {
		rel = strings.TrimPrefix(p, rd.fold(f.dir)+"/")
	}
	for i := len(f.rules) - 1; i >= 0; i-- {
		if matchAttribute(rd.fold(f.rules[i].pattern), rel) {
			decide(f.rules[i].attrs, rd.macros, found)
		}
	}
}

func decide(attrs []attribute, macros map[string][]attribute, found attributes) {
	for i := len(attrs) - 1; i >= 0; i-- {
		at := attrs[i]
		if _, done := found[at.name]; done {
			continue
		}
		found[at.name] = at.value
		if at.value == attrSet {
			decide(macros[at.name], macros, found)
		}
	}
}
