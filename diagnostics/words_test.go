package diagnostics

import (
	"testing"

	"github.com/memhtml-ls/memhtml-ls/index"
	"github.com/memhtml-ls/memhtml-ls/memory"
)

// TestWords has the messages of format problems that the examples do not show.
func TestWords(t *testing.T) {
	tests := []struct {
		problem memory.Problem
		want    string
	}{
		{
			memory.Problem{Code: "title-count", Subject: "title"},
			"No <title> element: a memory has exactly one.",
		},
		{
			memory.Problem{Code: "article-count", Subject: "article"},
			"No <article> element: a memory has exactly one.",
		},
		{
			memory.Problem{Code: "mark-count", Subject: "mark"},
			"No <mark> element in the article: exactly one holds the claim.",
		},
		{
			memory.Problem{Code: "mark-position"},
			"The <mark> is in no paragraph: the claim stands in the first <p> or <li> of the article.",
		},
		{
			memory.Problem{Code: "time-datetime", Subject: "time"},
			"This <time> has no date in its datetime: write 2026-05-02 or 2026-05-02T08:30:00Z.",
		},
		{
			memory.Problem{Code: "meta-datetime", Subject: "memhtml-created"},
			"memhtml-created is empty: write 2026-05-02 or 2026-05-02T08:30:00Z.",
		},
		{
			memory.Problem{Code: "time-datetime", Subject: "time", Value: "2026-02-30"},
			"“2026-02-30” has the form of a date, but there is no such day or time.",
		},
		{
			memory.Problem{Code: "due-datetime", Subject: "memhtml-due", Value: "2026-02-03T25:00:00Z"},
			"memhtml-due: “2026-02-03T25:00:00Z” has the form of a date, but there is no such day or time.",
		},
		{
			memory.Problem{Code: "link-href", Subject: "memhtml-supports"},
			"This link has no href: write a path from the root, such as /areas/x.html.",
		},
		{
			memory.Problem{Code: "status-unknown", Subject: "memhtml-status"},
			"An empty value is not a status: active or archived.",
		},
		{
			memory.Problem{Code: "task-status-forbidden", Subject: "memhtml-task-status"},
			"Only a task has a memhtml-task-status.",
		},
		{
			memory.Problem{Code: "lang-token", Subject: "data-lang"},
			"This data-lang is empty.",
		},
		{
			memory.Problem{Code: "optional-meta-dropped", Subject: "memhtml-reprieves"},
			"memhtml-reprieves is ignored: it is empty. It is a whole number from 0.",
		},
		{
			memory.Problem{Code: "forbidden-attribute", Subject: "class"},
			"class is not allowed: a memory carries no styling.",
		},
		{
			memory.Problem{Code: "meta-unknown", Subject: "memhtml-\u202Eepyt"},
			`memhtml-\u{202E}epyt is not a meta of the memory format.`,
		},
		{
			memory.Problem{Code: "of-a-later-version", Subject: "thing"},
			"of-a-later-version: thing",
		},
	}
	for _, tt := range tests {
		if got := Words(tt.problem); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.problem.Code, got, tt.want)
		}
	}
}

// TestNormalizedDuplicateNamesTheDifference has a plain text as the incumbent
// and as the reporter each other form of it.
func TestNormalizedDuplicateNamesTheDifference(t *testing.T) {
	const path = "areas/a.html"
	for claim, want := range map[string]string{
		"The Caf\u00e9\u00a0Lumen":  "unusual spaces in this one, such as no-break spaces.",
		"The Cafe\u0301 Lumen":      "accented letters made of two characters in this one.",
		"The Cafe\u0301\u2003Lumen": "unusual spaces and accented letters made of two characters in this one.",
		"The Caf\u00e9 Lumen":       "the kind of spaces or how accented letters are composed.",
	} {
		d := memory.Parse([]byte("<article><p><mark>" + claim + "</mark></p></article>"))
		f := index.FromDocument("areas/b.html", d)
		got := sayDuplicateNormalized(f, &index.File{Path: path}, d)
		if want := "Same text as " + path + ", but for " + want; got != want {
			t.Errorf("%+q: %q, want %q", claim, got, want)
		}
		stale := &index.File{NormalHash: memory.Hash{1}}
		if got := sayDuplicateNormalized(stale, &index.File{Path: path}, d); got != "Same text as areas/a.html, but for the kind of spaces or how accented letters are composed." {
			t.Errorf("%+q, after the text moved on: %q", claim, got)
		}
	}
}
