package memory

import "golang.org/x/net/html"

// anchor ties a fact of a Document to the node, and where attr is not empty to
// the attribute, it was read from. The zero anchor means the article.
type anchor struct {
	node *html.Node
	attr string
}

// tree is the parsed document with the nodes that are asked for often.
type tree struct {
	root, article, mark *html.Node
}
