package memory

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// wellHeaded is a file with a correct head and the given article.
func wellHeaded(article string) string {
	return `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<title>Kiln</title>
<meta name="memhtml-type" content="semantic">
<meta name="memhtml-status" content="active">
<meta name="memhtml-created" content="2026-05-02T08:30:00Z">
<meta name="memhtml-updated" content="2026-05-02T08:30:00Z">
</head><body>
` + article + "\n</body></html>\n"
}

const claim = "<p><mark>The kiln is hot</mark></p>"

func at(src string, s Span) string { return src[s.Start:s.End] }

func TestProblemSpans(t *testing.T) {
	head := func(lines string) string {
		return strings.Replace(wellHeaded("<article>"+claim+"</article>"), "</head>", lines+"</head>", 1)
	}
	tests := []struct{ name, src, code, want string }{
		{"meta value", head(`<meta name="memhtml-due" content='soon'>`), "due-datetime", "soon"},
		{"empty value", head(`<meta name="memhtml-due" content="">`), "due-datetime", `content=""`},
		{"unquoted value", head(`<meta name=memhtml-due content=soon>`), "due-datetime", "soon"},
		{"no value", head(`<meta name=memhtml-due content>`), "due-datetime", "content"},
		{"upper case", head(`<META NAME="memhtml-due" CONTENT="soon">`), "due-datetime", "soon"},
		{"first of two attributes", head(`<meta name="memhtml-due" content="soon" content="2026-01-01">`), "due-datetime", "soon"},
		{"unknown meta", head(`<meta name="memhtml-mood" content="x">`), "meta-unknown", "memhtml-mood"},
		{"missing meta", "<head></head><article>" + claim + "</article>", "meta-missing", "<head>"},
		{"missing meta without head", "<article>" + claim + "</article>", "meta-missing", "<article>"},
		{"no article", "line one\nline two", "article-count", "line one"},
		{"no article, BOM", bom + "line one\nline two", "article-count", "line one"},
		{"two articles", wellHeaded("<article>" + claim + "</article><article id=2></article>"), "article-count", "<article id=2>"},
		{"no mark", wellHeaded("<article id=1><p>x</p></article>"), "mark-count", "<article id=1>"},
		{"two marks", wellHeaded("<article>" + claim + "<mark id=2>y</mark></article>"), "mark-count", "<mark id=2>"},
		{"empty mark", wellHeaded("<article><p><mark > </mark></p></article>"), "mark-empty", "<mark >"},
		{"time without datetime", wellHeaded("<article>" + claim + "<time>x</time></article>"), "time-datetime", "<time>"},
		{"class", wellHeaded("<article>" + claim + `<p id=x class = "a b">x</article>`), "forbidden-attribute", `class = "a b"`},
		{"class without value", wellHeaded("<article>" + claim + `<p class>x</article>`), "forbidden-attribute", "class"},
		{"handler", wellHeaded("<article>" + claim + `<p a=/ ONclick='x'/>x</article>`), "event-handler", "ONclick='x'"},
		{"script", wellHeaded("<article>" + claim + `<script>"<p>"</script></article>`), "forbidden-element", "<script>"},
		{"style in SVG", wellHeaded("<article>" + claim + `<svg><style><g class=x></style></svg></article>`), "forbidden-attribute", "class=x"},
		{"after CDATA", wellHeaded("<article>" + claim + `<svg><![CDATA[<p>]]><g class=x></svg></article>`), "forbidden-attribute", "class=x"},
		{"after a comment", wellHeaded("<article>" + claim + `<!-- <p class=y> --><p class=x></article>`), "forbidden-attribute", "class=x"},
		{"after a textarea", wellHeaded("<article>" + claim + `<textarea><p class=y></textarea><p class=x></article>`), "forbidden-attribute", "class=x"},
		{"link", head(`<link rel="memhtml-supports" href="areas/x.html">`), "link-href", "areas/x.html"},
		{"link without href", head(`<link rel="memhtml-supports">`), "link-href", `<link rel="memhtml-supports">`},
		{"rel", head(`<link rel="memhtml-likes" href="/areas/x.html">`), "link-rel", "memhtml-likes"},
		{"foster parented", wellHeaded("<article>" + claim + `<table><p class=x>y</p><tr><td>z</table></article>`), "forbidden-attribute", "class=x"},
		{"misnested", wellHeaded("<article>" + claim + `<p><b>x<i>y</b><em class=z>w</i></article>`), "forbidden-attribute", "class=z"},
		{"implied row", wellHeaded("<article>" + claim + `<table><td class=x>y</table></article>`), "forbidden-attribute", "class=x"},
		{"stray end tags", wellHeaded("<article>" + claim + `</p></br><p class=x>y</article>`), "forbidden-attribute", "class=x"},
		{"second body", wellHeaded("<article>" + claim + `</article><body class=x>`), "forbidden-attribute", "class=x"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			checkProblemSpan(t, test.src, test.code, test.want)
			if strings.HasPrefix(test.src, "<") {
				checkProblemSpan(t, "<!--\xff\xf0\x90\xe2\x82-->"+test.src, test.code, test.want)
			}
			checkProblemSpan(t, strings.ReplaceAll(test.src, "\n", "\r\n"), test.code, test.want)
		})
	}
}

func checkProblemSpan(t *testing.T, src, code, want string) {
	t.Helper()
	d := Parse([]byte(src))
	for _, p := range d.Violations {
		if p.Code != code {
			continue
		}
		if got := at(src, d.Spans().Problem(p)); got != want {
			t.Errorf("%s stands at %q, want %q", code, got, want)
		}
		return
	}
	t.Errorf("no %s in %v", code, problemsOf(d.Violations))
}

