package memory

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/net/html"
	"pgregory.net/rapid"
)

// reporter is what a test, a fuzz run and a property have in common.
type reporter interface {
	Helper()
	Errorf(format string, args ...any)
}

// checkEdit holds an edit to everything that format.md §6 promises of all edits.
func checkEdit(t reporter, c headEditCase, src, got []byte) {
	t.Helper()
	if again, err := c.apply(got); err != nil || !bytes.Equal(again, got) {
		t.Errorf("a second %+v changes the file (%v):\n%q\n%q", c, err, got, again)
	}
	if bytes.HasPrefix(src, []byte(bom)) != bytes.HasPrefix(got, []byte(bom)) {
		t.Errorf("the BOM is not kept:\n%q\n%q", src, got)
	}
	checkLineEndings(t, src, got)
	if diff := cmp.Diff(otherText(src), otherText(got)); diff != "" {
		t.Errorf("%+v changes other parts of the file (-before +after):\n%s", c, diff)
	}
	if body := fromArticle(src); !bytes.HasSuffix(got, body) {
		t.Errorf("%+v moves bytes of the article:\n%q\n%q", c, src, got)
	}
	checkTrees(t, c, src, got)
}

// fromArticle is src from its first article on, nil when that could stand in a
// template of the head.
func fromArticle(src []byte) []byte {
	z := html.NewTokenizer(bytes.NewReader(src))
	for at, kind := 0, z.Next(); kind != html.ErrorToken; at, kind = at+len(z.Raw()), z.Next() {
		name, _ := z.TagName()
		switch {
		case string(name) == "template":
			return nil
		case string(name) == "article" && kind == html.StartTagToken:
			return src[at:]
		}
	}
	return nil
}

// checkTrees compares what the trees of the two files say.
func checkTrees(t reporter, c headEditCase, src, got []byte) {
	t.Helper()
	before, after := Parse(src), Parse(got)
	if before.tree.root == nil {
		return // nested beyond what has a tree
	}
	if before.ContentHash != after.ContentHash {
		t.Errorf("%+v changes the hash:\n%q\n%q", c, src, got)
	}
	for _, element := range []string{"meta", "link"} {
		want, have := c.expected(element, tagsInTree(before, element)), tagsInTree(after, element)
		if diff := cmp.Diff(want, have, cmp.AllowUnexported(treeTag{}), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%+v reads back otherwise in %q:\n%q\n(-want +got):\n%s", c, src, got, diff)
		}
	}
}

// treeTag is a memhtml meta or link as the tree has it.
type treeTag struct{ key, value string }

// tagsInTree reads the head through the tree, independent of the scanner.
func tagsInTree(d *Document, element string) (tags []treeTag) {
	keyAttr, valueAttr := "name", "content"
	if element == "link" {
		keyAttr, valueAttr = "rel", "href"
	}
	for n := range d.tree.root.Descendants() {
		if n.Type == html.ElementNode && n.Data == element && n.Parent.Data == "head" {
			key, _ := attribute(n, keyAttr)
			value, _ := attribute(n, valueAttr)
			if strings.HasPrefix(key, "memhtml-") {
				tags = append(tags, treeTag{key, value})
			}
		}
	}
	return tags
}

// expected is what the metas or the links of the head must be after the edit, by
// the words of format.md §6.
func (c headEditCase) expected(element string, tags []treeTag) []treeTag {
	rel := "memhtml-" + strings.ReplaceAll(c.Rel, "_", "-")
	tags = slices.Clone(tags)
	_, known := metaRank(c.Name)
	switch op := c.Op + " " + element; {
	case op == "removeMeta meta":
		return slices.DeleteFunc(tags, func(t treeTag) bool { return t.key == c.Name })
	case op == "removeLink link":
		return slices.DeleteFunc(tags, func(t treeTag) bool {
			return strings.ReplaceAll(t.key, "_", "-") == rel && (c.Href == "" || t.value == c.Href)
		})
	case op == "addLink link" && knownRel(c.Rel):
		if slices.ContainsFunc(tags, func(t treeTag) bool {
			return strings.ReplaceAll(t.key, "_", "-") == rel && t.value == c.Href
		}) {
			return tags
		}
		return append(tags, treeTag{rel, c.Href})
	case (op == "setMeta meta" || op == "addMeta meta") && known:
		return c.expectedMeta(tags, treeTag{c.Name, c.Value})
	}
	return tags
}

func (c headEditCase) expectedMeta(tags []treeTag, tag treeTag) []treeTag {
	first := slices.IndexFunc(tags, func(t treeTag) bool { return t.key == tag.key })
	switch {
	case c.Op == "setMeta" && first >= 0:
		tags[first] = tag
		return tags
	case slices.Contains(tags, tag):
		return tags
	}
	for i, t := range slices.Backward(tags) {
		if t.key == tag.key {
			return slices.Insert(tags, i+1, tag)
		}
	}
	rank, _ := metaRank(tag.key)
	if later := slices.IndexFunc(tags, func(t treeTag) bool { r, _ := metaRank(t.key); return r > rank }); later >= 0 {
		return slices.Insert(tags, later, tag)
	}
	return append(tags, tag)
}

