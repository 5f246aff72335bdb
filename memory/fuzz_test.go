package memory

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// addDocuments seeds a fuzz target with the conformance documents and a few
// that are worse.
func addDocuments(f *testing.F) {
	f.Helper()
	paths, err := filepath.Glob(filepath.Join(conformanceDir(f), "documents", "*.html"))
	if err != nil || len(paths) == 0 {
		f.Fatal("no documents", err)
	}
	for _, path := range paths {
		src, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(src)
	}
	for _, src := range []string{
		"<p>a</p></p><p><b>x<p>y</b></p></br><br>",
		"<table><b>x<tr><td><a>y</table><a>z</a>",
		"<svg><style><a class=x></style><title><b></title><foreignObject><style><i></style></svg><![CDATA[<p>]]>",
		"<article><a b=1 a=2 A=3/>x<a b=1 a=2>y</a>\xff\x00<p\x00=\x00>",
		"<html a=1><body b=2><html c=3><body d=4 b=5><frameset>",
		"<template><td><tr></template><select><option><b></select><textarea>\r\n<p></textarea>",
	} {
		f.Add([]byte(src))
	}
}

// referenceText is the canonical text written down as format.md §4 says it,
// with no thought for speed.
func referenceText(root *html.Node) string {
	type segment struct {
		verbatim bool
		text     string
	}
	var segments []segment
	add := func(verbatim bool, text string) {
		if k := len(segments) - 1; k >= 0 && segments[k].verbatim == verbatim {
			segments[k].text += text
			return
		}
		segments = append(segments, segment{verbatim, text})
	}
	var visit func(n *html.Node, verbatim bool)
	visit = func(n *html.Node, verbatim bool) {
		if n.Type == html.TextNode {
			add(verbatim, n.Data)
		}
		block := n.Type == html.ElementNode && traits[atom.Lookup([]byte(n.Data))]&inline == 0
		if block {
			add(false, " ")
		}
		for c := n.FirstChild; c != nil && !isTemplate(n); c = c.NextSibling {
			visit(c, verbatim || n.Type == html.ElementNode && n.Data == "pre")
		}
		if block {
			add(false, " ")
		}
	}
	visit(root, false)
	var b strings.Builder
	for i, s := range segments {
		if !s.verbatim {
			s.text = collapseReference(s.text)
			if i == 0 {
				s.text = strings.TrimPrefix(s.text, " ")
			}
			if i == len(segments)-1 {
				s.text = strings.TrimSuffix(s.text, " ")
			}
		}
		b.WriteString(s.text)
	}
	return b.String()
}

