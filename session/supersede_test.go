package session

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/memory"
)

// refusal is a command that must refuse and change nothing.
type refusal struct {
	name    string
	files   map[string]string
	prepare func(f *fixture)
	run     func(r *Root) error
	want    failure.Code
}

// refuse runs refusals, each in a repository of its own.
func refuse(t *testing.T, base func() map[string]string, tests []refusal) {
	t.Helper()
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			files := base()
			for path, text := range test.files {
				files[path] = text
			}
			f := newFixture(t, files)
			if test.prepare != nil {
				test.prepare(f)
			}
			before := f.state()
			digest := f.digest()
			err := test.run(f.root)
			if f.digest() != digest {
				t.Error("the bytes of the tree, the index, a reference or a log changed")
			}
			if err == nil || failure.CodeOf(err) != test.want {
				t.Errorf("error %v with code %s, want %s", err, failure.CodeOf(err), test.want)
			}
			if err != nil && !strings.HasPrefix(err.Error(), "Not ") {
				t.Errorf("the refusal does not say what did not happen: %s", err)
			}
			if diff := cmp.Diff(before, f.state()); diff != "" {
				t.Errorf("changed (-before +after)\n%s", diff)
			}
		})
	}
}

func many(pairs ...Pair) func(*Root) error {
	return func(r *Root) error {
		_, err := r.SupersedeMany(context.Background(), SupersedeManyRequest{Pairs: pairs})
		return err
	}
}

// four are memories that have nothing to do with each other, long enough for git
// to see a move where the head changes.
func four() map[string]string {
	files := map[string]string{}
	for i, name := range []string{"a", "b", "c", "d"} {
		text := claim(fmt.Sprintf("Gate %s opens at %d", name, i+5), i+1)
		files["areas/"+name+".html"] = strings.Replace(text, "</article>", "<p>"+strings.Repeat("It is told of gate "+name+". ", 30)+"</p>\n</article>", 1)
	}
	return files
}

const (
	a = "areas/a.html"
	b = "areas/b.html"
	c = "areas/c.html"
	d = "areas/d.html"
)

func TestSupersedeManyIsOneCommit(t *testing.T) {
	files := four()
	files[d] = claim("Gate d opens at 8", 4, `<meta name="memhtml-valid-from" content="2026-04-01">`+"\n")
	f := newFixture(t, files)
	result, err := f.root.SupersedeMany(context.Background(), SupersedeManyRequest{Pairs: []Pair{{a, b}, {a, c}}})
	if err != nil {
		t.Fatal(err)
	}
	head := strings.TrimSpace(f.git("rev-parse", "HEAD"))
	want := SupersedeResult{
		Done: Done{Commit: &head, At: "2026-05-02T08:30:00Z", Dangling: noneDangle()},
		Archived: []Superseded{
			{Loser: b, Winner: a, ArchivePath: "archive/2026/" + b},
			{Loser: c, Winner: a, ArchivePath: "archive/2026/" + c},
		},
	}
	if diff := cmp.Diff(want, result); diff != "" {
		t.Errorf("result (-want +got)\n%s", diff)
	}
	if got := f.git("log", "--format=%s", "HEAD~1..HEAD"); got != "memhtml(consolidate): 2 memories superseded\n" {
		t.Errorf("log %q", got)
	}
	var hrefs []string
	for _, link := range memory.Parse([]byte(f.read(a))).Links {
		hrefs = append(hrefs, link.Rel+" "+link.Href)
	}
	if diff := cmp.Diff([]string{"supersedes /archive/2026/" + b, "supersedes /archive/2026/" + c}, hrefs); diff != "" {
		t.Errorf("links (-want +got)\n%s", diff)
	}
	for _, loser := range []string{b, c} {
		metas := f.metas("archive/2026/" + loser)
		if metas.SupersededBy != "/"+a || metas.ValidUntil != f.metas(a).ValidFrom {
			t.Errorf("%s: %+v", loser, metas)
		}
	}
	if got := f.git("status", "--porcelain"); got != "" {
		t.Errorf("status %q", got)
	}
	f.fsck()
	f.follows("archive/2026/" + b)
}

// follows checks that git's own eyes see where a file came from.
func (f *fixture) follows(path string) {
	f.t.Helper()
	if log := f.git("log", "--follow", "--format=%s", "--", path); !strings.HasSuffix(log, "start\n") {
		f.t.Errorf("git log --follow %s ends at %q", path, log)
	}
}

