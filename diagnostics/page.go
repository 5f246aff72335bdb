package diagnostics

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Markdown is the page of the code, as in docs/diagnostics and as explain
// prints it.
func (e Entry) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", e.Code)
	fmt.Fprintf(&b, "*%s, since %s.* %s.\n", title(e.Severity.String()), e.Since, code(title(e.Meaning)))
	section(&b, "What it tells", e.What)
	section(&b, "Why it matters", e.Why)
	b.WriteString("\n## Example\n\n")
	b.WriteString(markdownExample(e.Example))
	section(&b, "What to do", e.Fix)
	section(&b, "When it is wrong", e.Wrong)
	return b.String()
}

// Pages are the files of docs/diagnostics by name: a page for every code, and
// README.md with the list of them.
func Pages() map[string]string {
	pages := map[string]string{"README.md": indexMarkdown()}
	for _, e := range withExamples() {
		pages[string(e.Code)+".md"] = e.Markdown()
	}
	return pages
}

func indexMarkdown() string {
	var b strings.Builder
	b.WriteString(`# What memhtml-ls tells

Every finding has a code, and every code has a page, which ` + "`memhtml-ls explain CODE`" + ` prints as well.

| code | severity | meaning |
|---|---|---|
`)
	for _, e := range withExamples() {
		fmt.Fprintf(&b, "| [%s](%s.md) | %s | %s |\n", e.Code, e.Code, e.Severity, code(e.Meaning))
	}
	return b.String()
}

func section(b *strings.Builder, heading, text string) {
	fmt.Fprintf(b, "\n## %s\n\n%s\n", heading, text)
}

// title gives a sentence its capital, unless it begins with a name or a tag.
func title(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	if strings.HasPrefix(s, "memhtml-") || strings.HasPrefix(s, "data-") {
		return s
	}
	return string(unicode.ToUpper(r)) + s[size:]
}

// code sets the tags and names of a one-line text, which is plain text
// everywhere else, in code type.
func code(s string) string { return plainName().ReplaceAllString(s, "`$0`") }

var plainName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`<[a-z]+>|\b(memhtml|data)-[a-z-]*`) })

// markdownExample shows the comment of an example as prose and each of its
// files in a block of its own.
func markdownExample(archive string) string {
	comment, files := split(archive)
	b := new(strings.Builder)
	b.WriteString(comment)
	for i, f := range files {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(b, "%s:\n\n```html\n%s```\n", f.name, f.text)
	}
	return b.String()
}

// part is one file of an example.
type part struct{ name, text string }

// split reads the txtar format, of which examples use the plain core: a
// comment, then files that each begin with a line "-- name --".
func split(archive string) (comment string, files []part) {
	for line := range strings.Lines(archive) {
		name, isName := strings.CutPrefix(line, "-- ")
		name, ends := strings.CutSuffix(name, " --\n")
		switch {
		case isName && ends:
			files = append(files, part{name: name})
		case len(files) > 0:
			files[len(files)-1].text += line
		default:
			comment += line
		}
	}
	return comment, files
}
