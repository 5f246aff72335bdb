package memory

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// titleText is the text of the document's first <title>.
func titleText(titles []*html.Node) string {
	if len(titles) == 0 {
		return ""
	}
	return textOf(titles[0])
}

func (d *Document) checkTitle(titles []*html.Node) {
	switch {
	case len(titles) == 0:
		d.violate(Problem{Code: "title-count", Subject: "title", at: anchor{node: d.tree.head}})
	case len(titles) > 1:
		d.violate(Problem{Code: "title-count", Subject: "title", Count: len(titles), at: anchor{node: titles[1]}})
	case trim(directText(titles[0])) == "":
		d.violate(Problem{Code: "title-empty", Subject: "title", at: anchor{node: titles[0]}})
	}
}

// directText is the text of the text nodes directly below n.
func directText(n *html.Node) string {
	var b strings.Builder
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.TextNode {
			b.WriteString(c.Data)
		}
	}
	return b.String()
}

func (d *Document) checkArticle(articles []*html.Node) {
	if len(articles) == 1 {
		d.checkMark()
		return
	}
	p := Problem{Code: "article-count", Subject: "article", Count: len(articles)}
	if len(articles) > 1 {
		p.at.node = articles[1]
	}
	d.violate(p)
}

// checkMark judges the claim. Being folded away is said instead of being out
// of place, since it is the same mistake; being empty is said in addition.
func (d *Document) checkMark() {
	marks, lead := d.tree.marks, d.tree.lead
	if len(marks) != 1 {
		p := Problem{Code: "mark-count", Subject: "mark", Count: len(marks)}
		if len(marks) > 1 {
			p.at.node = marks[1]
		}
		d.violate(p)
		return
	}
	at := anchor{node: marks[0]}
	if d.Gist == "" {
		d.violate(Problem{Code: "mark-empty", Subject: "mark", at: at})
	}
	folded := false
	for _, name := range []string{"aside", "details"} {
		if underElement(marks[0], name) {
			folded = true
			d.violate(Problem{Code: "mark-folded", Subject: name, at: at})
		}
	}
	switch {
	case folded:
	case lead == nil:
		d.violate(Problem{Code: "mark-position", Subject: "", at: at})
	case !within(marks[0], lead):
		d.violate(Problem{Code: "mark-position", Subject: lead.Data, at: at})
	}
}

func (d *Document) checkTimes(times []*html.Node) {
	for _, n := range times {
		if value, ok := attribute(n, "datetime"); !ok || !ValidDate(value) {
			d.violate(Problem{Code: "time-datetime", Subject: "time", Value: value, at: anchor{n, "datetime"}})
		}
	}
}

func (d *Document) checkBanned(elements []*html.Node) {
	for _, n := range elements {
		if traits[n.DataAtom]&banned != 0 {
			d.violate(Problem{Code: "forbidden-element", Subject: n.Data, at: anchor{node: n}})
		}
		for _, a := range d.bannedAttributes(n) {
			d.violate(Problem{Code: bannedAttributeCode(a), Subject: lower(a), Element: n.Data, at: anchor{n, a}})
		}
	}
}

func hasBannedAttribute(n *html.Node) bool {
	for i := range n.Attr {
		if bannedAttributeCode(n.Attr[i].Key) != "" {
			return true
		}
	}
	return false
}

// bannedAttributes are the names of n's forbidden attributes in source order,
// which x/net/html loses for formatting elements: it sorts their attributes.
func (d *Document) bannedAttributes(n *html.Node) []string {
	var names []string
	for _, a := range n.Attr {
		if bannedAttributeCode(a.Key) != "" {
			names = append(names, a.Key)
		}
	}
	if len(names) > 1 && slices.IsSortedFunc(n.Attr, byKey) {
		d.Spans().sourceOrder(n, names)
	}
	return names
}

func byKey(a, b html.Attribute) int { return strings.Compare(a.Key, b.Key) }

// bannedAttributeCode is the code of the violation that an attribute is, "" for
// an attribute that is allowed.
func bannedAttributeCode(name string) string {
	switch {
	case name == "class", name == "style":
		return "forbidden-attribute"
	case len(name) > len("on") && strings.HasPrefix(name, "on"):
		return "event-handler"
	}
	return ""
}

// readLinks reads and judges the memory links of the head.
func (d *Document) readLinks(links []*html.Node) {
	for _, n := range links {
		rel, _ := attribute(n, "rel")
		if !strings.HasPrefix(rel, metaPrefix) {
			continue
		}
		href, hasHref := attribute(n, "href")
		name := relOf(rel)
		if name == "" {
			d.violate(Problem{Code: "link-rel", Subject: rel, at: anchor{n, "rel"}})
		} else if hasHref {
			d.Links = append(d.Links, Link{Rel: name, Href: href, at: anchor{n, "href"}})
		}
		if !ValidHref(href) {
			d.violate(Problem{Code: "link-href", Subject: rel, Value: href, at: anchor{n, "href"}})
		}
	}
}
