package memory

import (
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// survey is what one walk over the whole document notes for the constraints.
type survey struct {
	head                    *html.Node
	titles, articles, times []*html.Node
	// metas and links are those of the head.
	metas, links []*html.Node
	// banned are the elements that are forbidden or have a forbidden attribute.
	banned   []*html.Node
	warnings []Problem

	inHead  bool
	figures int
	seen    map[Problem]struct{}
}

func surveyOf(root *html.Node) *survey {
	s := &survey{}
	walk(root, s.enter, s.leave)
	return s
}

func (s *survey) enter(n *html.Node) {
	if n.Type != html.ElementNode {
		return
	}
	t := traits[n.DataAtom]
	s.note(n)
	if t&banned != 0 || hasBannedAttribute(n) {
		s.banned = append(s.banned, n)
	}
	s.warnOf(n, t)
	if n.Data == "figure" {
		s.figures++
	}
}

func (s *survey) leave(n *html.Node) {
	switch {
	case n == s.head:
		s.inHead = false
	case n.Type == html.ElementNode && n.Data == "figure":
		s.figures--
	}
}

func (s *survey) note(n *html.Node) {
	switch n.DataAtom {
	case atom.Head:
		if s.head == nil {
			s.head, s.inHead = n, true
		}
	case atom.Title:
		s.titles = append(s.titles, n)
	case atom.Article:
		s.articles = append(s.articles, n)
	case atom.Time:
		s.times = append(s.times, n)
	case atom.Meta:
		if s.inHead {
			s.metas = append(s.metas, n)
		}
	case atom.Link:
		if s.inHead {
			s.links = append(s.links, n)
		}
	}
}

// warnOf notes what the vocabulary says about an element, once a name, and
// about its data-lang, once a value.
func (s *survey) warnOf(n *html.Node, t trait) {
	if lang, ok := attribute(n, "data-lang"); ok && !isLanguage(lang) {
		s.warn(n, Problem{Code: "lang-token", Subject: "data-lang", Value: lang}, "data-lang")
	}
	switch {
	case t&figured != 0 && s.figures == 0:
		s.warn(n, Problem{Code: "element-scope", Subject: n.Data}, "")
	case t&(figured|known) == 0:
		s.warn(n, Problem{Code: "element-unknown", Subject: n.Data}, "")
	}
}

func (s *survey) warn(n *html.Node, p Problem, attr string) {
	if _, ok := s.seen[p]; ok {
		return
	}
	if s.seen == nil {
		s.seen = map[Problem]struct{}{}
	}
	s.seen[p] = struct{}{}
	p.at = anchor{n, attr}
	s.warnings = append(s.warnings, p)
}
