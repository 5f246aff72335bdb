package session

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memhtml-ls/memhtml-ls/index"
	"github.com/memhtml-ls/memhtml-ls/memory"
)

func TestDuplicateIsRefusedBeforeAnythingIsTouched(t *testing.T) {
	roots(t, pools(), func(t *testing.T, f *fixture, root *Root) {
		said := memory.Parse([]byte(f.read(pool)))
		before := f.digest()
		result := mustWrite(t, root, fact("Another title", said.Gist))
		want := WriteResult{
			Done: Done{At: "2026-05-02T08:30:00Z"}, Path: pool, ExistingPath: pool, Action: OutcomeDeduped,
			ContentHash: said.ContentHash.String(), Conflicts: []Conflict{},
		}
		if diff := cmp.Diff(want, result); diff != "" {
			t.Errorf("result (-want +got)\n%s", diff)
		}
		if after := f.digest(); after != before {
			t.Error("a refused duplicate changed something")
		}
	})
}

// What another process committed since is known to either kind of root.
func TestDuplicateOfAnotherProcessIsRefused(t *testing.T) {
	roots(t, pools(), func(t *testing.T, f *fixture, root *Root) {
		mustWrite(t, root, fact("First", "The first thing is here"))
		f.write("areas/by-hand.html", claim("The gate is locked at nine", 1))
		f.git("add", "areas/by-hand.html")
		f.git("commit", "-q", "-m", "by hand")
		theirs := mustWrite(t, f.alone(), fact("Theirs", "The bell is in the tower"))
		for text, want := range map[string]string{"The gate is locked at nine": "areas/by-hand.html", "The bell is in the tower": theirs.Path} {
			if got := mustWrite(t, root, fact("x", text)); got.ExistingPath != want {
				t.Errorf("%q: %+v, want it deduped to %s", text, got, want)
			}
		}
	})
}

// A file that is not committed holds its content as well.
func TestDuplicateOfAnUncommittedFileIsRefused(t *testing.T) {
	f := newFixture(t, pools())
	root := f.alone()
	mustWrite(t, root, fact("First", "The first thing is here"))
	f.write("areas/by-hand.html", claim("The gate is locked at nine", 1))
	if got := mustWrite(t, root, fact("x", "The gate is locked at nine")); got.ExistingPath != "areas/by-hand.html" {
		t.Errorf("%+v", got)
	}
	// And one that was edited away from it no longer does.
	f.write("areas/by-hand.html", claim("The gate is open", 1))
	if got := mustWrite(t, root, fact("x", "The gate is locked at nine")); got.Action != OutcomeCreated {
		t.Errorf("%+v", got)
	}
}

// What the index believes is held against the file: nobody has told a server
// that this one was edited.
func TestAFileThatWasEditedMeanwhileHoldsNothing(t *testing.T) {
	f := newFixture(t, pools())
	said := memory.Parse([]byte(f.read(pool))).Gist
	f.write(pool, claim("The gate is locked at nine", 1))
	if got := mustWrite(t, f.root, fact("x", said)); got.Action != OutcomeCreated {
		t.Errorf("%+v", got)
	}
}

// Of the lookup and the claims each refuses alone (M18).
func TestEitherRefusalSufficesAlone(t *testing.T) {
	const text = "The kiln fires on Friday"
	tests := []struct {
		name  string
		spoil func(f *fixture, root *Root)
	}{
		{"the lookup is wrong", func(f *fixture, root *Root) {
			if root.indexed() {
				root.view.Store(&View{Snapshot: index.New(), root: root, buffers: map[string]*buffer{}, chosen: root.View().chosen})
				return
			}
			f.sql("UPDATE files SET content_hash = zeroblob(32), accepted = 0")
		}},
		{"the claims are wrong", func(f *fixture, root *Root) { f.sql("DELETE FROM claims") }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			roots(t, pools(), func(t *testing.T, f *fixture, root *Root) {
				first := mustWrite(t, root, fact("Kiln", text))
				f.flush(root)
				test.spoil(f, root)
				before := f.digest()
				if got := mustWrite(t, root, fact("Again", text)); got.Action != OutcomeDeduped || got.ExistingPath != first.Path {
					t.Errorf("%+v, want it deduped to %s", got, first.Path)
				}
				if f.digest() != before {
					t.Error("a refused duplicate changed something")
				}
			})
		})
	}
}

func TestTasksAndTheArchiveAreNoDuplicates(t *testing.T) {
	const text = "Mend the gate"
	tests := []struct {
		name          string
		first, second WriteRequest
		archive       bool
	}{
		{"task and task", todo("a", text), todo("b", text), false},
		{"memory after task", todo("a", text), fact("b", text), false},
		{"task after memory", fact("a", text), todo("b", text), false},
		{"memory after its archived twin", fact("a", text), fact("b", text), true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			roots(t, nil, func(t *testing.T, f *fixture, root *Root) {
				first := mustWrite(t, root, test.first)
				if test.archive {
					if _, err := root.Archive(context.Background(), ArchiveRequest{Path: first.Path}); err != nil {
						t.Fatal(err)
					}
				}
				if second := mustWrite(t, root, test.second); second.Action != OutcomeCreated {
					t.Errorf("%+v", second)
				}
			})
		})
	}
}

// What is being typed refuses nobody's write, and does not hide what is saved.
func TestUnsavedBuffersDoNotRefuseAWrite(t *testing.T) {
	f := newFixture(t, pools())
	saved := memory.Parse([]byte(f.read(pool))).Gist
	f.root.Edit(Modification{Kind: Opened, Path: pool, Text: []byte(f.read(pool)), Version: 1})
	f.root.Edit(Modification{Kind: Changed, Path: pool, Text: []byte(claim("The kiln fires on Friday", 1)), Version: 2})
	if got := mustWrite(t, f.root, fact("Typed", "The kiln fires on Friday")); got.Action != OutcomeCreated {
		t.Errorf("%+v", got)
	}
	if got := mustWrite(t, f.root, fact("Saved", saved)); got.ExistingPath != pool {
		t.Errorf("%+v", got)
	}
}
