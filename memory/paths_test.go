package memory

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

type pathRow struct {
	Fn    string
	Input struct {
		Title, MemoryType, Workspace string
		Path, Href, Value            string
		Tags, Entities               []string
		At                           time.Time
		Year                         int
	}
	Expect map[string]any
}

func (r pathRow) placement() Placement {
	in := r.Input
	return Placement{
		Path: in.Path, Type: in.MemoryType, Workspace: in.Workspace,
		Title: in.Title, Tags: in.Tags, Entities: in.Entities, At: in.At,
	}
}

// answer is what this package says to the row, in the row's own terms.
func (r pathRow) answer() map[string]any {
	p := r.Input.Path
	switch r.Fn {
	case "memoryPathFor":
		return map[string]any{"path": PlacePath(r.placement(), 1)}
	case "placementFor":
		return map[string]any{"dir": r.placement().Dir()}
	case "archivePathFor":
		return map[string]any{"path": ArchivePath(p, r.Input.Year)}
	case "originalPathFor":
		return originalAnswer(p)
	case "isValidDatetime":
		return map[string]any{"valid": ValidDate(r.Input.Value)}
	case "isRootRelativeHref":
		return map[string]any{"valid": ValidHref(r.Input.Href)}
	case "isValidMemoryPath":
		var bucket any
		if b := Bucket(p); b != "" {
			bucket = b
		}
		return map[string]any{"valid": ValidPath(p), "normal": NormalizePath(p), "bucket": bucket}
	}
	return nil
}

func originalAnswer(p string) map[string]any {
	original, ok := UnarchivePath(p)
	year, _ := ArchiveYear(p)
	if !ok {
		return map[string]any{"path": nil, "year": nil, "archived": false}
	}
	return map[string]any{"path": original, "year": float64(year), "archived": true}
}

func TestPathRows(t *testing.T) {
	eachRow(t, "paths.jsonl", func(t *testing.T, row pathRow) {
		got := row.answer()
		for key, want := range row.Expect {
			if diff := cmp.Diff(want, got[key]); diff != "" {
				t.Errorf("%s(%+v) %s (-want +got):\n%s", row.Fn, row.Input, key, diff)
			}
		}
	})
}

func TestIsMemoryPath(t *testing.T) {
	for p, want := range map[string]bool{
		"areas/x.html": true, "archive/2026/areas/x.html": true, "areas/README.html": true,
		"/areas/x.html": false, "areas//x.html": false, "areas/x.html/": false, "areas/x.HTML": false,
		"README.html": false, "areas/index.html": false, "areas/sitemap.xml": false, "areas/a/../x.html": false,
	} {
		if got := IsMemoryPath(p); got != want {
			t.Errorf("IsMemoryPath(%q) = %v", p, got)
		}
	}
}

func TestLinkTarget(t *testing.T) {
	for href, want := range map[string][2]string{
		"/areas/x.html":         {"areas/x.html", ""},
		"/areas/x.html#part":    {"areas/x.html", ""},
		"/areas/x.html?v=1#a":   {"areas/x.html", ""},
		"/areas/x.html#a?b":     {"areas/x.html", ""},
		"/areas/a%20b.html":     {"areas/a%20b.html", "areas/a b.html"},
		"/areas/100%.html":      {"areas/100%.html", ""},
		"/areas/a%2Fb.html":     {"areas/a%2Fb.html", "areas/a/b.html"},
		"/areas/%2e%2e/x.html":  {"areas/%2e%2e/x.html", ""},
		"/areas/a%3Fb.html":     {"areas/a%3Fb.html", "areas/a?b.html"},
		"/%2e%2e/secret.html":   {"%2e%2e/secret.html", ""},
		"/areas/x%00.html":      {"areas/x%00.html", ""},
		"/areas/a+b.html":       {"areas/a+b.html", ""},
		"areas/x.html":          {"", ""},
		"//host/x.html":         {"", ""},
		"/areas/../../etc.html": {"", ""},
		"/":                     {"", ""},
		"":                      {"", ""},
	} {
		literal, alternate := Link{Href: href}.Target()
		if got := [2]string{literal, alternate}; got != want {
			t.Errorf("target of %q = %q, want %q", href, got, want)
		}
	}
}

func TestPlacePathOrdinalKeepsTheDateOutsideTheSlug(t *testing.T) {
	p := Placement{Type: "episodic", Title: "Kiln log", At: time.Date(2026, 5, 3, 1, 0, 0, 0, time.FixedZone("", 2*3600))}
	if got, want := PlacePath(p, 12), "areas/inbox/20260502-kiln-log-12.html"; got != want {
		t.Errorf("PlacePath = %q, want %q", got, want)
	}
}

func TestPlacementTrimsAsJavaScriptDoes(t *testing.T) {
	for _, c := range []struct {
		p    Placement
		want string
	}{
		{Placement{Type: "semantic", Tags: []string{"\u0085"}}, "resources/untitled"},
		{Placement{Type: "semantic", Tags: []string{"\uFEFF", "Cone 6"}}, "resources/cone-6"},
		{Placement{Type: "semantic", Entities: []string{"person:\uFEFF"}}, "areas/inbox"},
	} {
		if got := c.p.Dir(); got != c.want {
			t.Errorf("%+v goes to %s, want %s", c.p, got, c.want)
		}
	}
}