func TestElementSpans(t *testing.T) {
	tests := []struct {
		name, article string
		// want is name, whole element and content, for the elements below the
		// article.
		want [][3]string
	}{
		{"nested", "<ul><li>a<li>b</ul>", [][3]string{
			{"ul", "<ul><li>a<li>b</ul>", "<li>a<li>b"},
			{"li", "<li>a", "a"},
			{"li", "<li>b", "b"},
		}},
		{"same name nested", "<section><section>x</section>y</section>", [][3]string{
			{"section", "<section><section>x</section>y</section>", "<section>x</section>y"},
			{"section", "<section>x</section>", "x"},
		}},
		{"closed by its parent", "<p><em>x</p>", [][3]string{
			{"p", "<p><em>x</p>", "<em>x"},
			{"em", "<em>x", "x"},
		}},
		{"stray end tag", "<p>x</b></p>", [][3]string{{"p", "<p>x</b></p>", "x</b>"}}},
		{"void", "<p>x<br>y<img src=a>z</p>", [][3]string{
			{"p", "<p>x<br>y<img src=a>z</p>", "x<br>y<img src=a>z"},
			{"br", "<br>", ""},
			{"img", "<img src=a>", ""},
		}},
		{"self-closing SVG", "<svg><g/><g>x</g></svg>", [][3]string{
			{"svg", "<svg><g/><g>x</g></svg>", "<g/><g>x</g>"},
			{"g", "<g/>", ""},
			{"g", "<g>x</g>", "x"},
		}},
		{"raw text", "<xmp><b></xmp>", [][3]string{{"xmp", "<xmp><b></xmp>", "<b>"}}},
		{"formatting made twice", "<p><b>x<p>y</b>", [][3]string{
			{"p", "<p><b>x", "<b>x"},
			{"b", "<b>x", "x"},
			{"p", "<p>y</b>", "y</b>"},
		}},
		{"template", "<template><p>x</p></template>", [][3]string{
			{"template", "<template><p>x</p></template>", "<p>x</p>"},
			{"p", "<p>x</p>", "x"},
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			src := wellHeaded("<article>" + test.article + "</article>")
			var got [][3]string
			below := false
			for _, e := range Parse([]byte(src)).Spans().Elements() {
				if below {
					got = append(got, [3]string{e.Name, at(src, e.Span), at(src, e.Content)})
				}
				below = below || e.Name == "article"
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("elements of %s (-want +got):\n%s", test.article, diff)
			}
		})
	}
}

func TestNamedSpans(t *testing.T) {
	article := "<article>\n<p><mark>The <em>kiln</em> is\u00A0hot</mark>.</p></article>"
	src := bom + strings.Replace(wellHeaded(article), "</head>",
		`<link rel="memhtml-supports" href="/a&amp;b.html"><meta name="memhtml-author" content="">`+"\n</head>", 1)
	d := Parse([]byte(src))
	s := d.Spans()
	mark, ok := s.Mark()
	if got := at(src, mark); !ok || got != "The <em>kiln</em> is\u00A0hot" {
		t.Errorf("Mark = %q, %v", got, ok)
	}
	if s.Claim() != mark {
		t.Errorf("Claim = %q", at(src, s.Claim()))
	}
	whole, ok := s.Article()
	if got := at(src, whole); !ok || got != article {
		t.Errorf("Article = %q, %v", got, ok)
	}
	if got := at(src, s.Link(d.Links[0])); got != "/a&amp;b.html" {
		t.Errorf("Link = %q", got)
	}
	value, ok := s.Meta("memhtml-status")
	if got := at(src, value); !ok || got != "active" {
		t.Errorf("Meta = %q, %v", got, ok)
	}
	value, ok = s.Meta("memhtml-author")
	if !ok || value.Start != value.End || src[value.Start-1:value.End+1] != `""` {
		t.Errorf("Meta of an empty value = %v, %v", value, ok)
	}
	tag, ok := s.MetaTag("memhtml-author")
	if got := at(src, tag); !ok || got != `<meta name="memhtml-author" content="">` {
		t.Errorf("MetaTag = %q, %v", got, ok)
	}
	if _, ok := s.Meta("memhtml-due"); ok {
		t.Error("Meta of an absent name is ok")
	}
}

func TestClaimSpanWithoutClaim(t *testing.T) {
	tests := map[string]struct{ src, want string }{
		"empty mark": {wellHeaded("<article><p><mark id=m></mark></p></article>"), "<mark id=m>"},
		"no mark":    {wellHeaded("<article><p>x</p></article>"), "<article>"},
		"no article": {"first\nsecond", "first"},
		"nothing":    {"", ""},
		"too deep":   {"<p>\n" + strings.Repeat("<em>", 600), "<p>"},
		"unclosed":   {"<article><p><mark>half typ", "half typ"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := at(test.src, Parse([]byte(test.src)).Spans().Claim()); got != test.want {
				t.Errorf("Claim = %q, want %q", got, test.want)
			}
		})
	}
}

// TestAttributeOrder: x/net/html sorts the attributes of formatting elements,
// which must not change the order of violations.
func TestAttributeOrder(t *testing.T) {
	src := wellHeaded("<article>" + claim + `<p><a style=x onclick=y class=z>x</a></article>`)
	want := []rowProblem{
		{Code: "forbidden-attribute", Subject: "style", Element: "a"},
		{Code: "event-handler", Subject: "onclick", Element: "a"},
		{Code: "forbidden-attribute", Subject: "class", Element: "a"},
	}
	if diff := cmp.Diff(want, problemsOf(Parse([]byte(src)).Violations)); diff != "" {
		t.Errorf("violations (-want +got):\n%s", diff)
	}
}