func TestSupersedeManyAnswersForPairsOfBefore(t *testing.T) {
	f := newFixture(t, four())
	first, err := f.root.Supersede(context.Background(), SupersedeRequest{Winner: a, Loser: b})
	if err != nil {
		t.Fatal(err)
	}
	second, err := f.root.SupersedeMany(context.Background(), SupersedeManyRequest{Pairs: []Pair{{a, b}, {d, c}}})
	if err != nil {
		t.Fatal(err)
	}
	if second.Already || !second.Archived[0].Already || second.Archived[1].Already || *second.Commit == *first.Commit {
		t.Errorf("%+v", second)
	}
	if got := f.git("log", "-1", "--format=%s"); got != "memhtml(consolidate): "+d+" supersedes "+c+"\n" {
		t.Errorf("subject %q", got)
	}
	before := f.state()
	third, err := f.root.SupersedeMany(context.Background(), SupersedeManyRequest{Pairs: []Pair{{a, b}, {d, c}}})
	if err != nil || !third.Already || third.Commit != nil {
		t.Errorf("two commits did it: %+v, %v", third, err)
	}
	again, err := f.root.SupersedeMany(context.Background(), SupersedeManyRequest{Pairs: []Pair{{d, c}}})
	if err != nil || !again.Already || again.Commit == nil || *again.Commit != *second.Commit {
		t.Errorf("one commit did it: %+v, %v", again, err)
	}
	if diff := cmp.Diff(before, f.state()); diff != "" {
		t.Errorf("changed (-before +after)\n%s", diff)
	}
}

func TestSupersedeManyWithoutPairs(t *testing.T) {
	f := newFixture(t, four())
	result, err := f.root.SupersedeMany(context.Background(), SupersedeManyRequest{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(result)
	if want := `{"commit":null,"at":"2026-05-02T08:30:00Z","archived":[]}`; err != nil || string(got) != want {
		t.Errorf("%s, %v", got, err)
	}
}

func TestSupersedeManyRefusesRolesThatCannotHold(t *testing.T) {
	tests := []refusal{
		{"itself", nil, nil, many(Pair{a, b}, Pair{c, c}), failure.RoleConflict},
		{"itself by another spelling", nil, nil, many(Pair{a, "/" + a}), failure.RoleConflict},
		{"a loser twice", nil, nil, many(Pair{a, c}, Pair{b, c}), failure.RoleConflict},
		{"a chain", nil, nil, many(Pair{a, b}, Pair{b, c}), failure.RoleConflict},
		{"a chain backwards", nil, nil, many(Pair{b, c}, Pair{a, b}), failure.RoleConflict},
		{"too many", nil, nil, many(make([]Pair, 101)...), failure.InvalidFlag},
		{"the last is not there", nil, nil, many(Pair{a, b}, Pair{c, "areas/none.html"}), failure.PathNotFound},
		{
			"the last is broken",
			map[string]string{d: strings.Replace(claim("x", 1), "</mark>", "</mark><mark>y</mark>", 1)},
			nil,
			many(Pair{a, b}, Pair{c, d}), failure.InvalidMemory,
		},
		{"its archive is taken", map[string]string{"archive/2026/" + c: claim("Old", 1)}, nil, many(Pair{a, b}, Pair{a, c}), failure.DestinationExists},
		{"the winner has unsaved changes", nil, func(f *fixture) {
			f.root.Edit(Modification{Kind: Opened, Path: a, Text: []byte("<p>half"), Version: 1})
		}, many(Pair{a, b}), failure.DirtyDocument},
	}
	refuse(t, four, tests)
}

// The pairs that do not go together are named.
func TestRoleConflictNamesThePairs(t *testing.T) {
	f := newFixture(t, four())
	_, err := f.root.SupersedeMany(context.Background(), SupersedeManyRequest{Pairs: []Pair{{a, b}, {d, c}, {b, d}}})
	got, marshalErr := json.Marshal(Refusal(err).Data)
	want := `{"pairs":[{"winner":"areas/a.html","loser":"areas/b.html"},{"winner":"areas/b.html","loser":"areas/d.html"}]}`
	if marshalErr != nil || string(got) != want || !strings.Contains(err.Error(), b) {
		t.Errorf("%v with %s", err, got)
	}
}
