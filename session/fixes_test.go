package session

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func linked(rel, path string) string {
	return `<link rel="memhtml-` + rel + `" href="/` + path + `">` + "\n"
}

// TestLifeFixes applies the one edit of each finding: afterwards it is gone, and
// nothing else has come.
func TestLifeFixes(t *testing.T) {
	const a, b, archived = "areas/a.html", "areas/b.html", "archive/2026/areas/old.html"
	task := strings.Replace(claim("Mow", 1, `<meta name="memhtml-task-status" content="todo">`), "semantic", "task", 1)
	tests := []struct {
		name, path, title, want string
		files                   map[string]string
	}{
		{
			"self-link", a, "Remove the link", "",
			map[string]string{a: claim("A", 1, linked("laterally-related", a), linked("supports", b)), b: claim("B", 1)},
		},
		{
			"edge-class-mismatch", a, "Remove the link", "",
			map[string]string{a: claim("A", 1, linked("subtask-of", b)), b: task},
		},
		{
			"archive-status-mismatch", a, "Set memhtml-status to active", `name="memhtml-status" content="active"`,
			map[string]string{a: archivedClaim("A", 1)},
		},
		{
			"archive-status-mismatch", archived, "Set memhtml-status to archived", `name="memhtml-status" content="archived"`,
			map[string]string{archived: claim("A", 1)},
		},
		{
			"supersede-asymmetric", archived, "Name areas/a.html in memhtml-superseded-by", `name="memhtml-superseded-by" content="/areas/a.html"`,
			map[string]string{a: claim("A", 1, linked("supersedes", archived)), archived: archivedClaim("Old", 1)},
		},
		{
			"supersede-asymmetric", a, "Add the link to " + archived, `rel="memhtml-supersedes" href="/` + archived + `"`,
			map[string]string{a: claim("A", 1), archived: archivedClaim("Old", 1, `<meta name="memhtml-superseded-by" content="/`+a+`">`)},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := newFixture(t, test.files)
			findings := f.findings(test.path)
			if len(findings) != 1 || string(findings[0].Code) != test.name {
				t.Fatalf("findings %v", findings)
			}
			actions, err := f.root.View().Actions(test.path, findings[0].Span)
			if err != nil || actions[0].Title != test.title || actions[0].Edit == nil {
				t.Fatalf("actions %+v, %v", actions, err)
			}
			source, edit := f.read(test.path), actions[0].Edit
			f.write(test.path, source[:edit.Span.Start]+edit.New+source[edit.Span.End:])
			f.root.Modify(Modification{Kind: Touched, Path: test.path})
			if !strings.Contains(f.read(test.path), test.want) {
				t.Errorf("%q is not in\n%s", test.want, f.read(test.path))
			}
			if got := f.codes(); got != nil {
				t.Errorf("findings afterwards: %v", got)
			}
		})
	}
}

// The other memory supersedes this one in one commit, after which neither has a
// finding: the link to the place that the loser left is gone.
func TestSupersededIsFinished(t *testing.T) {
	const loser, winner = "areas/loser.html", "areas/winner.html"
	for name, files := range map[string]map[string]string{
		"by the winner's link": {loser: claim("L", 1), winner: claim("W", 2, linked("supersedes", loser))},
		"by its own meta":      {loser: claim("L", 1, `<meta name="memhtml-superseded-by" content="/`+winner+`">`), winner: claim("W", 2)},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, files)
			if diff := cmp.Diff([]string{loser + " superseded-but-active " + winner}, f.codes()); diff != "" {
				t.Fatalf("findings (-want +got)\n%s", diff)
			}
			actions, err := f.root.View().Actions(loser, f.findings(loser)[0].Span)
			if err != nil || actions[0].Title != winner+" supersedes this" {
				t.Fatalf("actions %+v, %v", actions, err)
			}
			if _, err := f.root.Supersede(context.Background(), actions[0].Request.(SupersedeRequest)); err != nil {
				t.Fatal(err)
			}
			if got := f.codes(); got != nil {
				t.Errorf("findings afterwards: %v", got)
			}
		})
	}
}

// Without a memory that could win, and for one that has expired, what is left is
// the archive.
func TestArchiveWhereNothingWins(t *testing.T) {
	for name, meta := range map[string]string{
		"the winner is gone": `<meta name="memhtml-superseded-by" content="/areas/gone.html">`,
		"expired":            `<meta name="memhtml-valid-until" content="2026-01-01">`,
	} {
		f := newFixture(t, map[string]string{pool: claim("Drain", 1, meta)})
		actions, err := f.root.View().Actions(pool, f.findings(pool)[0].Span)
		if err != nil || len(actions) != 1 || actions[0].Title != "Archive this memory" || actions[0].Ask != AskReason || actions[0].Kind != KindFix {
			t.Errorf("%s: actions %+v, %v", name, actions, err)
		}
	}
}

// After a commit an editor may show the old text of the winner for a while,
// without the link that is on disk.
func TestStaleBufferLacksNoHalf(t *testing.T) {
	f := newFixture(t, pools())
	f.root.Edit(Modification{Kind: Opened, Path: pool, Text: []byte(f.read(pool))})
	if _, err := f.root.Supersede(context.Background(), SupersedeRequest{Winner: pool, Loser: other}); err != nil {
		t.Fatal(err)
	}
	if got := f.findings(pool); got != nil {
		t.Errorf("findings %v", got)
	}
}
