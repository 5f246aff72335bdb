package memory

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// FuzzRender holds a rendered file to what it was rendered from: text reads back
// as text, whatever it looks like, and a claim makes an acceptable memory.
func FuzzRender(f *testing.F) {
	f.Add("Kiln", "A <b> & c", "One.\n\n```go\nx\n```\n\nTwo", "")
	f.Add("</title>", "</mark>", "<!--\n\n<p>", "<p><mark>A</mark><table><tr><td>x")
	f.Add("t", "a", "", "<pre>\n\n x</pre><svg><style><a></style></svg><template><p>y")
	f.Fuzz(func(t *testing.T, title, claim, prose, article string) {
		in := Input{Title: title, Claim: claim, Prose: prose, ArticleHTML: article, Type: "semantic", At: time.Unix(0, 0)}
		src, err := Render(in)
		if err != nil {
			return
		}
		d := Parse(src)
		if got := flatten(d.Title); got != flatten(title) {
			t.Errorf("title %q reads back as %q", title, got)
		}
		if d.Metas.ContentHash != d.ContentHash.String() {
			t.Errorf("hash %s of a file with %s:\n%s", d.Metas.ContentHash, d.ContentHash, src)
		}
		if trim(article) == "" {
			checkProse(t, in, d)
		}
	})
}

func checkProse(t *testing.T, in Input, d *Document) {
	t.Helper()
	if claim := flatten(in.Claim); claim != "" && d.Gist != claim {
		t.Errorf("claim %q reads back as %q", claim, d.Gist)
	}
	if d.Gist != "" && flatten(in.Title) != "" && (!d.Accepted() || len(d.Warnings) > 0) {
		t.Errorf("not acceptable: %+v %+v\n%s", d.Violations, d.Warnings, d.Source)
	}
	letters := func(s string) string {
		return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return isSpace(r) || r == '`' }), "")
	}
	if want := letters(in.Claim + in.Prose); !strings.Contains(in.Prose, "```") {
		if diff := cmp.Diff(want, letters(d.Canonical)); diff != "" {
			t.Errorf("the text changed (-want +got):\n%s", diff)
		}
	}
}

// flatten is text as the reading of a title or a claim leaves it.
func flatten(s string) string { return trim(string(appendCollapsed(nil, s, false))) }
