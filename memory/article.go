package memory

import (
	"crypto/sha256"
	"slices"

	"golang.org/x/net/html"
)

// excerpt is an element whose text the Document gives out: a slice of the flat
// text of the article, so that nested ones cost nothing.
type excerpt struct {
	node       *html.Node
	start, end int
	// list is, for a <dt> or <dd>, the number of its <dl> in document order;
	// number the first finite <data value> in a <dd>.
	list   int
	number *float64
}

// articleReader walks the article once.
type articleReader struct {
	doc      *Document
	text     textWriter
	excerpts []excerpt
	// open are the excerpts that are not yet left, innermost last; unnumbered
	// those of them that are a <dd> without a number.
	open, unnumbered []int
	// lists are the open <dl>, by their number in document order.
	lists     []int
	listCount int
	times     int
}

// readArticle reads the article or, without one, the whole document, of which
// it takes the canonical text only.
func (d *Document) readArticle(room *Room) {
	root := d.tree.article
	if root == nil {
		var w textWriter
		walk(d.tree.root, w.enter, w.leave)
		d.setText(&w)
		return
	}
	r := articleReader{doc: d, text: textWriter{flat: room.flat[:0]}}
	walk(root, r.enter, r.leave)
	d.setText(&r.text)
	room.flat = r.text.flat
	flat := string(r.text.flat)
	d.BodyText = trim(flat)
	r.handOut(flat)
	r.facets(flat)
	if mark := d.tree.mark(); mark != nil {
		d.Gist = gistOf(mark)
	}
}

func (d *Document) setText(w *textWriter) {
	text := w.canonicalText()
	d.Canonical, d.ContentHash = string(text), sha256.Sum256(text)
	d.HasPre = d.HasPre || w.canonical != nil
	if d.HasPre {
		return
	}
	d.NormalHash = d.ContentHash
	if !isPlain(d.Canonical) {
		d.NormalHash = hashOf(normalText(d.Canonical))
	}
}

func (r *articleReader) enter(n *html.Node) {
	if n.Type == html.ElementNode {
		r.note(n)
	}
	r.text.enter(n)
}

func (r *articleReader) leave(n *html.Node) {
	r.text.leave(n)
	if n.Type != html.ElementNode {
		return
	}
	if n.Data == "dl" {
		r.lists = r.lists[:len(r.lists)-1]
	}
	last := len(r.open) - 1
	if last < 0 || r.excerpts[r.open[last]].node != n {
		return
	}
	i := r.open[last]
	r.excerpts[i].end = len(r.text.flat)
	r.open = r.open[:last]
	if k := len(r.unnumbered); k > 0 && r.unnumbered[k-1] == i {
		r.unnumbered = r.unnumbered[:k-1]
	}
}

func (r *articleReader) note(n *html.Node) {
	d := r.doc
	switch n.Data {
	case "pre":
		d.HasPre = true
	case "mark":
		d.tree.marks = append(d.tree.marks, n)
	case "p", "li":
		if d.tree.lead == nil {
			d.tree.lead = n
		}
	case "time":
		if r.times++; r.times == 1 {
			d.EventAt, _ = attribute(n, "datetime")
		}
	case "dl":
		r.lists = append(r.lists, r.listCount)
		r.listCount++
	case "dt", "dd":
		if n.Parent.Type == html.ElementNode && n.Parent.Data == "dl" && len(r.lists) > 0 {
			r.begin(excerpt{node: n, list: r.lists[len(r.lists)-1]})
		}
	case "cite", "q", "dfn", "summary", "aside", "figcaption":
		r.begin(excerpt{node: n})
	case "data":
		r.number(n)
	case "code":
		d.CodeLangs = appendTrimmed(d.CodeLangs, n, "data-lang", lower)
	case "abbr":
		d.Abbreviations = appendTrimmed(d.Abbreviations, n, "title", nil)
	}
}

func (r *articleReader) begin(e excerpt) {
	e.start = len(r.text.flat)
	i := len(r.excerpts)
	r.excerpts = append(r.excerpts, e)
	r.open = append(r.open, i)
	if e.node.Data == "dd" {
		r.unnumbered = append(r.unnumbered, i)
	}
}

// number gives the value of a <data> to every open <dd> that has none yet.
func (r *articleReader) number(n *html.Node) {
	raw, ok := attribute(n, "value")
	if !ok || len(r.unnumbered) == 0 {
		return
	}
	if value, ok := number(raw); ok {
		for _, i := range r.unnumbered {
			r.excerpts[i].number = &value
		}
		r.unnumbered = r.unnumbered[:0]
	}
}

func appendTrimmed(list []string, n *html.Node, name string, change func(string) string) []string {
	value, _ := attribute(n, name)
	if value = trim(value); value == "" {
		return list
	}
	if change != nil {
		value = change(value)
	}
	return append(list, value)
}

func (e *excerpt) in(flat string) string { return trim(flat[e.start:e.end]) }

// handOut gives the texts that are not facets to the Document.
func (r *articleReader) handOut(flat string) {
	for i := range r.excerpts {
		e := &r.excerpts[i]
		text := e.in(flat)
		if text == "" {
			continue
		}
		switch d := r.doc; e.node.Data {
		case "cite", "q":
			d.Citations = append(d.Citations, citation(e.node, text))
		case "dfn":
			d.DefinedTerms = append(d.DefinedTerms, text)
		case "summary":
			d.Summaries = append(d.Summaries, text)
		case "aside":
			d.Asides = append(d.Asides, text)
		case "figcaption":
			d.Captions = append(d.Captions, text)
		}
	}
}

func citation(n *html.Node, text string) Citation {
	c := Citation{Text: text}
	if href, ok := attribute(n, "cite"); ok && n.Data == "q" {
		c.Href = &href
	}
	return c
}

// facets pairs each <dd> with the latest <dt> of the same list, list by list.
func (r *articleReader) facets(flat string) {
	pairs := slices.DeleteFunc(r.excerpts, func(e excerpt) bool { return e.node.Data != "dt" && e.node.Data != "dd" })
	slices.SortStableFunc(pairs, func(a, b excerpt) int { return a.list - b.list })
	term, list := "", -1
	for i := range pairs {
		e := &pairs[i]
		switch {
		case e.node.Data == "dt":
			term, list = e.in(flat), e.list
		case list == e.list:
			r.doc.Facets = append(r.doc.Facets, Facet{Term: term, Text: e.in(flat), Number: e.number})
		}
	}
}
