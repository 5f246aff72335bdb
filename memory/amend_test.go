package memory

import "testing"

// TestTextsThatTheParserMisreads: the canonical text follows the HTML standard
// where x/net/html by itself does not.
func TestTextsThatTheParserMisreads(t *testing.T) {
	tests := map[string]struct{ article, want string }{
		"newline behind pre":                 {"<pre>\nx</pre>", "x"},
		"newline behind a stray end tag":     {"<pre></b>\nx</pre>", "\nx"},
		"after the one that does not count":  {"<pre>\r\n</b>\r\nx</pre>", "\nx"},
		"newline behind an ignored tag":      {"<pre><td>\nx</pre>", "\nx"},
		"newline behind a doctype":           {"<PRE id=1><!DOCTYPE html>\nx</PRE>", "\nx"},
		"referenced carriage return":         {"<pre>&#13;x</pre>", "\rx"},
		"in hexadecimal":                     {"<pre>&#xD;x</pre>", "\rx"},
		"referenced line feed":               {"<pre>&#10;x</pre>", "x"},
		"newline behind a child":             {"<pre><code>\nx</code></pre>", "\nx"},
		"twice":                              {"<pre></b>\nx</pre><pre></i>\ny</pre>", "\nx \ny"},
		"in an attribute it is none":         {`<p title="<pre></b>">y</p><pre>x</pre>`, "y x"},
		"in raw text it is none":             {"<xmp><pre></b>\n</xmp>", "<pre></b>"},
		"raw text that a scan takes for SVG": {"<svg><g><p><style><pre></b>\n</style>", "<pre></b>"},
		"reference in CDATA":                 {"<svg><text><![CDATA[ &amp;<b> &lt ]]>&amp;</text></svg>", "&amp;<b> &lt &"},
		"unclosed CDATA":                     {"<svg><![CDATA[&amp;", "&amp;"},
		"CDATA outside SVG is a comment":     {"<p><![CDATA[&amp;]]>&amp;</p>", "&"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := Parse([]byte("<article>a" + test.article)).Canonical; got != "a "+test.want {
				t.Errorf("Canonical = %q, want %q", got, "a "+test.want)
			}
		})
	}
}

// TestSpansBehindAmendments: offsets are those of the file.
func TestSpansBehindAmendments(t *testing.T) {
	src := bom + wellHeaded("<article>"+claim+"\xff<pre>\n</b>\nx</pre><svg><![CDATA[&amp;]]></svg>\xe2\x82<p class=x>\xff</p></article>")
	checkProblemSpan(t, src, "forbidden-attribute", "class=x")
	d := Parse([]byte(src))
	for _, e := range d.Spans().Elements() {
		want := map[string]string{
			"pre": "<pre>\n</b>\nx</pre>", "svg": "<svg><![CDATA[&amp;]]></svg>", "p": "<p class=x>\xff</p>",
		}[e.Name]
		if got := at(src, e.Span); want != "" && got != want && got != claim {
			t.Errorf("%s stands at %q, want %q", e.Name, got, want)
		}
	}
}