func collapseReference(s string) string {
	var b strings.Builder
	for _, r := range s {
		if !strings.ContainsRune(" \t\n\f\r", r) {
			b.WriteRune(r)
		} else if !strings.HasSuffix(b.String(), " ") {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

func FuzzParse(f *testing.F) {
	addDocuments(f)
	f.Fuzz(func(t *testing.T, src []byte) {
		kept := bytes.Clone(src)
		d := Parse(src)
		if !bytes.Equal(src, kept) {
			t.Fatal("Parse changed its source")
		}
		if d.tree.root == nil {
			checkTooDeep(t, d)
			return
		}
		checkTexts(t, d)
		if d.Accepted() && (d.Title == "" || d.Gist == "" || d.Metas.Type == "" || !ValidDate(d.Metas.Created)) {
			t.Errorf("accepted with title %q, gist %q, type %q, created %q", d.Title, d.Gist, d.Metas.Type, d.Metas.Created)
		}
		if withBOM := Parse(append([]byte(bom), src...)); !bytes.HasPrefix(src, []byte(bom)) && withBOM.ContentHash != d.ContentHash {
			t.Errorf("a BOM changes the hash of %q", src)
		}
	})
}

func checkTexts(t *testing.T, d *Document) {
	t.Helper()
	root := d.tree.article
	if root == nil {
		root = d.tree.root
	}
	want := referenceText(root)
	if !utf8.ValidString(d.Canonical) {
		t.Errorf("Canonical is not UTF-8: %q", d.Canonical)
	}
	if diff := cmp.Diff(want, d.Canonical); diff != "" {
		t.Errorf("Canonical (-reference +got):\n%s", diff)
	}
	if d.ContentHash != hashOf(want) {
		t.Errorf("ContentHash is not that of %q", want)
	}
	if d.tree.article == nil {
		return
	}
	text := func(n *html.Node) string { return trim(collapseReference(referenceText(n))) }
	if got := text(root); got != d.BodyText {
		t.Errorf("BodyText = %q, want %q", d.BodyText, got)
	}
	var asides []string
	walk(root, func(n *html.Node) {
		if n.Type == html.ElementNode && n.Data == "aside" && text(n) != "" {
			asides = append(asides, text(n))
		}
	}, func(*html.Node) {})
	if !slices.Equal(asides, d.Asides) {
		t.Errorf("Asides = %q, want %q", d.Asides, asides)
	}
}

func FuzzSpans(f *testing.F) {
	addDocuments(f)
	f.Fuzz(func(t *testing.T, src []byte) {
		d := Parse(src)
		s := d.Spans()
		inside := func(what string, r Span) {
			if r.Start < 0 || r.Start > r.End || r.End > len(src) {
				t.Errorf("%s = %v in a file of %d", what, r, len(src))
			}
		}
		for _, p := range slices.Concat(d.Violations, d.Warnings, d.Dropped) {
			inside(p.Code, s.Problem(p))
		}
		for _, l := range d.Links {
			inside("link", s.Link(l))
		}
		inside("claim", s.Claim())
		for i, n := range s.nodes {
			if n != nil {
				checkStartTag(t, d, i, n)
			}
		}
		for _, e := range s.Elements() {
			inside(e.Name, e.Span)
			inside(e.Name, e.Content)
			inside(e.Name, e.StartTag)
			if e.StartTag.Start != e.Span.Start || e.StartTag.End > e.Content.Start || e.Content.End > e.Span.End {
				t.Errorf("%s: %v, start tag %v, content %v", e.Name, e.Span, e.StartTag, e.Content)
			}
		}
		if d.tree.root != nil {
			checkBinders(t, d)
		}
	})
}

// checkStartTag reads a start tag again: it must be the element's, and its
// attributes where they are said to be.
func checkStartTag(t *testing.T, d *Document, i int, n *html.Node) {
	t.Helper()
	s := d.Spans()
	tag := string(decode(d.Source[s.startTag(i).Start:s.startTag(i).End]).text)
	z := html.NewTokenizer(strings.NewReader(tag))
	z.Next()
	token := z.Token()
	if len(z.Raw()) != len(tag) || !strings.EqualFold(token.Data, n.Data) {
		t.Fatalf("start tag of %s is %q", n.Data, tag)
	}
	attributes := attributesOf(s.text, s.tags[i])
	if len(attributes) != len(token.Attr) {
		t.Fatalf("%q has %d attributes, found %d", tag, len(token.Attr), len(attributes))
	}
	for k, a := range attributes {
		whole := s.span(a.whole)
		// Decoded with what stands around it: U+FEFF is a byte order mark at the start
		// of a text, and the name of an attribute here.
		alone := slices.Concat([]byte("<x "), d.Source[whole.Start:whole.End], []byte(">"))
		z := html.NewTokenizer(bytes.NewReader(decode(alone).text))
		z.Next()
		if again := z.Token().Attr; len(again) != 1 || again[0] != token.Attr[k] {
			t.Errorf("attribute %v of %q re-reads as %v", token.Attr[k], tag, again)
		}
		if held, ok := attribute(n, token.Attr[k].Key); n.Namespace == "" && (!ok || held != token.Attr[k].Val) {
			t.Errorf("attribute %v of %q is %q in the tree", token.Attr[k], tag, held)
		}
	}
}

// checkBinders: where both ways of tying tags to elements tie, they agree.
func checkBinders(t *testing.T, d *Document) {
	t.Helper()
	text, root := d.tree.text.text, d.tree.root
	inOrder, ok := bindInOrder(text, root)
	if !ok {
		return
	}
	byNumber := bindByNumber(text, root)
	for n, i := range byNumber.tagOf {
		if j, ok := inOrder.tagOf[n]; ok && inOrder.tags[j] != byNumber.tags[i] {
			t.Errorf("<%s> is tied to %v by order, to %v by number", n.Data, inOrder.tags[j], byNumber.tags[i])
		}
	}
}
