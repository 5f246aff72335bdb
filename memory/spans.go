package memory

import (
	"bytes"
	"slices"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Spans tell where in the source the facts of a Document stand: byte offsets
// in the file as it is, BOM and ill-formed UTF-8 included. They cost a second
// pass, so they are made for files that are shown, not for a corpus.
type Spans struct {
	doc *Document
	*binding
	// ends are the places where the elements end, by start tag.
	ends []elementEnd
}

// elementEnd is where an element ends: tag is the number of its end tag, -1
// when it has none.
type elementEnd struct{ at, tag int }

// Spans returns the spans of the document. They are made at the first call;
// it may be called from several goroutines.
func (d *Document) Spans() *Spans {
	d.tree.once.Do(func() {
		s := &Spans{doc: d, binding: &binding{}}
		if d.tree.root != nil {
			s.binding = bind(d.tree.text.text, d.tree.root)
			s.findEnds(d.tree.root)
		}
		d.tree.spans = s
	})
	return d.tree.spans
}

// Element is one element of the source that has a start tag there.
type Element struct {
	// Name is the element's name in the tree.
	Name string
	// Span is the whole element, StartTag its start tag and Content what lies
	// between the tags.
	Span, StartTag, Content Span
	Attrs                   []Attribute
}

// Attribute is one attribute as it stands in a start tag: Span is all of it,
// ValueSpan what is between the quotes.
type Attribute struct {
	Name                      string
	Span, NameSpan, ValueSpan Span
}

// Elements returns the elements in the order of their start tags.
func (s *Spans) Elements() []Element {
	var list []Element
	for i, n := range s.nodes {
		if n == nil {
			continue
		}
		e := Element{Name: n.Data, Span: s.whole(i), StartTag: s.startTag(i), Content: s.content(i)}
		for _, a := range attributesOf(s.text, s.tags[i]) {
			e.Attrs = append(e.Attrs, Attribute{
				Name: string(bytes.ToLower(s.text[a.name.Start:a.name.End])),
				Span: s.span(a.whole), NameSpan: s.span(a.name), ValueSpan: s.span(a.value),
			})
		}
		list = append(list, e)
	}
	return list
}

// Problem returns where a problem of this document stands: the value of the
// attribute it is about, the attribute where that is what is wrong or where it
// is empty, else the start tag of the element. A problem with something that
// is missing stands where the thing should be, or at the article.
func (s *Spans) Problem(p Problem) Span {
	if p.at.node == nil {
		return s.lead()
	}
	whole := bannedAttributeCode(p.at.attr) != ""
	return s.anchored(p.at, whole)
}

// Link returns the href of a link of this document.
func (s *Spans) Link(l Link) Span { return s.anchored(l.at, false) }

// Mark returns the text inside the <mark>, tags excluded; ok is false when the
// article has no mark.
func (s *Spans) Mark() (span Span, ok bool) {
	i, ok := s.tagNumber(s.doc.tree.mark())
	if !ok {
		return Span{}, false
	}
	return s.content(i), true
}

// Claim returns where the claim is shown: the text of the mark or, when there
// is none, the start tag of the mark, of the article, or the first line.
func (s *Spans) Claim() Span {
	i, ok := s.tagNumber(s.doc.tree.mark())
	switch {
	case !ok:
		return s.lead()
	case s.doc.Gist == "":
		return s.startTag(i)
	}
	return s.content(i)
}

// Article returns the whole <article> element.
func (s *Spans) Article() (span Span, ok bool) {
	i, ok := s.tagNumber(s.doc.tree.article)
	if !ok {
		return Span{}, false
	}
	return s.whole(i), true
}

// Meta returns the content value of the first meta of that full name in the
// head; ok is false when there is none or it has no content attribute.
func (s *Spans) Meta(name string) (span Span, ok bool) {
	i, ok := s.tagNumber(s.meta(name))
	if !ok {
		return Span{}, false
	}
	a, ok := s.attribute(i, "content")
	return s.span(a.value), ok
}

// MetaTag returns the whole tag of the first meta of that full name.
func (s *Spans) MetaTag(name string) (span Span, ok bool) {
	i, ok := s.tagNumber(s.meta(name))
	if !ok {
		return Span{}, false
	}
	return s.startTag(i), true
}

func (s *Spans) meta(name string) (found *html.Node) {
	if s.doc.tree.head == nil {
		return nil
	}
	walk(s.doc.tree.head, func(n *html.Node) {
		if found == nil && n.Type == html.ElementNode && n.Data == "meta" {
			if held, ok := attribute(n, "name"); ok && held == name {
				found = n
			}
		}
	}, func(*html.Node) {})
	return found
}

func (s *Spans) tagNumber(n *html.Node) (i int, ok bool) {
	i, ok = s.tagOf[n]
	return i, ok
}

// anchored returns the span of an anchor. An element that has no start tag of
// its own is shown at the nearest one around it that has.
func (s *Spans) anchored(a anchor, whole bool) Span {
	i, ok := s.tagNumber(a.node)
	if !ok {
		return s.around(a.node)
	}
	if a.attr == "" {
		return s.startTag(i)
	}
	held, ok := s.attribute(i, a.attr)
	if !ok {
		held, ok = s.merged(a)
	}
	switch {
	case !ok:
		return s.startTag(i)
	case whole || held.value.Start == held.value.End:
		return s.span(held.whole)
	}
	return s.span(held.value)
}

func (s *Spans) around(n *html.Node) Span {
	for ; n != nil; n = n.Parent {
		if i, ok := s.tagNumber(n); ok {
			return s.startTag(i)
		}
	}
	return s.lead()
}

// lead is the article's start tag, else the first line.
func (s *Spans) lead() Span {
	if i, ok := s.tagNumber(s.doc.tree.article); ok {
		return s.startTag(i)
	}
	text := s.doc.tree.text.text
	end := bytes.IndexAny(text, "\r\n")
	if end < 0 {
		end = len(text)
	}
	return s.span(Span{0, end})
}

// attribute finds an attribute of a start tag by the name the tree has for it,
// which for foreign elements may lack a prefix and differ in case.
func (s *Spans) attribute(i int, name string) (a tagAttribute, ok bool) {
	for _, a := range attributesOf(s.text, s.tags[i]) {
		written := s.text[a.name.Start:a.name.End]
		if _, local, found := bytes.Cut(written, []byte(":")); equalName(written, name) || found && equalName(local, name) {
			return a, true
		}
	}
	return tagAttribute{}, false
}

// merged finds an attribute in a later <html> or <body> tag: the parser gives
// what such a tag has to the element that is already there.
func (s *Spans) merged(a anchor) (held tagAttribute, ok bool) {
	if a.node.DataAtom != atom.Html && a.node.DataAtom != atom.Body {
		return tagAttribute{}, false
	}
	for i, t := range s.tags {
		if t.kind != html.EndTagToken && equalName(t.name(s.text), a.node.Data) {
			if held, ok := s.attribute(i, a.attr); ok {
				return held, true
			}
		}
	}
	return tagAttribute{}, false
}

// span turns a range of the decoded text into one of the source.
func (s *Spans) span(r Span) Span {
	text := &s.doc.tree.text
	return Span{text.offset(r.Start), text.offset(r.End)}
}

func (s *Spans) startTag(i int) Span { return s.span(Span{s.tags[i].start, s.tags[i].end}) }

func (s *Spans) whole(i int) Span { return s.span(Span{s.tags[i].start, s.ends[i].at}) }

func (s *Spans) content(i int) Span {
	end := s.ends[i].at
	if closing := s.ends[i].tag; closing >= 0 {
		end = s.tags[closing].start
	}
	return s.span(Span{s.tags[i].end, max(end, s.tags[i].end)})
}

// findEnds finds where each element ends: at the end tag that follows the last
// tag inside it or, when another tag has closed it, where that one begins.
func (s *Spans) findEnds(root *html.Node) {
	s.ends = make([]elementEnd, len(s.tags))
	// open has, for each open element, its start tag and the last tag known to be
	// inside it, -1 for none.
	type opened struct{ start, last int }
	open := []opened{{-1, -1}}
	all := func(*html.Node) bool { return true }
	walkInto(root, all, func(n *html.Node) {
		if n.Type == html.ElementNode {
			i := s.startOf(n)
			open = append(open, opened{i, i})
		}
	}, func(n *html.Node) {
		if n.Type != html.ElementNode {
			return
		}
		e := open[len(open)-1]
		open = open[:len(open)-1]
		if e.last >= 0 {
			e.last = s.closeAfter(n, e.start, e.last)
		}
		around := &open[len(open)-1]
		around.last = max(around.last, e.last)
	})
}

// startOf is the number of an element's start tag, -1 for none.
func (s *Spans) startOf(n *html.Node) int {
	if i, ok := s.tagNumber(n); ok {
		return i
	}
	return -1
}

// closeAfter ends n, whose start tag and last tag inside are given, and returns
// its last tag.
func (s *Spans) closeAfter(n *html.Node, start, inside int) int {
	end := elementEnd{at: s.tags[inside].end, tag: -1}
	if start < 0 || !isChildless(n, s.tags[start]) {
		end = s.endAfter(n, inside)
	}
	if start >= 0 && s.nodes[start] == n {
		s.ends[start] = end
	}
	return max(inside, end.tag)
}

// endAfter looks through the end tags that follow. Those of elements around n
// end it; stray ones are passed over. Both looks are bounded, so that a heap
// of end tags costs linear time.
func (s *Spans) endAfter(n *html.Node, inside int) elementEnd {
	const far = 32
	for i := inside + 1; i < len(s.tags) && i <= inside+far; i++ {
		t := s.tags[i]
		if t.kind != html.EndTagToken {
			return elementEnd{t.start, -1}
		}
		name := t.name(s.text)
		if equalName(name, n.Data) {
			return elementEnd{t.end, i}
		}
		if closesAround(n, name) {
			return elementEnd{t.start, -1}
		}
	}
	if inside+1 < len(s.tags) {
		return elementEnd{s.tags[inside+1].start, -1}
	}
	return elementEnd{len(s.text), -1}
}

func closesAround(n *html.Node, name []byte) bool {
	const far = 16
	for up := 0; n.Parent != nil && up < far; up++ {
		n = n.Parent
		if n.Type == html.ElementNode && equalName(name, n.Data) {
			return true
		}
	}
	return false
}

// sourceOrder sorts attribute names of n by where they stand in its start tag.
func (s *Spans) sourceOrder(n *html.Node, names []string) {
	i, ok := s.tagNumber(n)
	if !ok {
		return
	}
	place := map[string]int{}
	for _, a := range attributesOf(s.text, s.tags[i]) {
		place[lower(string(s.text[a.name.Start:a.name.End]))] = a.name.Start
	}
	if slices.ContainsFunc(names, func(name string) bool { _, ok := place[name]; return !ok }) {
		return
	}
	slices.SortStableFunc(names, func(a, b string) int { return place[a] - place[b] })
}
