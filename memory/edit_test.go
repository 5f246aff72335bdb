package memory

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"
)

// headEditCase is one call of a head edit.
type headEditCase struct{ Op, Name, Value, Rel, Href string }

func (c headEditCase) apply(src []byte) ([]byte, error) {
	switch c.Op {
	case "setMeta":
		return SetMeta(src, c.Name, c.Value)
	case "addMeta":
		return AddMeta(src, c.Name, c.Value)
	case "removeMeta":
		return RemoveMeta(src, c.Name)
	case "addLink":
		return AddLink(src, c.Rel, c.Href)
	case "removeLink":
		return RemoveLink(src, c.Rel, c.Href)
	}
	panic("no such edit: " + c.Op)
}

type editRow struct {
	headEditCase
	HTML         string
	SourceDefect string `json:"source_defect"`
	Refused      bool
	Expect       struct {
		HTML               *string
		Changed, Effective *bool
	}
}

func TestEditRows(t *testing.T) {
	eachRow(t, "edits.jsonl", func(t *testing.T, row editRow) {
		src := []byte(row.HTML)
		got, err := row.apply(src)
		switch {
		case row.Refused:
			if err == nil && !bytes.Equal(got, src) {
				t.Errorf("refused edit changed the file:\n%s", got)
			}
			return
		case err != nil:
			t.Fatal(err)
		case row.SourceDefect == "" && row.Expect.HTML != nil:
			if diff := cmp.Diff(*row.Expect.HTML, string(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		}
		checkEdit(t, row.headEditCase, src, got)
	})
}

// checkEdit holds an edit to everything that format.md §6 promises of all edits.
func checkEdit(t *testing.T, c headEditCase, src, got []byte) {
	t.Helper()
	old := tagsInTree(t, src)
	if diff := cmp.Diff(c.expected(old), tagsInTree(t, got), cmp.AllowUnexported(treeTag{})); diff != "" {
		t.Errorf("%+v reads back otherwise (-want +got):\n%s", c, diff)
	}
	if again, err := c.apply(got); err != nil || !bytes.Equal(again, got) {
		t.Errorf("a second %+v changes the file (%v):\n%q\n%q", c, err, got, again)
	}
	if bytes.HasPrefix(src, []byte(bom)) != bytes.HasPrefix(got, []byte(bom)) {
		t.Error("the BOM is not kept")
	}
	checkLineEndings(t, src, got)
	checkOthersKept(t, src, got)
}

// treeTag is a memhtml meta or link as the tree has it.
type treeTag struct{ element, key, value string }

// tagsInTree reads the head through the tree, independent of the scanner.
func tagsInTree(t *testing.T, src []byte) (tags []treeTag) {
	t.Helper()
	doc, err := html.Parse(bytes.NewReader(bytes.TrimPrefix(src, []byte(bom))))
	if err != nil {
		t.Fatal(err)
	}
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode || n.Data != "meta" && n.Data != "link" || n.Parent.Data != "head" {
			continue
		}
		tag := treeTag{element: n.Data}
		for _, a := range slices.Backward(n.Attr) {
			switch a.Key {
			case "name", "rel":
				if (a.Key == "rel") == (n.Data == "link") {
					tag.key = a.Val
				}
			case "content", "href":
				if (a.Key == "href") == (n.Data == "link") {
					tag.value = a.Val
				}
			}
		}
		if strings.HasPrefix(tag.key, "memhtml-") {
			tags = append(tags, tag)
		}
	}
	return tags
}

// expected is what the head must hold after the edit, by the words of
// format.md §6.
func (c headEditCase) expected(old []treeTag) (tags []treeTag) {
	rel := "memhtml-" + strings.ReplaceAll(c.Rel, "_", "-")
	tags = slices.Clone(old)
	switch _, known := metaRank(c.Name); {
	case c.Op == "removeMeta":
		return slices.DeleteFunc(tags, func(t treeTag) bool { return t.element == "meta" && t.key == c.Name })
	case c.Op == "removeLink":
		return slices.DeleteFunc(tags, func(t treeTag) bool {
			return t.element == "link" && strings.ReplaceAll(t.key, "_", "-") == rel && (c.Href == "" || t.value == c.Href)
		})
	case c.Op == "addLink":
		return c.expectedLink(tags, treeTag{"link", rel, c.Href})
	case !known:
		return tags
	}
	return c.expectedMeta(tags, treeTag{"meta", c.Name, c.Value})
}

func (c headEditCase) expectedLink(tags []treeTag, tag treeTag) []treeTag {
	same := func(t treeTag) bool {
		return t.element == "link" && strings.ReplaceAll(t.key, "_", "-") == tag.key && t.value == tag.value
	}
	if !knownRel(c.Rel) || slices.ContainsFunc(tags, same) {
		return tags
	}
	return insertBehind(tags, tag, func(t treeTag) bool { return t.element == "link" })
}

func (c headEditCase) expectedMeta(tags []treeTag, tag treeTag) []treeTag {
	named := func(t treeTag) bool { return t.element == "meta" && t.key == tag.key }
	first := slices.IndexFunc(tags, named)
	switch {
	case c.Op == "setMeta" && first >= 0:
		tags[first] = tag
		return tags
	case slices.Contains(tags, tag):
		return tags
	case first >= 0:
		return insertBehind(tags, tag, named)
	}
	rank, _ := metaRank(tag.key)
	later := slices.IndexFunc(tags, func(t treeTag) bool {
		r, _ := metaRank(t.key)
		return t.element == "meta" && r > rank
	})
	if later >= 0 {
		return slices.Insert(tags, later, tag)
	}
	return insertBehind(tags, tag, func(t treeTag) bool { return t.element == "meta" })
}

// insertBehind inserts tag behind the last that matches; without one, behind all
// that </head> could follow, which the cases here do not tell apart.
func insertBehind(tags []treeTag, tag treeTag, match func(treeTag) bool) []treeTag {
	for i, t := range slices.Backward(tags) {
		if match(t) {
			return slices.Insert(tags, i+1, tag)
		}
	}
	return append(tags, tag)
}

// checkLineEndings demands that an edit brings in no line ending that a file
// with lines does not have.
func checkLineEndings(t *testing.T, src, got []byte) {
	t.Helper()
	kinds := func(b []byte) (crlf, lf, cr bool) {
		rest := bytes.ReplaceAll(b, []byte("\r\n"), nil)
		return len(rest) < len(b), bytes.Contains(rest, []byte("\n")), bytes.Contains(rest, []byte("\r"))
	}
	crlf, lf, cr := kinds(src)
	crlf2, lf2, cr2 := kinds(got)
	if (crlf || lf || cr) && (crlf2 && !crlf || lf2 && !lf || cr2 && !cr) {
		t.Errorf("the line ending is not kept:\n%q\n%q", src, got)
	}
}

// checkOthersKept demands that all tags other than memhtml metas and links, all
// comments, and everything from the body on are kept byte for byte.
func checkOthersKept(t *testing.T, src, got []byte) {
	t.Helper()
	if diff := cmp.Diff(otherTokens(src), otherTokens(got)); diff != "" {
		t.Errorf("other parts of the file changed (-before +after):\n%s", diff)
	}
	if a, b := bytes.Index(src, []byte("<article")), bytes.Index(got, []byte("<article")); a >= 0 &&
		!bytes.Equal(src[a:], got[max(b, 0):]) {
		t.Error("the article's bytes moved")
	}
}

// otherTokens are the raw tokens of a file other than white space and memhtml
// metas and links.
func otherTokens(src []byte) (tokens []string) {
	z := html.NewTokenizer(bytes.NewReader(src))
	for z.Next() != html.ErrorToken {
		raw := string(z.Raw())
		ours := bytes.HasPrefix(bytes.ToLower([]byte(raw)), []byte("<meta")) || bytes.HasPrefix(bytes.ToLower([]byte(raw)), []byte("<link"))
		if strings.TrimSpace(raw) != "" && !(ours && strings.Contains(raw, "memhtml-")) {
			tokens = append(tokens, strings.TrimSpace(raw))
		}
	}
	return tokens
}

func TestEditRefusesWhatCannotBeWritten(t *testing.T) {
	src := []byte("<!doctype html>\n<title>Kiln</title>\n<p>x\n")
	for _, c := range []struct {
		src   []byte
		value string
		want  error
	}{
		{src, "a\x00b", ErrNUL},
		{src, "a\xffb", ErrNotUTF8},
		{[]byte("<p>hi"), "x", ErrNoHead},
		{[]byte("<!doctype html>\n"), "x", ErrNoHead},
		{nil, "x", ErrNoHead},
	} {
		if _, err := SetMeta(c.src, "memhtml-author", c.value); !errors.Is(err, c.want) {
			t.Errorf("SetMeta %q in %q: %v, want %v", c.value, c.src, err, c.want)
		}
		if _, err := AddLink(c.src, "supports", c.value); !errors.Is(err, c.want) {
			t.Errorf("AddLink %q in %q: %v, want %v", c.value, c.src, err, c.want)
		}
	}
}

// TestEditOddHeads are heads that the conformance rows do not have.
func TestEditOddHeads(t *testing.T) {
	author := headEditCase{Op: "setMeta", Name: "memhtml-author", Value: "x"}
	const tag = `<meta name="memhtml-author" content="x">`
	for name, c := range map[string]struct {
		edit      headEditCase
		src, want string
	}{
		"no </head>, no metas": {
			author, "<html>\n<head>\n<title>K</title>\n<body><p>", "<html>\n<head>\n<title>K</title>\n" + tag + "\n<body><p>",
		},
		"no head tags, title only": {author, "<title>K</title><p>x", "<title>K</title>" + tag + "<p>x"},
		"html tag only":            {author, "<html>\n<body>x", "<html>\n" + tag + "\n<body>x"},
		"head ends the file":       {author, "<title>K</title>", "<title>K</title>\n" + tag},
		"unclosed title":           {author, "<html>\r\n<title>K</head><article>", "<html>\r\n" + tag + "\r\n<title>K</head><article>"},
		"</head> in a script": {
			author, "<head>\n<script></head></script>\n</head>\n", "<head>\n<script></head></script>\n" + tag + "\n</head>\n",
		},
		"meta in a template": {
			author, "<head>\n<template>" + tag + "</template></head>", "<head>\n<template>" + tag + "</template>" + tag + "</head>",
		},
		"meta in a noscript": {
			author, "<head>\n<noscript>" + tag + "</noscript></head>", "<head>\n<noscript>" + tag + "</noscript>" + tag + "</head>",
		},
		"body that looks like a head": {
			author, "<title>K</title>\n<p>\n<head>\n" + tag + "\n</head>", "<title>K</title>\n" + tag + "\n<p>\n<head>\n" + tag + "\n</head>",
		},
		"indented </head>": {author, "<head>\n  <title>K</title>\n  </head>\n", "<head>\n  <title>K</title>\n" + tag + "\n  </head>\n"},
		"unquoted, upper case": {
			author, "<HEAD><META NAME=memhtml-author CONTENT=y></HEAD>", "<HEAD>" + tag + "</HEAD>",
		},
		"attribute written twice": {
			author, `<head><meta name="memhtml-author" name="memhtml-tag" content="x" content="y"></head>`,
			`<head><meta name="memhtml-author" name="memhtml-tag" content="x" content="y"></head>`,
		},
		"comment that holds > and spans lines": {
			headEditCase{Op: "addMeta", Name: "memhtml-tag", Value: "b"},
			"<meta name=memhtml-tag content=a> <!-- >\n -->\n<p>", "<meta name=memhtml-tag content=a><meta name=\"memhtml-tag\" content=\"b\"> <!-- >\n -->\n<p>",
		},
		"behind a comment on the line": {
			headEditCase{Op: "addMeta", Name: "memhtml-tag", Value: "b"},
			"<meta name=memhtml-tag content=a> <!-- > -->\n<p>", "<meta name=memhtml-tag content=a> <!-- > -->\n<meta name=\"memhtml-tag\" content=\"b\">\n<p>",
		},
		"removal keeps a comment on the line": {
			headEditCase{Op: "removeMeta", Name: "memhtml-tag"},
			"<head>\n<meta name=memhtml-tag content=a> <!-- why -->\n</head>", "<head>\n <!-- why -->\n</head>",
		},
		"removal of all tags of a line": {
			headEditCase{Op: "removeMeta", Name: "memhtml-tag"},
			"<head>\n  <meta name=memhtml-tag content=a> <meta name=memhtml-tag content=b> \r\n</head>", "<head>\n</head>",
		},
		"rel spelled with _": {
			headEditCase{Op: "addLink", Rel: "part_of", Href: "/areas/a.html"},
			`<head><link rel="memhtml-part_of" href="/areas/a.html"></head>`, `<head><link rel="memhtml-part_of" href="/areas/a.html"></head>`,
		},
		"first link goes behind the metas": {
			headEditCase{Op: "addLink", Rel: "part_of", Href: "/areas/a.html"},
			"<head>\n" + tag + "\n</head>\n<p>", "<head>\n" + tag + "\n<link rel=\"memhtml-part-of\" href=\"/areas/a.html\">\n</head>\n<p>",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := c.edit.apply([]byte(c.src))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, string(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if again, err := c.edit.apply(got); err != nil || !bytes.Equal(again, got) {
				t.Errorf("a second run changes the file (%v): %q", err, again)
			}
		})
	}
}
