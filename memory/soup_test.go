package memory

import (
	"math/rand/v2"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// soup is a document of tags and text in no order, of the kind that takes the
// parser through its repairs.
func soup(rng *rand.Rand) string {
	tags := strings.Fields("article p mark b i a em strong code pre table tr td th tbody thead caption ul ol li dl dt dd " +
		"aside details summary figure div span svg math title foreignObject mi mtext template textarea style script button " +
		"form nobr font h1 br hr img input data q cite dfn abbr time section noscript xmp body html head meta link select option")
	attributes := []string{
		"", "", "", ` class="x"`, ` onx=1`, ` class=a onclick=b CLASS=c`, ` value=" 0x1F "`, ` cite='/a"'`, ` title="&amp;&notit;"`,
		` style a=b`, `/`, ` =x= y`, " a=\"\r\n\xff\"", "\n\tb\x00=c",
	}
	texts := []string{
		"word", " two words ", "\n", "\r\n", "&amp;", "&#13;", "<", "é", "\x00", "\xff", "\xe2\x82", "\u2003", "\v", "a\tb",
		"<!-- c -->", "<![CDATA[x<b>&amp;]]>", "<?pi>", "</>", "<!doctype html>",
	}
	pick := func(list []string) string { return list[rng.IntN(len(list))] }
	var b strings.Builder
	if rng.IntN(3) == 0 {
		b.WriteString(bom)
	}
	b.WriteString("<title>t</title><article><p><mark>kiln log</mark></p>")
	for range rng.IntN(25) {
		switch rng.IntN(5) {
		case 0, 1:
			b.WriteString("<" + pick(tags) + pick(attributes) + ">")
		case 2:
			b.WriteString("</" + pick(tags) + ">")
		default:
			b.WriteString(pick(texts))
		}
	}
	return b.String()
}

// TestSoup: the texts are those of the reference, each start tag is its
// element's, and of all elements with a tag nearly all have their span.
func TestSoup(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	elements, tied := 0, 0
	for range 2000 {
		src := soup(rng)
		d := Parse([]byte(src))
		checkTexts(t, d)
		checkBinders(t, d)
		s := d.Spans()
		for i, n := range s.nodes {
			if n != nil {
				checkStartTag(t, d, i, n)
			}
		}
		for n := range d.tree.root.Descendants() {
			if n.Type == html.ElementNode && !isImplied(n) {
				elements++
				if _, ok := s.tagOf[n]; ok {
					tied++
				}
			}
		}
		if t.Failed() {
			t.Fatalf("in %q", src)
		}
	}
	if tied < elements*98/100 {
		t.Errorf("%d of %d elements have a span, want 98 of 100", tied, elements)
	}
}
