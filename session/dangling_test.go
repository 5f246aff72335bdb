package session

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// noneDangle is what an indexed root says when no link lost its target.
func noneDangle() *Dangling { return &Dangling{Links: []string{}} }

func linkTo(href string) string {
	return fmt.Sprintf(`<link rel="memhtml-supports" href="%s">`+"\n", href)
}

func TestResultsTellWhoseLinksDangle(t *testing.T) {
	files := func() map[string]string {
		files := four()
		files["areas/one.html"] = claim("One", 5, linkTo("/"+a))
		files["areas/other way.html"] = claim("Other", 6, linkTo("/areas/%61.html#part"), linkTo("/"+b))
		files["areas/both.html"] = claim("Both", 7, linkTo("/"+a), linkTo("/"+b))
		files["areas/archived.html"] = claim("Archived", 8, linkTo("/archive/2026/"+a))
		files["archive/2025/areas/old.html"] = claim("Old", 9, linkTo("/"+a))
		return files
	}
	toA := []string{"areas/both.html", "areas/one.html", "areas/other way.html"}
	done := map[string]struct {
		command func(*Root) (Done, error)
		want    []string
	}{
		"archive": {func(r *Root) (Done, error) {
			result, err := r.Archive(context.Background(), ArchiveRequest{Path: a})
			return result.Done, err
		}, toA},
		"supersede": {func(r *Root) (Done, error) {
			result, err := r.Supersede(context.Background(), SupersedeRequest{Winner: a, Loser: b})
			return result.Done, err
		}, []string{"areas/both.html", "areas/other way.html"}},
		"correct": {func(r *Root) (Done, error) {
			result, err := r.Correct(context.Background(), CorrectRequest{Target: a, Claim: "New"})
			return result.Done, err
		}, toA},
		"correct in its place": {func(r *Root) (Done, error) {
			result, err := r.Correct(context.Background(), CorrectRequest{Target: a, Claim: "New", Path: a})
			return result.Done, err
		}, nil},
		"nobody": {func(r *Root) (Done, error) {
			result, err := r.Archive(context.Background(), ArchiveRequest{Path: d})
			return result.Done, err
		}, []string{}},
	}
	for name, test := range done {
		t.Run(name, func(t *testing.T) {
			roots(t, files(), func(t *testing.T, f *fixture, root *Root) {
				did, err := test.command(root)
				if err != nil {
					t.Fatal(err)
				}
				var want *Dangling
				if root == f.root && test.want != nil {
					want = &Dangling{Links: test.want, Count: len(test.want)}
				}
				if diff := cmp.Diff(want, did.Dangling); diff != "" {
					t.Errorf("(-want +got)\n%s", diff)
				}
			})
		})
	}
}

func TestDanglingLinksAreCappedAndCounted(t *testing.T) {
	files := four()
	var want []string
	for i := range 25 {
		path := fmt.Sprintf("areas/linker-%02d.html", i)
		files[path] = claim(fmt.Sprint("Linker ", i), 9, linkTo("/"+a))
		want = append(want, path)
	}
	f := newFixture(t, files)
	result, err := f.root.Archive(context.Background(), ArchiveRequest{Path: a})
	if err != nil || result.Count != 25 || !slices.Equal(result.Links, want[:20]) {
		t.Fatalf("%+v, %v", result.Dangling, err)
	}
	const sentence = "Links dangle now in areas/linker-00.html, areas/linker-01.html, areas/linker-02.html and 22 more."
	if got := result.Sentence(); got != sentence {
		t.Errorf("%q", got)
	}
}
