package memory

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// anchor ties a fact of a Document to the node, and where attr is not empty to
// the attribute, it was read from. The zero anchor means the article.
type anchor struct {
	node *html.Node
	attr string
}

// tree is the parsed document with the nodes that are asked for often.
type tree struct {
	// root is nil when the file is nested too deep to have a tree.
	root, head, article, mark *html.Node
	text                      decoded
}

// walk visits the nodes below and including root in document order, entering
// each before its children and leaving it after. The content of a <template>
// is not part of the document and is not visited. It needs no stack, so depth
// costs nothing.
func walk(root *html.Node, enter, leave func(*html.Node)) {
	n := root
	for {
		enter(n)
		if n.FirstChild != nil && !isTemplate(n) {
			n = n.FirstChild
			continue
		}
		for leave(n); n != root && n.NextSibling == nil; leave(n) {
			n = n.Parent
		}
		if n == root {
			return
		}
		n = n.NextSibling
	}
}

func isTemplate(n *html.Node) bool {
	return n.DataAtom == atom.Template && n.Namespace == ""
}

// attribute returns the value of the first attribute of that local name.
func attribute(n *html.Node, name string) (value string, ok bool) {
	for i := range n.Attr {
		if n.Attr[i].Key == name {
			return n.Attr[i].Val, true
		}
	}
	return "", false
}

// within reports whether n is ancestor or lies below it.
func within(n, ancestor *html.Node) bool {
	for ; n != nil; n = n.Parent {
		if n == ancestor {
			return true
		}
	}
	return false
}

// underElement reports whether an element of that name holds n.
func underElement(n *html.Node, name string) bool {
	for n = n.Parent; n != nil; n = n.Parent {
		if n.Type == html.ElementNode && n.Data == name {
			return true
		}
	}
	return false
}

// replaceNUL does for names and attribute values what the HTML standard does
// and x/net/html does not: a NUL is U+FFFD.
func replaceNUL(root *html.Node) {
	fix := func(s string) string { return strings.ReplaceAll(s, "\x00", "\uFFFD") }
	walk(root, func(n *html.Node) {
		if n.Type != html.ElementNode {
			return
		}
		n.Data = fix(n.Data)
		for i := range n.Attr {
			n.Attr[i].Key, n.Attr[i].Val = fix(n.Attr[i].Key), fix(n.Attr[i].Val)
		}
	}, func(*html.Node) {})
}
