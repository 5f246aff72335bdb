package memory

import (
	"strings"
	"testing"
	"time"
)

// TestTimeIsLinear parses, with spans, shapes that could cost more than linear
// time. Of sixteen times the text linear time is sixteen times the time and
// quadratic time 256 times: 64 times is refused, if it is so at every attempt.
func TestTimeIsLinear(t *testing.T) {
	nested := func(open, text, shut string, depth int) string {
		return strings.Repeat(open, depth) + text + strings.Repeat(shut, depth)
	}
	tests := map[string]func(n int) string{
		"nested asides": func(n int) string {
			return nested("<aside>", strings.Repeat("word ", n/5), "</aside>", 240)
		},
		"nested lists": func(n int) string {
			return nested("<dl><dt>k<dd>", strings.Repeat("<data value=1>x</data> ", n/23), "</dd></dl>", 160)
		},
		"nested marks": func(n int) string { return nested("<mark>", strings.Repeat("word ", n/5), "</mark>", 400) },
		"list items":   func(n int) string { return "<ul>" + strings.Repeat("<li>a", n/5) },
		"paragraphs":   func(n int) string { return strings.Repeat("<p>a</p>\n", n/9) },
		"stray ends":   func(n int) string { return strings.Repeat("a</x>", n/5) },
		"foster text":  func(n int) string { return "<table>" + strings.Repeat("a<!---->", n/8) },
		"foster rows":  func(n int) string { return "<table>" + strings.Repeat("a<tr>", n/5) },
		"comments":     func(n int) string { return strings.Repeat("<!---->a", n/8) },
		"half tags":    func(n int) string { return strings.Repeat("<p a='", n/6) },
		"lt":           func(n int) string { return strings.Repeat("<", n) },
		"attributes":   func(n int) string { return "<p " + strings.Repeat("a=b class=c ", n/12) + ">" },
		"many attributes": func(n int) string {
			var b strings.Builder
			b.WriteString("<a ")
			for i := 0; b.Len() < n; i++ {
				b.WriteString("on" + strings.Repeat("x", i%50) + string(rune('a'+i%26)) + string(rune('a'+i/26%26)) + string(rune('a'+i/676%26)) + "=1 ")
			}
			return b.String() + ">x</a>"
		},
		"end tags":      func(n int) string { return strings.Repeat("<section>", 100) + strings.Repeat("</b>", n/4) },
		"formatting":    func(n int) string { return strings.Repeat("<b>x<p>y</b></p>", n/16) },
		"nobr":          func(n int) string { return strings.Repeat("<nobr>a", n/7) },
		"anchors":       func(n int) string { return strings.Repeat("<a>a", n/4) },
		"ampersands":    func(n int) string { return strings.Repeat("&notanentity", n/12) },
		"pre":           func(n int) string { return strings.Repeat("<pre>a\n</pre>", n/13) },
		"ill-formed":    func(n int) string { return strings.Repeat("\xff<p>\xe2\x82", n/6) },
		"unknown names": func(n int) string { return strings.Repeat("<xa><xb></xa>", n/13) },
		"metas": func(n int) string {
			return strings.Repeat(`<meta name="memhtml-tag" content="x">`, n/37)
		},
		"svg":      func(n int) string { return "<svg>" + strings.Repeat("<g/><title>a</title>", n/20) },
		"template": func(n int) string { return strings.Repeat("<template>a</template>", n/22) },
		"figures":  func(n int) string { return strings.Repeat("<figure><div>a</div></figure>", n/29) },
	}
	for name, shape := range tests {
		t.Run(name, func(t *testing.T) {
			cost := func(n int) time.Duration {
				src := []byte("<article>" + shape(n))
				start := time.Now()
				Parse(src).Spans().Elements()
				return time.Since(start)
			}
			var small, large time.Duration
			for range 5 {
				small, large = max(cost(1<<14), time.Millisecond), cost(1<<18)
				if large < 64*small {
					return
				}
			}
			t.Errorf("%v for 16 KB, %v for 256 KB", small, large)
		})
	}
}
