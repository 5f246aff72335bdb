package memory

import (
	"regexp"
	"testing"
)

type slugRow struct {
	Title    string
	Ordinals []int
	Expect   struct {
		Slug     *string
		IsSlug   *bool
		Ordinals map[int]string
	}
}

func TestSlugRows(t *testing.T) {
	eachRow(t, "slugs.jsonl", func(t *testing.T, row slugRow) {
		got := Slug(row.Title)
		if want := row.Expect.Slug; want != nil && got != *want {
			t.Errorf("Slug(%q) = %q, want %q", row.Title, got, *want)
		}
		if row.Expect.IsSlug != nil && *row.Expect.IsSlug != (Slug(got) == got) {
			t.Errorf("Slug(%q) = %q", got, Slug(got))
		}
		for n, want := range row.Expect.Ordinals {
			if got := SlugOrdinal(got, n); got != want {
				t.Errorf("ordinal %d of %q = %q, want %q", n, row.Title, got, want)
			}
		}
	})
}

func TestCutOrdinal(t *testing.T) {
	tests := []struct {
		name, slug string
		n          int
	}{
		{"gate-2", "gate", 2},
		{"gate-999999", "gate", 999999},
		{"gate-2-3", "gate-2", 3},
		{"gate", "gate", 1},
		{"gate-1", "gate-1", 1},
		{"gate-0", "gate-0", 1},
		{"gate-02", "gate-02", 1},
		{"gate-+2", "gate-+2", 1},
		{"gate-20260502", "gate-20260502", 1},
		{"gate-x", "gate-x", 1},
		{"gate-", "gate-", 1},
		{"-2", "-2", 1},
		{"2", "2", 1},
		{"", "", 1},
	}
	for _, tt := range tests {
		if slug, n := CutOrdinal(tt.name); slug != tt.slug || n != tt.n {
			t.Errorf("CutOrdinal(%q) = %q, %d", tt.name, slug, n)
		}
	}
}

var slugShape = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

func FuzzSlug(f *testing.F) {
	for _, s := range []string{"", "Déjà vu", "½ cup", "a--b", "İ", "\xff\xfe", "窑 3"} {
		f.Add(s, 2)
	}
	f.Fuzz(func(t *testing.T, title string, n int) {
		slug := Slug(title)
		if Slug(slug) != slug {
			t.Errorf("Slug(%q) = %q is not its own slug", title, slug)
		}
		name := SlugOrdinal(slug, n)
		if n >= 2 && name == slug {
			t.Errorf("ordinal %d of %q is the slug itself", n, slug)
		}
		for _, s := range []string{slug, name} {
			if len(s) > maxSlug || !slugShape.MatchString(s) {
				t.Errorf("%q of %q", s, title)
			}
		}
	})
}
