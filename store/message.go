package store

import (
	"strings"
	"time"
	"unicode"
)

// text returns the message as git stores it: no trailing blanks, one blank
// line between the parts, one newline at the end.
func (m Message) text() string {
	parts := []string{oneLine(m.Subject)}
	if body := cleanBody(m.Body); body != "" {
		parts = append(parts, body)
	}
	if len(m.Trailers) > 0 {
		var lines []string
		for _, t := range m.Trailers {
			lines = append(lines, oneLine(t.Key)+": "+oneLine(t.Value))
		}
		parts = append(parts, strings.Join(lines, "\n"))
	}
	return strings.Join(parts, "\n\n") + "\n"
}

// oneLine is the text on one line, harmless.
func oneLine(s string) string { return strings.TrimSpace(harmless(lineBreaks.Replace(s))) }

// lineBreaks would end a line of the message.
var lineBreaks = strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ", "\v", " ", "\f", " ", "\u0085", " ", "\u2028", " ", "\u2029", " ")

// harmless takes away what would steer a terminal that shows the message, or
// turn the direction of the text around it. Tabs and line feeds stay.
func harmless(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t' || r == '\n':
			return r
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r):
			return -1
		}
		return r
	}, s)
}

func cleanBody(s string) string {
	var lines []string
	for line := range strings.Lines(harmless(s)) {
		lines = append(lines, strings.TrimRight(line, " \t\r\n"))
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

// commitText returns the content of a commit object; the zero parent means a
// first commit.
func commitText(tree, parent oid, who identity, at time.Time, message string) []byte {
	var b strings.Builder
	b.WriteString("tree " + tree.String() + "\n")
	if parent != (oid{}) {
		b.WriteString("parent " + parent.String() + "\n")
	}
	b.WriteString("author " + stamp(who.author, at) + "\n")
	b.WriteString("committer " + stamp(who.committer, at) + "\n\n")
	b.WriteString(message)
	return []byte(b.String())
}

// tidyMessage does what git does to a message that somebody has edited: no
// blanks at the ends of lines, no two empty lines together, none at either end.
func tidyMessage(s string) string {
	var lines []string
	for line := range strings.Lines(s) {
		line = strings.TrimRight(line, " \t\r\n\v\f")
		if line == "" && (len(lines) == 0 || lines[len(lines)-1] == "") {
			continue
		}
		lines = append(lines, line)
	}
	if text := strings.TrimRight(strings.Join(lines, "\n"), "\n"); text != "" {
		return text + "\n"
	}
	return ""
}