// checkLineEndings demands that an edit brings in no line ending that a file
// with lines does not have.
func checkLineEndings(t reporter, src, got []byte) {
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

// otherText is the source of all tokens, white space around them aside, that are
// no memhtml metas and links.
func otherText(src []byte) string {
	var b strings.Builder
	z := html.NewTokenizer(bytes.NewReader(bytes.TrimPrefix(src, []byte(bom))))
	for z.Next() != html.ErrorToken {
		raw := strings.Trim(string(z.Raw()), " \t\f\r\n")
		lower := strings.ToLower(raw)
		ours := strings.HasPrefix(lower, "<meta") || strings.HasPrefix(lower, "<link")
		if !ours || !strings.Contains(lower, "memhtml-") {
			b.WriteString(raw)
		}
	}
	return b.String()
}

var editErrors = []error{ErrNUL, ErrNotUTF8, ErrNoHead, ErrIneffective}

// run applies an edit to any bytes and checks what came of it.
func (c headEditCase) run(t reporter, src []byte) {
	t.Helper()
	kept := bytes.Clone(src)
	got, err := c.apply(src)
	if !bytes.Equal(kept, src) {
		t.Errorf("%+v writes into its argument", c)
	}
	if err != nil {
		if !slices.ContainsFunc(editErrors, func(e error) bool { return errors.Is(err, e) }) {
			t.Errorf("%+v: %v", c, err)
		}
		return
	}
	checkEdit(t, c, src, got)
}

var (
	editOps   = []string{"setMeta", "addMeta", "removeMeta", "addLink", "removeLink"}
	editNames = []string{"memhtml-type", "memhtml-content-hash", "memhtml-tag", "memhtml-alias", "memhtml-mood", "title"}
	editRels  = []string{"supports", "part_of", "likes"}
)

func FuzzEdit(f *testing.F) {
	files, err := filepath.Glob(filepath.Join(conformanceDir(f), "documents", "*"))
	if err != nil || len(files) == 0 {
		f.Fatalf("no documents: %v", err)
	}
	for i, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(src, byte(i), byte(i/5), "glaze")
	}
	f.Fuzz(func(t *testing.T, src []byte, op, name byte, value string) {
		c := headEditCase{
			Op: editOps[int(op)%len(editOps)], Name: editNames[int(name)%len(editNames)],
			Rel: editRels[int(name)%len(editRels)], Value: value, Href: value,
		}
		c.run(t, src)
	})
}

// headPieces are what TestEditRandomHeads makes files of.
var headPieces = []string{
	"<!doctype html>", "<html>", "<HEAD>", "<head>", "</head>", "<body>", "</body>", "<article>", "</article>",
	"<title>K</title>", "<title>", "</title>", "<title/>", "<script></head></script>", "<style>", "</style>",
	"<noscript>", "</noscript>", "<template>", "</template>", "<svg>", "<p>", "text", "&#32;", "&nbsp;", "\x00", "\xff",
	"<head/>", "<html lang='x'/>", "<base>", "<frameset>", "<noframes>", "</noframes>", "<textarea>", "<plaintext>", "<xmp>",
	"<table>", "<select>", "<![CDATA[x]]>", "<math>", "</p>", "<br>", "<script><!--<script></script>", "</script>",
	"<!-- c -->", "<!-- </head>\n -->", "<!-->", "<!--", "-->", "<?x>", "</br>", "</html>", "<", "<meta", ">", "'", `"`,
	" ", "  ", "\t", "\n", "\n", "\n", "\r\n", "\r\n", "\r", "\f",
	`<meta charset="utf-8">`, `<meta name="memhtml-type" content="semantic">`, `<meta name="memhtml-tag" content="a">`,
	`<meta name="memhtml-tag" content="b" />`, "<META CONTENT='b' NAME=memhtml-alias>", `<meta name="memhtml-mood" content="x">`,
	"<meta\n name='memhtml-tag'\r\n content='a'\n>", `<meta name="memhtml-alias">`, `<link rel="stylesheet" href="/x">`,
	`<link rel="memhtml-supports" href="a">`, `<link rel="memhtml-part_of" href="b">`, `<link rel=memhtml-likes href=a>`,
}

func TestEditRandomHeads(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOfN(rapid.SampledFrom(headPieces), 0, 16).Draw(t, "pieces")
		src := strings.Join(pieces, "")
		if rapid.Bool().Draw(t, "bom") {
			src = bom + src
		}
		value := rapid.SampledFrom([]string{"a", "b", "", "\r\n&\u00A0\"", "é😀"}).Draw(t, "value")
		c := headEditCase{
			Op:   rapid.SampledFrom(editOps).Draw(t, "op"),
			Name: rapid.SampledFrom(editNames).Draw(t, "name"),
			Rel:  rapid.SampledFrom(editRels).Draw(t, "rel"), Value: value, Href: value,
		}
		c.run(t, []byte(src))
	})
}
