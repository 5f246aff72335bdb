package memory

import (
	"sync"

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
	// root is nil when the file is nested too deep to have a tree. article is
	// the first one; marks and lead, its first <p> or <li>, are those in it.
	root, head, article, lead *html.Node
	marks                     []*html.Node
	text                      decoded

	once  sync.Once
	spans *Spans
}

// mark is the element that states the claim, nil when there is none.
func (t *tree) mark() *html.Node {
	if len(t.marks) == 0 {
		return nil
	}
	return t.marks[0]
}

// walk visits the nodes below and including root in document order, entering
// each before its children and leaving it after. The content of a <template>
// is not part of the document and is not visited. It needs no stack, so depth
// costs nothing.
func walk(root *html.Node, enter, leave func(*html.Node)) {
	walkInto(root, func(n *html.Node) bool { return !isTemplate(n) }, enter, leave)
}

// walkInto is walk with a choice of the nodes whose children are visited.
func walkInto(root *html.Node, into func(*html.Node) bool, enter, leave func(*html.Node)) {
	n := root
	for {
		enter(n)
		if n.FirstChild != nil && into(n) {
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
