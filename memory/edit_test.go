package memory

import (
	"bytes"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
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
		{[]byte("<!-- note -->\n<body>"), "x", ErrNoHead},
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
		"doctype only":             {author, "<!doctype html>\r\n<article>", "<!doctype html>\r\n" + tag + "\r\n<article>"},
		"html tag only":            {author, "<html>\n<body>x", "<html>\n" + tag + "\n<body>x"},
		"head ends the file":       {author, "<title>K</title>", "<title>K</title>\n" + tag},
		"unclosed title":           {author, "<html>\r\n<title>K</head><article>", "<html>\r\n" + tag + "\r\n<title>K</head><article>"},
		"</head> in a script": {
			author, "<head>\n<script></head></script>\n</head>\n", "<head>\n<script></head></script>\n" + tag + "\n</head>\n",
		},
		"meta in a template": {
			author, "<head>\n<template>" + tag + "</template></head>", "<head>\n<template>" + tag + "</template>" + tag + "</head>",
		},
		"template in an open template": {
			author, "<html>\n<template><template></template>", "<html>\n" + tag + "\n<template><template></template>",
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

// A tag may stand inside what would be one character reference without it.
func TestRemoveMetaDoesNotJoinText(t *testing.T) {
	src := []byte("<title>K</title>&#32<meta name=memhtml-tag content=a>4;")
	if got, err := RemoveMeta(src, "memhtml-tag"); !errors.Is(err, ErrIneffective) {
		t.Errorf("RemoveMeta = %q, %v", got, err)
	}
}

func TestAddLinkFollowsTheMetasWhenThereIsNoLink(t *testing.T) {
	src := "<head>\n<title>K</title>\n<meta name=\"memhtml-tag\" content=\"a\">\n<meta name=\"viewport\" content=\"w\">\n</head>\n"
	want := "<head>\n<title>K</title>\n<meta name=\"memhtml-tag\" content=\"a\">\n" +
		"<link rel=\"memhtml-supports\" href=\"/areas/b.html\">\n<meta name=\"viewport\" content=\"w\">\n</head>\n"
	got, err := AddLink([]byte(src), "supports", "/areas/b.html")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
