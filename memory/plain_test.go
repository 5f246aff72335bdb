package memory

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"
)

// everythingPlain has what a plain document can have.
const everythingPlain = ` <!DOCTYPE html>
<html lang="en" data-x='a"b'>
<head >
<meta charset="utf-8"/><meta name="memhtml-type" content="semantic" />
<title>A &amp; B</title><title></title>
<link rel="memhtml-relates-to"
	href="/areas/x.html">
</head>

<body data-open>
<article><p>One <mark>&lt;is <em>two</em> &#8212; &notit; &amp</mark> <a z="1" a="2" m="">three<code data-lang="go">f()</code></a></p>
<ul><li>x<ol><li><p>y</p></li></ol></li> z</ul>
<dl><dt>k</dt><dd><data value="1">one</data></dd><dt><strong>l</strong><strong>m</strong></dt></dl>
<figure><pre>
<code>a
b</code></pre><pre>

c</pre><div><span>d</span></div><figcaption>e</figcaption></figure>
<details><summary>f</summary><aside><address>g</address></aside></details><section><p></p></section>
</article> tail </body>
 </html>
`

func plainOf(body string) string {
	return "<!doctype html><html><head></head><body>" + body + "</body></html>"
}

// notPlain are documents in which a tag does not do what it says.
var notPlain = []string{
	"", "<p>x", strings.Replace(everythingPlain, "<!DOCTYPE html>", "", 1), everythingPlain + "x", everythingPlain + "<!---->",
	strings.Replace(everythingPlain, "</head>", "x</head>", 1), strings.Replace(everythingPlain, "</title>", "<b></title>", 1),
	strings.Replace(everythingPlain, "<head >", "", 1), strings.Replace(everythingPlain, "</html>", "x</html>", 1),
	strings.Replace(everythingPlain, "</head>", "<template></template></head>", 1),
	plainOf("<p>a<p>b</p></p>"), plainOf("<p>a<ul></ul></p>"), plainOf("<p><span><div></div></span></p>"), plainOf("<p>a<b>c</p>d</b>"),
	plainOf("<em>a<em>b</em></em>"), plainOf("<a>b<span><a>c</a></span></a>"), plainOf("<li>x</li>"), plainOf("<dl><div><dt>x</dt></div></dl>"),
	plainOf("<ul><p><li>x</li></p></ul>"), plainOf("<p>a</p></p>"), plainOf("</br>"), plainOf("<br>"), plainOf("<h1>a</h1>"), plainOf("<mark>a"),
	plainOf("<table><tr><td>x</td></tr></table>"), plainOf("<svg><a/></svg>"), plainOf("<title>x</title>"), plainOf("<meta>"),
	plainOf("<p/>"), plainOf("<p a=b>c</p>"), plainOf(`<p a="1"b="2">c</p>`), plainOf(`<p a="1" a="2">c</p>`), plainOf(`<p a="&amp;">c</p>`),
	plainOf(`<p ="1">c</p>`), plainOf(`<p A="1">c</p>`), plainOf(`<p a ="1">c</p>`), plainOf(`<p a="1>c</p>`), plainOf("<P>a</P>"), plainOf("<p>a</P>"),
	plainOf("a < b"), plainOf("<!-- a -->"), plainOf("<![CDATA[a]]>"), plainOf("<?a?>"), plainOf("</>"), plainOf("<p>a</p b>"), plainOf("\x00"),
	plainOf("<pre>&#13;a</pre>"), plainOf("<pre>\r\n&#xD;</pre>"), plainOf("<pre></pre>"), plainOf("<script>a</script>"), plainOf("<x-y>a</x-y>"),
	plainOf("<p" + manyAttributes(33) + ">a</p>"), plainOf(strings.Repeat("<span>", 600) + strings.Repeat("</span>", 600)),
}

