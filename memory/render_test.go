package memory

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

type renderRow struct {
	Input struct {
		Title, Claim, MemoryType, ArticleHTML string
		At                                    time.Time
		Body                                  []string
		Confidence                            *float64
		Importance                            *int
		Author, SessionID, PromptID, TurnUUID string
		TaskStatus, DueAt                     string
		Entities, Tags, Aliases               []string
		Links                                 []struct{ Rel, Href string }
	}
	SourceDefect string `json:"source_defect"`
	Expect       struct{ HTML *string }
}

func (r renderRow) input() Input {
	in := r.Input
	out := Input{
		Title: in.Title, Claim: in.Claim, Type: in.MemoryType, ArticleHTML: in.ArticleHTML,
		At: in.At, Body: in.Body, Confidence: in.Confidence, Importance: in.Importance,
		Author: in.Author, Session: in.SessionID, Prompt: in.PromptID, Turn: in.TurnUUID,
		TaskStatus: in.TaskStatus, Due: in.DueAt,
		Entities: in.Entities, Tags: in.Tags, Aliases: in.Aliases,
	}
	for _, l := range in.Links {
		out.Links = append(out.Links, Link{Rel: l.Rel, Href: l.Href})
	}
	return out
}

func TestRenderRows(t *testing.T) {
	eachRow(t, "render.jsonl", func(t *testing.T, row renderRow) {
		got, err := Render(row.input())
		if err != nil {
			t.Fatal(err)
		}
		if row.Expect.HTML == nil || row.SourceDefect != "" {
			checkRendered(t, row.input(), got)
			return
		}
		if diff := cmp.Diff(*row.Expect.HTML, string(got)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// checkRendered demands that a rendered file says what its Input said.
func checkRendered(t *testing.T, in Input, got []byte) {
	t.Helper()
	d := Parse(got)
	if d.Title != trim(in.Title) || d.Metas.Type != in.Type || d.Metas.ContentHash != d.ContentHash.String() {
		t.Errorf("reads back as %q, %+v, hash %s:\n%s", d.Title, d.Metas, d.ContentHash, got)
	}
}

func TestRenderProse(t *testing.T) {
	for name, c := range map[string]struct {
		in   Input
		want string
	}{
		"first sentence is the claim": {
			Input{Prose: "Kiln three holds 1040.5 degrees. It cools overnight."},
			"<p><mark>Kiln three holds 1040.5 degrees.</mark> It cools overnight.</p>",
		},
		"sentence ends with the text": {Input{Prose: " Why? "}, "<p><mark>Why?</mark></p>"},
		"no sentence":                 {Input{Prose: "just v1.2 words\n\nmore"}, "<p><mark>just v1.2 words\n\nmore</mark></p>"},
		"sentence over a blank line":  {Input{Prose: "Kiln log\n\nHeld 1040. Cool"}, "<p><mark>Kiln log\n\nHeld 1040.</mark> Cool</p>"},
		"fence before the sentence ends": {
			Input{Prose: "Call it so:\n```go\nx.y = 1. + 2\n```"},
			"<p><mark>Call it so:</mark></p>\n<figure><pre><code data-lang=\"go\">x.y = 1. + 2</code></pre></figure>",
		},
		"fence ends indented": {
			Input{Claim: "A", Body: []string{"```\nx\n     ```"}}, "<p><mark>A</mark></p>\n<figure><pre><code>x</code></pre></figure>",
		},
		"reference in a comment": {
			Input{ArticleHTML: "<p><mark>A</mark></p><!-- b &amp; c --></&lt;>"}, "<p><mark>A</mark></p><!-- b &amp; c --><!--&lt;-->",
		},
		"carriage return as a reference": {Input{ArticleHTML: "<p><mark>A</mark>&#13;b</p>"}, "<p><mark>A</mark>\nb</p>"},
		"paragraphs, blank lines, CRLF": {
			Input{Prose: "A b c.\r\n\r\n  \r\nTwo\r\nlines\r\n\r\nthree"},
			"<p><mark>A b c.</mark> Two\nlines</p>\n<p>three</p>",
		},
		"blank line inside a fence": {
			Input{Prose: "A b c.\n\n```go\nx\n\ny\n```\n\nend"},
			"<p><mark>A b c.</mark></p>\n<figure><pre><code data-lang=\"go\">x\n\ny</code></pre></figure>\n<p>end</p>",
		},
		"claim given, prose is body": {
			Input{Claim: "A", Body: []string{"b"}, Prose: "c. d"}, "<p><mark>A</mark> b</p>\n<p>c. d</p>",
		},
		"bare fence has no language": {
			Input{Claim: "A", Body: []string{"```\n#include <x>\n```"}},
			"<p><mark>A</mark></p>\n<figure><pre><code>#include &lt;x&gt;</code></pre></figure>",
		},
		"info that is no token": {
			Input{Claim: "A", Body: []string{"```???\nx\n```"}}, "<p><mark>A</mark></p>\n<figure><pre><code>x</code></pre></figure>",
		},
		"fence without an end":  {Input{Claim: "A", Body: []string{"```js\nx"}}, "<p><mark>A</mark> ```js\nx</p>"},
		"two fences in one":     {Input{Claim: "A", Body: []string{"```\na\n```\n```\nb\n```"}}, "<p><mark>A</mark></p>\n<figure><pre><code>a\n```\n```\nb</code></pre></figure>"},
		"backticks in the info": {Input{Claim: "A", Body: []string{"```x```\ny\n```"}}, "<p><mark>A</mark> ```x```\ny\n```</p>"},
		"empty fence": {
			Input{Claim: "A", Body: []string{"```js\n```"}}, "<p><mark>A</mark></p>\n<figure><pre><code data-lang=\"js\"></code></pre></figure>",
		},
	} {
		t.Run(name, func(t *testing.T) {
			c.in.Title, c.in.Type = "t", "semantic"
			src, err := Render(c.in)
			if err != nil {
				t.Fatal(err)
			}
			_, rest, _ := strings.Cut(string(src), "<article>\n")
			got, _, _ := strings.Cut(rest, "\n</article>")
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			checkRendered(t, c.in, src)
		})
	}
}

func TestRenderConfidenceRoundsHalvesUp(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0.00", 0.125: "0.13", 0.375: "0.38", 0.625: "0.63", 0.875: "0.88", 0.5: "0.50", 0.005: "0.01", 0.015: "0.01", 1: "1.00",
	} {
		if got := formatConfidence(&v); got != want {
			t.Errorf("%v is written %s, want %s", v, got, want)
		}
	}
}

func TestRenderRefuses(t *testing.T) {
	for _, c := range []struct {
		in   Input
		want error
	}{
		{Input{Title: "a\x00"}, ErrNUL},
		{Input{Body: []string{"\xff"}}, ErrNotUTF8},
		{Input{Links: []Link{{Rel: "supports", Href: "/\x00"}}}, ErrNUL},
		{Input{ArticleHTML: strings.Repeat("<b>", 600)}, ErrArticle},
		{Input{ArticleHTML: strings.Repeat("<b>", 510)}, ErrArticle}, // as a fragment it is not too deep
		{Input{ArticleHTML: "<p><mark>A</mark></p><plaintext>x"}, ErrArticle},
	} {
		if _, err := Render(c.in); !errors.Is(err, c.want) {
			t.Errorf("Render = %v, want %v", err, c.want)
		}
	}
}
