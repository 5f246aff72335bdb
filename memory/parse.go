package memory

import (
	"golang.org/x/net/html"
)

// Parse reads one memory file. It is total: any bytes give a Document, what is
// wrong with them is in its Violations and Warnings. Its time is linear in the
// length of src, which the Document keeps and which must not be changed.
func Parse(src []byte) *Document { return ParseIn(&Room{}, src) }

// Room is the memory for the trees of documents that are parsed one after the
// other and forgotten, which is most of what a parse costs in memory. The zero
// Room is ready; only one goroutine at a time may use it.
type Room struct {
	nodes []html.Node
	attrs []html.Attribute
	open  []*html.Node
	flat  []byte
}

// ParseIn is [Parse] for a document that is done with before the room is used
// again: of an older one nothing but its strings may be read.
func ParseIn(room *Room, src []byte) *Document {
	d := &Document{Source: src, tree: &tree{text: decode(src)}}
	root, err := d.tree.text.parse(room)
	if err != nil {
		// The one thing that x/net/html refuses is nesting beyond 512 elements.
		d.Violations = []Problem{{Code: "too-deep"}}
		return d
	}
	d.read(root, room)
	return d
}

// read fills the Document from its tree, in the order of format.md §3.
func (d *Document) read(root *html.Node, room *Room) {
	s := surveyOf(root)
	d.tree.root, d.tree.head = root, s.head
	if len(s.articles) > 0 {
		d.tree.article = s.articles[0]
	}
	d.readArticle(room)
	d.Title = titleText(s.titles)
	metas := d.readMetas(s.metas)
	d.checkTitle(s.titles)
	d.checkMetaNames(metas)
	d.checkArticle(s.articles)
	d.checkTimes(s.times)
	d.checkBanned(s.banned)
	d.readLinks(s.links)
	d.checkMetaValues(metas)
	d.Warnings = s.warnings
}

func (d *Document) violate(p Problem) { d.Violations = append(d.Violations, p) }
