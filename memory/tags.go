package memory

import (
	"bytes"

	"golang.org/x/net/html"
)

// tag is a start or end tag as it stands in the text, from '<' to behind '>'.
type tag struct {
	start, nameEnd, end int
	kind                html.TokenType
}

// tagScanner gives the tags of a text with their places. The raw lengths of
// the tokens of x/net/html are exact, so their sum is the place.
type tagScanner struct {
	text []byte
	z    *html.Tokenizer
	at   int
}

func newTagScanner(text []byte) *tagScanner {
	return &tagScanner{text: text, z: html.NewTokenizer(bytes.NewReader(text))}
}

// next returns the next tag; ok is false at the end of the text. A tag that
// the end of the text cuts off is none, as for the parser.
func (s *tagScanner) next() (t tag, ok bool) {
	for {
		kind := s.z.Next()
		start := s.at
		s.at += len(s.z.Raw())
		switch kind {
		case html.ErrorToken:
			return tag{}, false
		case html.StartTagToken, html.SelfClosingTagToken:
			return tag{start, nameEnd(s.text, start+len("<")), s.at, kind}, true
		case html.EndTagToken:
			return tag{start, nameEnd(s.text, start+len("</")), s.at, kind}, true
		}
	}
}

// nameEnd returns where the name of a tag ends that starts at an offset.
func nameEnd(text []byte, at int) int {
	for at < len(text) && !isASCIISpace(text[at]) && text[at] != '/' && text[at] != '>' {
		at++
	}
	return at
}

// name is the tag's name as written.
func (t tag) name(text []byte) []byte {
	if t.kind == html.EndTagToken {
		return text[t.start+len("</") : t.nameEnd]
	}
	return text[t.start+len("<") : t.nameEnd]
}

// tagAttribute is one attribute of a start tag. Without a value, value is empty
// and stands behind the name.
type tagAttribute struct{ whole, name, value Span }

// attributesOf reads the attributes of a start tag, by the same steps as the
// tokenizer, which does not tell where they are. Of several with one name the
// first counts.
func attributesOf(text []byte, t tag) []tagAttribute {
	var list []tagAttribute
	seen := map[string]bool{}
	c := cursor{text: text[:t.end-len(">")], at: t.nameEnd}
	for c.skipSpace(); c.more(); c.skipSpace() {
		a := c.attribute()
		name := string(bytes.ToLower(text[a.name.Start:a.name.End]))
		if name != "" && !seen[name] {
			seen[name] = true
			list = append(list, a)
		}
	}
	return list
}

// cursor reads attributes from the inside of a start tag.
type cursor struct {
	text []byte
	at   int
}

func (c *cursor) more() bool { return c.at < len(c.text) }

func (c *cursor) skipSpace() {
	for c.more() && isASCIISpace(c.text[c.at]) {
		c.at++
	}
}

func (c *cursor) attribute() tagAttribute {
	name := c.name()
	a := tagAttribute{whole: name, name: name, value: Span{name.End, name.End}}
	c.skipSpace()
	switch {
	case !c.more():
	case c.text[c.at] == '/':
		c.at++
	case c.text[c.at] == '=':
		c.at++
		a.value = c.value()
		a.whole.End = c.at
	}
	return a
}

// name reads up to whitespace, '/' or '='; an '=' at the start belongs to it.
func (c *cursor) name() Span {
	start := c.at
	for c.more() && !isASCIISpace(c.text[c.at]) && c.text[c.at] != '/' && (c.text[c.at] != '=' || c.at == start) {
		c.at++
	}
	return Span{start, c.at}
}

func (c *cursor) value() Span {
	c.skipSpace()
	start := c.at
	if c.more() && (c.text[c.at] == '"' || c.text[c.at] == '\'') {
		end := bytes.IndexByte(c.text[start+1:], c.text[start])
		if end < 0 {
			c.at = len(c.text)
			return Span{start + 1, c.at}
		}
		c.at = start + 1 + end + 1
		return Span{start + 1, c.at - 1}
	}
	for c.more() && !isASCIISpace(c.text[c.at]) {
		c.at++
	}
	return Span{start, c.at}
}
