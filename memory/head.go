package memory

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// headTag is one memhtml meta or link of a head, with the bytes of its tag.
type headTag struct {
	span Span
	// link tells a link from a meta. key is the meta's name or the link's rel as
	// written, value the content or the href.
	link       bool
	key, value string
}

// head is what the head of a file holds, as far as an edit needs to know it.
type head struct {
	tags []headTag
	// start is the first byte behind the BOM, end the first that belongs to the
	// body or the end of the file.
	start, end int
	// close is where </head> starts, -1 without one. last is the end of the
	// last thing that makes a head (doctype, html or head tag, or an element that
	// is closed), -1 when nothing does.
	close, last int
	// comments maps the start of each whole comment to its end.
	comments map[int]int
}

// headScanner follows the HTML standard's insertion modes as far as the first
// byte that belongs to the body.
type headScanner struct {
	head
	z *html.Tokenizer
	// raw is the open raw-text element, template how deep templates are nested:
	// what is inside either is no part of the head.
	raw      string
	template int
}

// scanHead reads the head of src; the cost is that of the head alone.
func scanHead(src []byte) head {
	s := headScanner{head: head{end: len(src), close: -1, last: -1, comments: map[int]int{}}}
	if bytes.HasPrefix(src, []byte(bom)) {
		s.start = len(bom)
	}
	s.z = html.NewTokenizer(bytes.NewReader(src[s.start:]))
	at := s.start
	for kind := s.z.Next(); kind != html.ErrorToken; kind = s.z.Next() {
		span := Span{at, at + len(s.z.Raw())}
		if !s.step(kind, span) {
			s.end = span.End - len(bytes.TrimLeft(src[span.Start:span.End], htmlSpace))
			break
		}
		at = span.End
	}
	return s.head
}

// step takes one token; false means that the body has begun.
func (s *headScanner) step(kind html.TokenType, span Span) bool {
	switch kind {
	case html.StartTagToken, html.SelfClosingTagToken:
		return s.startTag(span)
	case html.EndTagToken:
		return s.endTag(span)
	case html.TextToken:
		return s.raw != "" || s.template > 0 || blank(s.z.Text())
	case html.CommentToken:
		s.comments[span.Start] = span.End
	case html.DoctypeToken:
		if s.template == 0 {
			s.last = span.End
		}
	}
	return true
}

func (s *headScanner) startTag(span Span) bool {
	name, hasAttr := s.z.TagName()
	switch tag := atom.Lookup(name); {
	case s.template > 0:
		if tag == atom.Template {
			s.template++
		}
		return true
	case tag == atom.Html, tag == atom.Head:
	case tag == atom.Base, tag == atom.Basefont, tag == atom.Bgsound:
	case tag == atom.Meta:
		s.add(span, hasAttr, "name", "content")
	case tag == atom.Link:
		s.add(span, hasAttr, "rel", "href")
	case tag == atom.Title, tag == atom.Script, tag == atom.Style, tag == atom.Noframes,
		tag == atom.Noscript && s.close < 0:
		s.raw = tag.String()
		return true
	case tag == atom.Template:
		s.template++
		return true
	default:
		return false
	}
	s.last = span.End
	return true
}

func (s *headScanner) endTag(span Span) bool {
	name, _ := s.z.TagName()
	switch tag := atom.Lookup(name); {
	case s.raw != "":
		s.raw, s.last = "", span.End
	case s.template > 0:
		if tag == atom.Template {
			s.template--
		}
		if s.template == 0 {
			s.last = span.End
		}
	case tag == atom.Head && s.close < 0:
		s.close = span.Start
	case tag == atom.Body, tag == atom.Html, tag == atom.Br:
		return false
	}
	return true
}

// add keeps a meta or link that the format owns. Of an attribute written twice
// the first counts, as the standard has it.
func (s *headScanner) add(span Span, hasAttr bool, keyAttr, valueAttr string) {
	found := map[string]string{}
	for hasAttr {
		var name, value []byte
		name, value, hasAttr = s.z.TagAttr()
		if _, twice := found[string(name)]; !twice {
			found[string(name)] = attrValue(value)
		}
	}
	if strings.HasPrefix(found[keyAttr], metaPrefix) {
		s.tags = append(s.tags, headTag{span, keyAttr == "rel", found[keyAttr], found[valueAttr]})
	}
}

// attrValue is the value of an attribute as [Parse] reads it.
func attrValue(raw []byte) string {
	d := decoded{text: raw}
	if !utf8.Valid(raw) {
		d.replaceIllFormed(0)
	}
	return strings.ReplaceAll(string(d.text), "\x00", "\uFFFD")
}

const htmlSpace = " \t\r\n\f"

// blank reports whether text is white space as HTML has it.
func blank(text []byte) bool { return len(bytes.Trim(text, htmlSpace)) == 0 }
