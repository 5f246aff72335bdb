package memory

import (
	"bytes"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// Two things x/net/html reads otherwise than the HTML standard, and both change
// the text of an article. What makes it read them right is put into the text
// before it is parsed, and offsets are shifted back.
//
// A newline counts for nothing when it comes right behind a <pre> tag. For
// x/net/html it also counts for nothing when only things come between that
// leave the element empty, and it takes a carriage return for one. A comment in
// front keeps it from looking.
//
// A CDATA section has no character references. x/net/html resolves them.
const (
	keeperData = "kept"
	keeper     = "<!--" + keeperData + "-->"
	escaper    = "amp;"
)

var cdata = []byte("<![CDATA[")

// insertion is a text to put in at an offset.
type insertion struct {
	at   int
	text string
}

// parse parses the text, amended where it must be. An amendment is taken back
// when it did not come to stand where it was meant to: what is raw text and what
// is foreign content is known for certain only from the tree.
func (d *decoded) parse(room *Room) (*html.Node, error) {
	if root, ok := parsePlain(room, d.text); ok {
		return root, nil
	}
	list := d.amendments()
	if len(list) == 0 {
		return html.Parse(bytes.NewReader(d.text))
	}
	amended := *d
	amended.insert(list)
	root, err := html.Parse(bytes.NewReader(amended.text))
	if err != nil || countKeepers(root) != bytes.Count(amended.text, []byte(keeper)) {
		return html.Parse(bytes.NewReader(d.text))
	}
	*d = amended
	return root, nil
}

func countKeepers(root *html.Node) (n int) {
	for node := range root.Descendants() {
		if node.Type == html.CommentNode && node.Data == keeperData {
			n++
		}
	}
	return n
}

// amendments are the insertions that the text needs, mostly none.
func (d *decoded) amendments() []insertion {
	sections := bytes.Contains(d.text, cdata)
	if !sections && !mayLoseNewline(d.text) {
		return nil
	}
	var list []insertion
	scanner, foreign, last := newTagScanner(d.text), foreignContent{}, 0
	for t, ok := scanner.next(); ok; t, ok = scanner.next() {
		if sections && foreign.inside() {
			list = escapeSections(list, d.text, last, t.start)
		}
		foreign.follow(scanner, t)
		last = t.end
		if t.kind != html.EndTagToken && isPreformatted(t.name(d.text)) {
			if at := t.end + newline(d.text[t.end:]); losesNewline(d.text[at:]) {
				list = append(list, insertion{at, keeper})
			}
		}
	}
	if sections && foreign.inside() {
		list = escapeSections(list, d.text, last, len(d.text))
	}
	return list
}

// escapeSections escapes the '&' of the CDATA sections between two offsets.
func escapeSections(list []insertion, text []byte, from, to int) []insertion {
	for {
		i := bytes.Index(text[from:to], cdata)
		if i < 0 {
			return list
		}
		from += i + len(cdata)
		end := bytes.Index(text[from:to], []byte("]]>"))
		if end < 0 {
			end = to - from
		}
		for end += from; from < end; from++ {
			if text[from] == '&' {
				list = append(list, insertion{from + 1, escaper})
			}
		}
	}
}

// mayLoseNewline looks without regard for comments and quotes, and so at next
// to no cost.
func mayLoseNewline(text []byte) bool {
	for {
		i := bytes.IndexByte(text, '<')
		if i < 0 {
			return false
		}
		text = text[i+1:]
		if !startsPreformatted(text) {
			continue
		}
		if i = bytes.IndexByte(text, '>'); i >= 0 {
			rest := text[i+1:]
			if losesNewline(rest[newline(rest):]) {
				return true
			}
		}
	}
}

func startsPreformatted(text []byte) bool {
	return len(text) > len("pre") && isPreformatted(text[:len("pre")]) ||
		len(text) > len("listing") && isPreformatted(text[:len("listing")])
}

func isPreformatted(name []byte) bool { return equalName(name, "pre") || equalName(name, "listing") }

// newline is the length of the line end that rest starts with.
func newline(rest []byte) int {
	switch {
	case bytes.HasPrefix(rest, []byte("\r\n")):
		return 2
	case len(rest) > 0 && (rest[0] == '\n' || rest[0] == '\r'):
		return 1
	}
	return 0
}

// ignored are the start tags that have no effect in a <pre>.
var ignored = strings.Fields("body caption col colgroup form frame frameset head html tbody td tfoot th thead tr")

// losesNewline reports whether rest, behind a <pre> tag and its newline, starts
// with what would make x/net/html drop one that counts.
func losesNewline(rest []byte) bool {
	switch {
	case bytes.HasPrefix(rest, []byte("&#")):
		return strings.HasPrefix(html.UnescapeString(string(rest[:min(len(rest), 16)])), "\r")
	case bytes.HasPrefix(rest, []byte("<!")):
		return len(rest) > 2 && lowerASCII(rest[2]) == 'd'
	case bytes.HasPrefix(rest, []byte("</")):
		return len(rest) > 2 && isLetter(rest[2])
	case bytes.HasPrefix(rest, []byte("<")):
		return slices.ContainsFunc(ignored, func(name string) bool { return equalName(rest[1:nameEnd(rest, 1)], name) })
	}
	return false
}

func isLetter(c byte) bool { return 'a' <= lowerASCII(c) && lowerASCII(c) <= 'z' }

// insert makes insertions, which are in order.
func (d *decoded) insert(list []insertion) {
	var out []byte
	old, shifts := d.shifts, []shift(nil)
	by, done, added := 0, 0, 0
	for _, in := range list {
		for len(old) > 0 && old[0].at <= in.at {
			by = old[0].by
			shifts = append(shifts, shift{old[0].at + added, by - added})
			old = old[1:]
		}
		out = append(append(out, d.text[done:in.at]...), in.text...)
		done = in.at
		added += len(in.text)
		shifts = append(shifts, shift{len(out), by - added})
	}
	for _, s := range old {
		shifts = append(shifts, shift{s.at + added, s.by - added})
	}
	d.text, d.shifts = append(out, d.text[done:]...), shifts
}
