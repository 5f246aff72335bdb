package session

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/memory"
)

// rich is a memory whose article has more than a claim.
func rich() string {
	return strings.Replace(claim("The kiln fires on Friday", 1), "</article>",
		"<p>Since <em>May</em>.</p>\n<pre>a\n  b</pre>\n<table><tr><td>1</td></tr></table>\n</article>", 1)
}

func articleText(t *testing.T, source string) string {
	t.Helper()
	span, ok := contentOf("article", []byte(source))
	if !ok {
		t.Fatalf("no article in %q", source)
	}
	return source[span.Start:span.End]
}

// A claim alone took the body with it, a body alone the claim.
func TestUpdateOfAPartLeavesTheRest(t *testing.T) {
	for name, ends := range map[string]func(string) string{
		"LF":   func(s string) string { return s },
		"CRLF": func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") },
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, map[string]string{kiln: ends(rich())})
			before := articleText(t, f.read(kiln))
			mustUpdate(t, f.root, UpdateRequest{Path: kiln, Claim: p("The kiln fires on <Monday>")})
			want := strings.Replace(before, "The kiln fires on Friday", "The kiln fires on &lt;Monday&gt;", 1)
			if diff := cmp.Diff(want, articleText(t, f.read(kiln))); diff != "" {
				t.Errorf("claim alone (-want +got)\n%s", diff)
			}
			mustUpdate(t, f.root, UpdateRequest{Path: kiln, Body: []string{"At noon.", "Not in winter."}})
			doc := memory.Parse([]byte(f.read(kiln)))
			got := []string{doc.Gist, doc.Canonical, doc.Metas.ContentHash}
			if diff := cmp.Diff([]string{"The kiln fires on <Monday>", "The kiln fires on <Monday> At noon. Not in winter.", doc.ContentHash.String()}, got); diff != "" {
				t.Errorf("body alone (-want +got)\n%s", diff)
			}
			if got := f.read(kiln); got != ends(strings.ReplaceAll(got, "\r\n", "\n")) {
				t.Errorf("line ends of %q", got)
			}
			f.clean()
		})
	}
}

// An empty body was taken for a missing claim, or for none given.
func TestUpdateWithAnEmptyBodyLeavesTheClaim(t *testing.T) {
	for name, request := range map[string]UpdateRequest{
		"a paragraph":      {Body: []string{""}},
		"no paragraph":     {Body: []string{}},
		"a text":           {Prose: p(" ")},
		"beside the claim": {Claim: p("The kiln fires on Friday"), Body: []string{""}},
		"no claim either":  {Claim: p(""), Body: []string{""}},
	} {
		f := newFixture(t, map[string]string{kiln: rich()})
		request.Path = kiln
		mustUpdate(t, f.root, request)
		if got := articleText(t, f.read(kiln)); got != "\n<p><mark>The kiln fires on Friday</mark></p>\n" {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// Markup in the claim is part of it.
func TestUpdateOfTheBodyKeepsTheMarkupOfTheClaim(t *testing.T) {
	f := newFixture(t, map[string]string{kiln: strings.Replace(rich(), "<mark>The kiln fires on Friday", "<mark>The kiln fires on <em>Friday</em>", 1)})
	mustUpdate(t, f.root, UpdateRequest{Path: kiln, Prose: p("At noon.")})
	if result := mustUpdate(t, f.root, UpdateRequest{Path: kiln, Claim: p("The kiln fires on Friday")}); !result.Already {
		t.Errorf("the same words: %+v", result)
	}
	if got := articleText(t, f.read(kiln)); !strings.Contains(got, "<mark>The kiln fires on <em>Friday</em></mark>") || strings.Contains(got, "Since") {
		t.Errorf("%q", got)
	}
}

// With nothing that could stay, the whole article has to be given.
func TestUpdateOfAPartNeedsAClaim(t *testing.T) {
	f := newFixture(t, map[string]string{kiln: strings.NewReplacer("<mark>", "", "</mark>", "").Replace(rich())})
	before := f.state()
	for _, request := range []UpdateRequest{{Path: kiln, Claim: p("x")}, {Path: kiln, Body: []string{"x"}}} {
		if _, err := f.root.Update(t.Context(), request); failure.CodeOf(err) != failure.InvalidMemory {
			t.Errorf("%v", err)
		}
	}
	if before != f.state() {
		t.Error("a refusal changed something")
	}
	mustUpdate(t, f.root, UpdateRequest{Path: kiln, Claim: p("The kiln fires on Monday"), Body: []string{"At noon."}})
}

// A tag could be added and never taken away.
func TestUpdateRemovesWhatThereIsSeveralOf(t *testing.T) {
	f := newFixture(t, map[string]string{kiln: claim("The kiln fires on Friday", 1)})
	mustUpdate(t, f.root, UpdateRequest{Path: kiln, Tags: []string{"a", "b", "c"}, Entities: []string{"org:x", "org:y"}, Aliases: []string{"oven", "stove"}})
	mustUpdate(t, f.root, UpdateRequest{Path: kiln, RemoveTags: []string{"b", "none"}, Tags: []string{"d"}, RemoveEntities: []string{"org:x"}, RemoveAliases: []string{"oven", "stove"}})
	m := f.metas(kiln)
	if diff := cmp.Diff([][]string{{"a", "c", "d"}, {"org:y"}, nil}, [][]string{m.Tags, m.Entities, m.Aliases}); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if result := mustUpdate(t, f.root, UpdateRequest{Path: kiln, RemoveTags: []string{"b"}}); !result.Already {
		t.Errorf("removed twice: %+v", result)
	}
	if _, err := f.root.Update(t.Context(), UpdateRequest{Path: kiln, Tags: []string{" "}}); failure.CodeOf(err) != failure.InvalidFlag {
		t.Errorf("an empty tag: %v", err)
	}
}