func TestPlainDocuments(t *testing.T) {
	for _, src := range []string{
		everythingPlain, strings.ReplaceAll(everythingPlain, "\n", "\r\n"), strings.ReplaceAll(everythingPlain, "\n", "\r"),
		plainOf(""), plainOf("<pre>\n\n&#10;a</pre>"), plainOf("<pre>&#10;a</pre>"), plainOf("<em>a</em><em>b</em>"), plainOf("&#13;\u00a0"),
		plainOf(strings.Repeat("<span>", 60) + strings.Repeat("</span>", 60)),
		plainOf("<p" + manyAttributes(32) + ">a</p>"), plainOf(strings.Repeat("a<p>b</p>", 500)),
	} {
		if !checkPlain(t, []byte(src)) {
			t.Errorf("is not plain: %s", src)
		}
	}
	for _, src := range notPlain {
		if checkPlain(t, []byte(src)) {
			t.Errorf("is plain: %s", src)
		}
	}
}

func manyAttributes(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, ` a%d="%d"`, i, i)
	}
	return b.String()
}

func TestVocabularyIsOfHTML(t *testing.T) {
	if _, ok := traits[0]; ok {
		t.Error("a name of the vocabulary has no atom")
	}
}

// TestMemoriesArePlain: what the program writes, and what there is to try it on,
// takes the fast way.
func TestMemoriesArePlain(t *testing.T) {
	rendered, err := Render(Input{
		Title: "A & B", Claim: "The <limit> is 3.", Prose: "One.\n\n```go\nx\n```", Type: "semantic", Tags: []string{"kiln"}, At: time.Unix(0, 0),
	})
	if err != nil || !checkPlain(t, rendered) {
		t.Errorf("not plain, %v:\n%s", err, rendered)
	}
	plain, all := 0, 0
	err = filepath.WalkDir(filepath.Join("..", "examples", "corpus"), func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".html" {
			return err
		}
		src, err := os.ReadFile(path)
		all++
		if checkPlain(t, src) {
			plain++
		}
		return err
	})
	if err != nil || plain*10 < all*9 || all == 0 {
		t.Errorf("of %d memories of the examples %d are plain, %v", all, plain, err)
	}
}

// FuzzPlain holds the tree of a plain document to that of x/net/html.
func FuzzPlain(f *testing.F) {
	addDocuments(f)
	for _, src := range append(slices.Clone(notPlain), everythingPlain, strings.ReplaceAll(everythingPlain, "\n", "\r\n")) {
		f.Add([]byte(src))
	}
	f.Fuzz(func(t *testing.T, src []byte) { checkPlain(t, src) })
}

// room is that of all documents, so that what one leaves in it is met by the next.
var room Room

// checkPlain reports whether a document is plain, and when it is, holds its tree
// to that of x/net/html.
func checkPlain(t *testing.T, src []byte) bool {
	t.Helper()
	text := decode(src)
	got, ok := parsePlain(&room, text.text)
	if !ok {
		return false
	}
	if list := text.amendments(); len(list) > 0 {
		t.Errorf("plain, but amended by %v:\n%s", list, src)
	}
	want, err := html.Parse(bytes.NewReader(text.text))
	if err != nil {
		t.Fatalf("plain, but %v:\n%s", err, src)
	}
	if diff := treeDiff(want, got); diff != "" {
		t.Errorf("%s\nof\n%s", diff, src)
	}
	return true
}

// treeDiff tells the first difference of two trees.
func treeDiff(want, got *html.Node) string {
	if want.Type != got.Type || want.DataAtom != got.DataAtom || want.Data != got.Data || want.Namespace != got.Namespace ||
		!slices.Equal(want.Attr, got.Attr) {
		return fmt.Sprintf("want %v, got %v", *want, *got)
	}
	w, g := want.FirstChild, got.FirstChild
	for ; w != nil && g != nil; w, g = w.NextSibling, g.NextSibling {
		if g.Parent != got || g.NextSibling == nil && got.LastChild != g || g.NextSibling != nil && g.NextSibling.PrevSibling != g {
			return fmt.Sprintf("<%s> is not where it should be", g.Data)
		}
		if diff := treeDiff(w, g); diff != "" {
			return diff
		}
	}
	if w != nil || g != nil {
		return fmt.Sprintf("<%s> ends otherwise: want %v, got %v", want.Data, w, g)
	}
	return ""
}
