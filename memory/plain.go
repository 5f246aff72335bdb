package memory

import (
	"bytes"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// plainParser makes the tree of a plain document, as nearly every memory is. Its
// doctype and the tags of html, head and body are all written; in its head are
// metas, links and titles, in its body elements of plainElements, each closed by
// its own end tag before what it is in; names are in lower case and values in
// quotes; and there are no comments. Of all that the HTML standard says of how a
// tree is made only this is left: a start tag begins a child, an end tag ends it.
//
// Its methods take what comes next, and report whether it was plain. When it was
// not, the tree is dropped and x/net/html parses the text from its start. Its
// tree of a plain document is the same to the last attribute, and needs no
// amendment.
type plainParser struct {
	text string
	// at is where the rest of the text begins.
	at int
	// open are the elements that have not ended, below the document.
	open []*html.Node
	// returns says that there are carriage returns in the text.
	returns bool
	// nodes and attrs are room for those to come.
	nodes []html.Node
	attrs []html.Attribute
}

// plainElement is what a start tag means, and where it means that.
type plainElement struct {
	name string
	atom atom.Atom
	// void says that it has no end tag.
	void bool
	// block says that it would end a <p>; format that it would be opened again
	// where it is misnested, and that x/net/html sorts its attributes.
	block, format bool
	// in are the only parents it may have; nil means any.
	in []atom.Atom
}

var (
	plainHTML = plainElement{name: "html", atom: atom.Html}
	plainHead = plainElement{name: "head", atom: atom.Head}
	plainBody = plainElement{name: "body", atom: atom.Body}

	plainHeadElements = plainTable(map[string]plainElement{
		"title":     {},
		"meta link": {void: true},
	})

	// plainElements are those of the vocabulary that a plain document may have in
	// its body. Tables are not: of what stands between their cells some is moved.
	plainElements = plainTable(map[string]plainElement{
		"mark time data cite q dfn abbr kbd samp var span": {},
		"a code em strong": {format: true},
		"article section aside address details summary figure figcaption div p pre dl ol ul": {block: true},
		"li":    {block: true, in: []atom.Atom{atom.Ol, atom.Ul}},
		"dt dd": {block: true, in: []atom.Atom{atom.Dl}},
	})
)

func plainTable(rows map[string]plainElement) map[string]plainElement {
	table := map[string]plainElement{}
	for names, e := range rows {
		for name := range strings.FieldsSeq(names) {
			e.name, e.atom = name, atom.Lookup([]byte(name))
			table[name] = e
		}
	}
	return table
}

const (
	plainDoctype = "<!doctype html>"
	// plainDepth bounds the open elements, far below what x/net/html refuses.
	plainDepth = 64
	// plainRoom bounds the nodes that room is made for before they are met.
	plainRoom = 256
	// plainAttributes bounds those of one tag, of which each is held against all.
	plainAttributes = 32
	// plainPeek is how much of what follows a <pre> is looked at.
	plainPeek = 32
)

// parsePlain returns the tree of a plain document, for as long as the room is not
// used again.
func parsePlain(room *Room, text []byte) (root *html.Node, ok bool) {
	if bytes.IndexByte(text, 0) >= 0 {
		return nil, false
	}
	tags := min(bytes.Count(text, []byte("<")), plainRoom)
	room.nodes, room.attrs = roomFor(room.nodes, tags+tags/2+4), roomFor(room.attrs, tags)
	p := plainParser{
		text: string(text), returns: bytes.IndexByte(text, '\r') >= 0,
		open: room.open[:0], nodes: room.nodes, attrs: room.attrs,
	}
	root = p.node(html.DocumentNode, "")
	p.open = append(p.open, root)
	ok = p.document()
	room.open = p.open
	return root, ok
}

// roomFor is the given room, or a larger one.
func roomFor[T any](room []T, n int) []T {
	if n > len(room) {
		return make([]T, n)
	}
	return room
}

func (p *plainParser) document() bool {
	p.skipSpace()
	if n := len(plainDoctype); len(p.text)-p.at < n || !strings.EqualFold(p.text[p.at:p.at+n], plainDoctype) {
		return false
	}
	p.at += len(plainDoctype)
	p.top().AppendChild(p.node(html.DoctypeNode, "html"))
	p.skipSpace()
	if !p.is(plainHTML) {
		return false
	}
	p.skipSpace()
	if !p.is(plainHead) || !p.head() {
		return false
	}
	p.space()
	if !p.is(plainBody) || !p.body() {
		return false
	}
	// The body has ended, but white space behind it is still put there.
	p.space()
	if name, end := p.tag(); !end || name != "html" || !p.tagEnd() {
		return false
	}
	p.space()
	return p.at == len(p.text)
}

// is takes the start tag of an element.
func (p *plainParser) is(e plainElement) bool {
	name, end := p.tag()
	return !end && name == e.name && p.begin(e)
}

// head takes the inside and the end of the head.
func (p *plainParser) head() bool {
	for {
		p.space()
		name, end := p.tag()
		if end {
			return p.close(name)
		}
		e, plain := plainHeadElements[name]
		if !plain || !p.begin(e) {
			return false
		}
		if e.void {
			continue
		}
		p.content()
		if name, end := p.tag(); !end || !p.close(name) {
			return false
		}
	}
}

// body takes the inside of the body, and its end tag.
func (p *plainParser) body() bool {
	for {
		p.content()
		name, end := p.tag()
		switch {
		case !end:
			if e, plain := plainElements[name]; !plain || !p.fits(e) || !p.begin(e) {
				return false
			}
		case p.top().DataAtom == atom.Body:
			return name == plainBody.name && p.tagEnd()
		case !p.close(name):
			return false
		}
	}
}

// fits reports whether an element can begin here with nothing else ending or
// beginning.
func (p *plainParser) fits(e plainElement) bool {
	if e.in != nil && !slices.Contains(e.in, p.top().DataAtom) {
		return false
	}
	if !e.block && !e.format {
		return true
	}
	for _, n := range p.open {
		if e.block && n.DataAtom == atom.P || e.format && n.DataAtom == e.atom {
			return false
		}
	}
	return true
}

// begin takes the rest of a start tag.
func (p *plainParser) begin(e plainElement) bool {
	attrs, plain := p.attributes()
	if e.void && plain && p.peek() == '/' {
		p.at++
	}
	if !plain || !p.tagEnd() || len(p.open) > plainDepth || e.atom == atom.Pre && p.losesNewline() {
		return false
	}
	n := p.node(html.ElementNode, e.name)
	n.DataAtom, n.Attr = e.atom, attrs
	if e.format {
		slices.SortFunc(n.Attr, byKey)
	}
	p.top().AppendChild(n)
	if !e.void {
		p.open = append(p.open, n)
	}
	return true
}

// losesNewline reports whether a <pre> that begins here needs an amendment.
func (p *plainParser) losesNewline() bool {
	rest := []byte(p.text[p.at:min(p.at+plainPeek, len(p.text))])
	return losesNewline(rest[newline(rest):])
}

// close takes the rest of an end tag, which has to be that of the innermost
// element.
func (p *plainParser) close(name string) bool {
	if p.top().Data != name || !p.tagEnd() {
		return false
	}
	p.open = p.open[:len(p.open)-1]
	return true
}

func (p *plainParser) top() *html.Node { return p.open[len(p.open)-1] }

func (p *plainParser) node(kind html.NodeType, data string) *html.Node {
	if len(p.nodes) == 0 {
		p.nodes = make([]html.Node, plainRoom)
	}
	n := &p.nodes[0]
	p.nodes = p.nodes[1:]
	*n = html.Node{Type: kind, Data: data}
	return n
}

// tag takes the start of a tag as far as its name, which is empty when there is
// none that is plain; end tells an end tag.
func (p *plainParser) tag() (name string, end bool) {
	if p.peek() != '<' {
		return "", false
	}
	p.at++
	if end = p.peek() == '/'; end {
		p.at++
	}
	from := p.at
	for c := p.peek(); 'a' <= c && c <= 'z'; c = p.peek() {
		p.at++
	}
	return p.text[from:p.at], end
}

// tagEnd takes the end of a tag.
func (p *plainParser) tagEnd() bool {
	p.skipSpace()
	if p.peek() != '>' {
		return false
	}
	p.at++
	return true
}

// attributes takes the attributes of a start tag.
func (p *plainParser) attributes() (list []html.Attribute, plain bool) {
	if p.peek() == '>' {
		return nil, true
	}
	for count := 0; ; count++ {
		from := p.at
		p.skipSpace()
		c := p.peek()
		if c == '>' || c == '/' {
			list, p.attrs = p.attrs[:count:count], p.attrs[count:]
			return list, true
		}
		if from == p.at {
			return nil, false
		}
		if count == plainAttributes {
			return nil, false
		}
		if count == len(p.attrs) {
			p.attrs = append(p.attrs[:count:count], make([]html.Attribute, plainAttributes)...)
		}
		a, plain := p.attribute()
		if !plain || hasKey(p.attrs[:count], a.Key) {
			return nil, false
		}
		p.attrs[count] = a
	}
}

func hasKey(list []html.Attribute, key string) bool {
	for i := range list {
		if list[i].Key == key {
			return true
		}
	}
	return false
}

// attribute takes one attribute. A value with a character reference is not plain:
// those of attributes have rules of their own.
func (p *plainParser) attribute() (a html.Attribute, plain bool) {
	from := p.at
	for c := p.peek(); 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-'; c = p.peek() {
		p.at++
	}
	a.Key = p.text[from:p.at]
	if a.Key == "" || p.peek() != '=' {
		return a, a.Key != "" && (p.peek() == '>' || isASCIISpace(p.peek()))
	}
	p.at++
	quote := p.peek()
	if quote != '"' && quote != '\'' {
		return a, false
	}
	p.at++
	length := strings.IndexByte(p.text[p.at:], quote)
	if length < 0 {
		return a, false
	}
	a.Val = p.text[p.at : p.at+length]
	p.at += length + 1
	if p.returns {
		a.Val = unixLines(a.Val)
	}
	return a, strings.IndexByte(a.Val, '&') < 0
}

