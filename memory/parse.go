package memory

import (
	"golang.org/x/net/html"
)

// Parse reads one memory file. It is total: any bytes give a Document, what is
// wrong with them is in its Violations and Warnings. Its time is linear in the
// length of src, which the Document keeps and which must not be changed.
func Parse(src []byte) *Document {
	d := &Document{Source: src, tree: &tree{text: decode(src)}}
	root, err := d.tree.text.parse()
	if err != nil {
		// The one thing that x/net/html refuses is nesting beyond 512 elements.
		d.Violations = []Problem{{Code: "too-deep"}}
		return d
	}
	d.read(root)
	return d
}

// read fills the Document from its tree, in the order of format.md §3.
func (d *Document) read(root *html.Node) {
	s := surveyOf(root)
	d.tree.root, d.tree.head = root, s.head
	if len(s.articles) > 0 {
		d.tree.article = s.articles[0]
	}
	d.readArticle()
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
