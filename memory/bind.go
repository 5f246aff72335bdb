package memory

import (
	"bytes"
	"slices"
	"strconv"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// binding ties the tags of a text to the elements of its tree.
type binding struct {
	text []byte
	tags []tag
	// nodes are the elements by start tag, the first in document order where
	// the parser made several from one tag; nil for a tag it ignored.
	nodes []*html.Node
	// tagOf is the number of an element's start tag.
	tagOf map[*html.Node]int
}

// bind ties what can be tied. In a well-formed document the start tags come in
// the order of the elements, and one pass over the tokens is enough. Otherwise
// the text is parsed again with its start tags numbered.
func bind(text []byte, root *html.Node) *binding {
	if b, ok := bindInOrder(text, root); ok {
		return b
	}
	return bindByNumber(text, root)
}

// newBinding has room for as many elements as the text is likely to have.
func newBinding(text []byte) *binding {
	tags := bytes.Count(text, []byte("<"))
	return &binding{
		text: text, tags: make([]tag, 0, tags), nodes: make([]*html.Node, 0, tags),
		tagOf: make(map[*html.Node]int, tags-bytes.Count(text, []byte("</"))),
	}
}

func (b *binding) tie(n *html.Node, i int) {
	if b.nodes[i] == nil {
		b.nodes[i] = n
	}
	b.tagOf[n] = i
}

// orderBinder walks tags and elements side by side.
type orderBinder struct {
	*binding
	scanner *tagScanner
	// next is the next element that has no tag, open the element that the
	// parser was in, by the tree.
	next, open *html.Node
}

// bindInOrder is not ok as soon as a tag is not the next element's.
func bindInOrder(text []byte, root *html.Node) (*binding, bool) {
	b := orderBinder{
		binding: newBinding(text),
		scanner: newTagScanner(text),
		next:    nextElement(root),
	}
	for {
		t, ok := b.scanner.next()
		if !ok {
			break
		}
		b.tags, b.nodes = append(b.tags, t), append(b.nodes, nil)
		if t.kind == html.EndTagToken {
			ok = b.close(t)
		} else {
			ok = b.take(t)
		}
		if !ok {
			return nil, false
		}
		b.scanner.z.AllowCDATA(b.open != nil && b.open.Namespace != "")
	}
	for b.next != nil && isImplied(b.next) {
		b.next = nextElement(b.next)
	}
	return b.binding, b.next == nil
}

// take ties a start tag to the next element, stepping over those that the
// parser makes without a tag.
func (b *orderBinder) take(t tag) bool {
	for b.next != nil && !b.isTagOf(t, b.next) {
		if !isImplied(b.next) {
			return false
		}
		b.next = nextElement(b.next)
	}
	n := b.next
	if n == nil {
		return false
	}
	b.tie(n, len(b.tags)-1)
	b.next, b.open = nextElement(n), n
	if n.Namespace != "" {
		b.scanner.z.NextIsNotRawText()
	}
	if isChildless(n, t) {
		b.open = n.Parent
	}
	return true
}

// close follows an end tag. A </p> or </br> without its element makes one.
func (b *orderBinder) close(t tag) bool {
	name := t.name(b.text)
	for n, up := b.open, 0; n != nil && up < 64; n, up = n.Parent, up+1 {
		if equalName(name, n.Data) {
			b.open = n.Parent
			return true
		}
	}
	return !equalName(name, "p") && !equalName(name, "br")
}

// isTagOf compares name and attributes. The parser renames some attributes of
// foreign elements, and a tag with very many is not worth comparing.
func (b *orderBinder) isTagOf(t tag, n *html.Node) bool {
	if !equalName(t.name(b.text), n.Data) {
		return false
	}
	const many = 16
	if len(n.Attr) > many || n.Namespace != "" {
		return true
	}
	if len(n.Attr) == 0 && t.nameEnd+len(">") == t.end {
		return true
	}
	count := 0
	for more := true; more; count++ {
		var key, value []byte
		if key, value, more = b.scanner.z.TagAttr(); key == nil {
			break
		}
		if held, ok := attribute(n, string(key)); !ok || held != string(value) {
			return false
		}
	}
	return count == len(n.Attr)
}

func equalName(written []byte, name string) bool {
	if len(written) != len(name) {
		return false
	}
	for i := range written {
		if lowerASCII(written[i]) != lowerASCII(name[i]) {
			return false
		}
	}
	return true
}

func lowerASCII(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

// nextElement is the next element in document order, templates included.
func nextElement(n *html.Node) *html.Node {
	for n != nil {
		if n.FirstChild != nil {
			n = n.FirstChild
		} else {
			for n != nil && n.NextSibling == nil {
				n = n.Parent
			}
			if n != nil {
				n = n.NextSibling
			}
		}
		if n != nil && n.Type == html.ElementNode {
			return n
		}
	}
	return nil
}

// isImplied reports whether the parser makes such an element without a tag.
func isImplied(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Html, atom.Head, atom.Body, atom.Tbody, atom.Tr, atom.Colgroup:
		return len(n.Attr) == 0
	}
	return false
}

// isChildless reports whether the element ends with its start tag.
func isChildless(n *html.Node, t tag) bool {
	if n.Namespace != "" {
		return t.kind == html.SelfClosingTagToken
	}
	switch n.DataAtom {
	case atom.Area, atom.Base, atom.Basefont, atom.Bgsound, atom.Br, atom.Col, atom.Embed, atom.Frame, atom.Hr, atom.Img,
		atom.Input, atom.Keygen, atom.Link, atom.Meta, atom.Param, atom.Source, atom.Track, atom.Wbr:
		return true
	}
	return false
}

// numberKey is the attribute that carries a tag's number into the second tree.
// It is one that nobody writes, and of one byte because such strings cost no
// allocation; a file that does write it has fewer spans.
const numberKey = "^"

// bindByNumber parses the text again with its start tags numbered. The numbers
// seldom change the tree, and where they do the elements stay untied: the plain
// tree alone says what the document means.
func bindByNumber(text []byte, root *html.Node) *binding {
	b := newBinding(text)
	numbered, err := html.Parse(bytes.NewReader(b.numberTags()))
	if err != nil {
		return b
	}
	p, m := root, numbered
	for {
		b.tieByNumber(p, m)
		if p.FirstChild != nil && m.FirstChild != nil && alike(p.FirstChild, m.FirstChild) {
			p, m = p.FirstChild, m.FirstChild
			continue
		}
		for p != root && !(p.NextSibling != nil && m.NextSibling != nil && alike(p.NextSibling, m.NextSibling)) {
			p, m = p.Parent, m.Parent
		}
		if p == root {
			return b
		}
		p, m = p.NextSibling, m.NextSibling
	}
}

func (b *binding) tieByNumber(p, m *html.Node) {
	if number, ok := attribute(m, numberKey); ok && p.Type == html.ElementNode {
		if i, err := strconv.Atoi(number); err == nil && i < len(b.tags) && equalName(b.tags[i].name(b.text), p.Data) {
			b.tie(p, i)
		}
	}
}

// numberTags notes the tags and returns the text with a number in each start
// tag.
func (b *binding) numberTags() []byte {
	out := make([]byte, 0, 2*len(b.text))
	scanner, foreign, copied := newTagScanner(b.text), foreignContent{}, 0
	for {
		t, ok := scanner.next()
		if !ok {
			return append(out, b.text[copied:]...)
		}
		foreign.follow(scanner, t)
		if t.kind != html.EndTagToken {
			out = append(out, b.text[copied:t.nameEnd]...)
			out = append(out, ' ')
			out = append(out, numberKey...)
			out = append(out, `="`...)
			out = strconv.AppendInt(out, int64(len(b.tags)), 10)
			out = append(out, '"')
			copied = t.nameEnd
		}
		b.tags, b.nodes = append(b.tags, t), append(b.nodes, nil)
	}
}

// alike compares two nodes, the second one's number aside.
func alike(p, m *html.Node) bool {
	if p.Type != m.Type || p.Data != m.Data || p.Namespace != m.Namespace {
		return false
	}
	if len(p.Attr) == len(m.Attr) {
		return slices.Equal(p.Attr, m.Attr)
	}
	rest := m.Attr
	for _, a := range p.Attr {
		if len(rest) > 0 && rest[0].Key == numberKey {
			rest = rest[1:]
		}
		if len(rest) == 0 || rest[0] != a {
			return false
		}
		rest = rest[1:]
	}
	return len(rest) == 0 || len(rest) == 1 && rest[0].Key == numberKey
}

// foreignContent follows roughly, from the tags alone, whether the parser is in
// SVG or MathML, where no element has raw text.
type foreignContent struct{ open []string }

// follow takes note of a tag and tells the tokenizer what it means.
func (f *foreignContent) follow(s *tagScanner, t tag) {
	f.pass(string(bytes.ToLower(t.name(s.text))), t.kind)
	if f.inside() && t.kind != html.EndTagToken {
		s.z.NextIsNotRawText()
	}
	s.z.AllowCDATA(f.inside())
}

func (f *foreignContent) inside() bool {
	return len(f.open) > 0 && (f.open[len(f.open)-1] == "svg" || f.open[len(f.open)-1] == "math")
}

func (f *foreignContent) pass(name string, kind html.TokenType) {
	switch name {
	case "svg", "math", "foreignobject", "desc", "annotation-xml", "mi", "mo", "mn", "ms", "mtext":
	default:
		return
	}
	if kind == html.EndTagToken {
		if i := slices.Index(f.open, name); i >= 0 {
			f.open = f.open[:i]
		}
		return
	}
	root := name == "svg" || name == "math"
	if kind == html.StartTagToken && (root || f.inside()) && len(f.open) < 64 {
		f.open = append(f.open, name)
	}
}
