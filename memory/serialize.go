package memory

import (
	"cmp"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// serializeArticle parses markup as the inside of an article and writes it
// again: attributes sorted by name, white space at both ends trimmed. It does so
// twice: what the first pass wrote can still be read otherwise than it was
// meant, as a form in a form or a carriage return can.
func serializeArticle(markup string) (string, error) {
	once, err := serializeFragment(markup)
	if err != nil {
		return "", err
	}
	return serializeFragment(once)
}

func serializeFragment(markup string) (string, error) {
	context := &html.Node{Type: html.ElementNode, Data: "article", DataAtom: atom.Article}
	nodes, err := html.ParseFragment(strings.NewReader(literalComments(markup)), context)
	if err != nil {
		return "", ErrArticle
	}
	var s serializer
	for _, n := range nodes {
		s.node(n)
	}
	if s.swallows {
		return "", ErrArticle
	}
	return trim(s.String()), nil
}

// literalComments is markup in whose comments the parser finds no character
// references: HTML has none there, while x/net/html decodes them.
func literalComments(markup string) string {
	if !strings.Contains(markup, "&") {
		return markup
	}
	var b strings.Builder
	z := html.NewTokenizer(strings.NewReader(markup))
	for kind := z.Next(); kind != html.ErrorToken; kind = z.Next() {
		raw := string(z.Raw())
		// What looks like a comment here is text within SVG and MathML.
		if kind == html.CommentToken && !strings.HasPrefix(raw, "<![CDATA[") {
			raw = strings.ReplaceAll(raw, "&", "&amp;")
		}
		b.WriteString(raw)
	}
	b.Write(z.Raw())
	return b.String()
}

// serializer writes nodes as the HTML standard's serialisation has it.
type serializer struct {
	strings.Builder
	// swallows says that an element was written that nothing can close.
	swallows bool
}

func (s *serializer) node(n *html.Node) {
	switch n.Type {
	case html.TextNode:
		if isRawText(n.Parent) {
			s.WriteString(n.Data)
		} else {
			s.WriteString(escapeText(n.Data))
		}
	case html.CommentNode:
		s.WriteString("<!--" + n.Data + "-->")
	case html.ElementNode:
		s.element(n)
	}
}

func (s *serializer) element(n *html.Node) {
	s.WriteString("<" + n.Data)
	attrs := slices.Clone(n.Attr)
	slices.SortStableFunc(attrs, func(a, b html.Attribute) int {
		return cmp.Compare(attrName(a), attrName(b))
	})
	for _, a := range attrs {
		s.WriteString(" " + attrName(a) + `="` + escapeAttr(a.Val) + `"`)
	}
	s.WriteString(">")
	if n.Namespace == "" && voidElements[n.Data] {
		return
	}
	if first := n.FirstChild; dropsNewline(n) && first != nil && strings.HasPrefix(first.Data, "\n") {
		s.WriteString("\n")
	}
	for c := range n.ChildNodes() {
		s.node(c)
	}
	s.swallows = s.swallows || n.DataAtom == atom.Plaintext
	s.WriteString("</" + n.Data + ">")
}

// attrName is an attribute's name with its namespace prefix.
func attrName(a html.Attribute) string {
	if a.Namespace != "" {
		return a.Namespace + ":" + a.Key
	}
	return a.Key
}

var voidElements = nameSet("area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr")

var rawTextElements = nameSet("iframe noembed noframes noscript plaintext script style xmp")

func nameSet(names string) map[string]bool {
	set := map[string]bool{}
	for name := range strings.FieldsSeq(names) {
		set[name] = true
	}
	return set
}

// isRawText reports whether the text of n is written as it is.
func isRawText(n *html.Node) bool {
	return n != nil && n.Namespace == "" && rawTextElements[n.Data]
}

// dropsNewline reports whether a parser drops a newline at the start of n, so
// that one more has to be written.
func dropsNewline(n *html.Node) bool {
	return n.Namespace == "" && (n.Data == "pre" || n.Data == "textarea" || n.Data == "listing")
}

var textEscaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\u00A0", "&nbsp;")

// escapeText is text as it stands between tags.
func escapeText(s string) string { return textEscaper.Replace(s) }
