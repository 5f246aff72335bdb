package session

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memhtml-ls/memhtml-ls/memory"
)

// take carries out the action of a title on the claim of a file.
func (f *fixture) take(path, title string) {
	f.t.Helper()
	for _, action := range f.actions(path, "<mark>") {
		if action.Title != title {
			continue
		}
		ctx := context.Background()
		var err error
		switch request := action.Request.(type) {
		case LinkRequest:
			_, err = f.root.KeepBoth(ctx, request)
		case MergeRequest:
			_, err = f.root.Merge(ctx, request)
		case CorrectFromEditRequest:
			_, err = f.root.CorrectFromEdit(ctx, request)
		case CorrectRequest:
			request.Claim = "Something else"
			_, err = f.root.Correct(ctx, request)
		default:
			f.t.Fatalf("%q makes a %T", title, request)
		}
		if err != nil {
			f.t.Errorf("%q: %v", title, err)
		}
		return
	}
	f.t.Errorf("%s: no %q among %q", path, title, f.offered(path))
}

// The relation is written by the later memory, from whichever side it is chosen.
func TestKeepBothActions(t *testing.T) {
	for _, side := range []string{pool, other} {
		for title, rel := range map[string]string{"Keep both: they contradict": "contradicts", "Keep both: related": "laterally_related"} {
			f := newFixture(t, pools())
			f.take(side, title)
			if got, want := f.subject(), "memhtml(link): "+rel+" "+other+" -> "+pool; !strings.HasPrefix(want, strings.TrimSuffix(got, "…")) {
				t.Errorf("%s from %s: %q", title, side, got)
			}
			f.want("settled")
		}
	}
}

// The older of the two is kept, from whichever side it is chosen, also where
// the older one is not committed and so is the one that reports.
func TestMergeActionKeepsTheOlder(t *testing.T) {
	base := claim("The gate code is 4711", 5)
	again := strings.Replace(claim("The gate code is 4711", 2), "</article>", "<p>Again.</p>\n</article>", 1)
	for _, side := range []string{a, b} {
		f := newFixture(t, map[string]string{a: base})
		f.write(b, again)
		f.root.Modify(Modification{Kind: Touched, Path: b})
		f.want("the untracked file reports", b+" frame-key-restatement "+a)
		title := "Merge into " + b
		if side == b {
			title = "Merge " + a + " into this"
		}
		f.take(side, title)
		if got := f.subject(); got != "memhtml(merge): "+a+" into "+b {
			t.Errorf("from %s: %q", side, got)
		}
	}
}

func TestCommitThisEditIsOfferedForASavedClaim(t *testing.T) {
	const title = "Commit this edit as a correction"
	f := newFixture(t, four())
	plain := []string{"Correct this memory", "Archive this memory"}
	expect := func(step string, want ...string) {
		t.Helper()
		if diff := cmp.Diff(append(want, plain...), f.offered(a)); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", step, diff)
		}
	}
	save := func(text string) {
		f.write(a, text)
		f.root.Modify(Modification{Kind: Touched, Path: a})
	}
	old := f.read(a)
	expect("committed")
	save(strings.Replace(old, "It is told", "It was told", 1))
	expect("another text, the same claim")
	save(strings.ReplaceAll(old, "opens at", "shuts at"))
	expect("another claim", title)
	f.root.Edit(Modification{Kind: Opened, Path: a, Text: []byte(f.read(a)), Version: 1},
		Modification{Kind: Changed, Path: a, Text: []byte(f.read(a) + "\n"), Version: 2})
	plain = []string{
		"Correct this memory [" + a + " has unsaved changes.]",
		"Archive this memory [" + a + " has unsaved changes.]",
	}
	expect("unsaved", title+" ["+a+" has unsaved changes.]")
	f.root.Edit(Modification{Kind: Closed, Path: a})
	plain = []string{"Correct this memory", "Archive this memory"}
	f.take(a, title)
	if diff := cmp.Diff(plain, f.offered("areas/gate-a-shuts-at-5.html")); diff != "" {
		t.Errorf("corrected: (-want +got)\n%s", diff)
	}
	f.write("areas/new.html", claim("New", 5))
	f.root.Modify(Modification{Kind: Touched, Path: "areas/new.html"})
	if diff := cmp.Diff(plain, f.offered("areas/new.html")); diff != "" {
		t.Errorf("not in the last commit: (-want +got)\n%s", diff)
	}
}

func TestCorrectActionAsksForTheClaim(t *testing.T) {
	f := newFixture(t, map[string]string{a: claim("Gate a opens at 5", 1), "areas/t.html": task("Mend the gate")})
	for _, action := range f.actions(a, "<mark>") {
		if action.Title == "Correct this memory" && (action.Ask != AskClaim || !action.MustAsk) {
			t.Errorf("%+v", action)
		}
	}
	f.take(a, "Correct this memory")
	if got := memory.Parse([]byte(f.read("areas/a-2.html"))).Gist; got != "Something else" {
		t.Errorf("claim %q", got)
	}
	if diff := cmp.Diff([]string{"Archive this memory"}, f.offered("areas/t.html")); diff != "" {
		t.Errorf("a task (-want +got)\n%s", diff)
	}
}