// peek is the next byte, 0 at the end of the text, which has none inside.
func (p *plainParser) peek() byte {
	if p.at == len(p.text) {
		return 0
	}
	return p.text[p.at]
}

func (p *plainParser) skipSpace() {
	for isASCIISpace(p.peek()) {
		p.at++
	}
}

// space takes white space.
func (p *plainParser) space() {
	from := p.at
	p.skipSpace()
	p.addText(p.text[from:p.at])
}

// content takes text up to the next tag.
func (p *plainParser) content() {
	length := strings.IndexByte(p.text[p.at:], '<')
	if length < 0 {
		length = len(p.text) - p.at
	}
	p.addText(p.text[p.at : p.at+length])
	p.at += length
}

// addText adds text to the innermost element, without the newline that begins a
// <pre>.
func (p *plainParser) addText(text string) {
	if p.returns {
		text = unixLines(text)
	}
	if strings.IndexByte(text, '&') >= 0 {
		text = html.UnescapeString(text)
	}
	top := p.top()
	if top.DataAtom == atom.Pre && top.FirstChild == nil {
		text = strings.TrimPrefix(text, "\n")
	}
	last := top.LastChild
	switch {
	case text == "":
	case last != nil && last.Type == html.TextNode:
		last.Data += text
	default:
		top.AppendChild(p.node(html.TextNode, text))
	}
}
