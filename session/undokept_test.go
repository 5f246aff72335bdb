package session

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/internal/fault"
	"github.com/memhtml-ls/memhtml-ls/store"
)

// handwritten is a memory that is on disk and in no commit.
const handwritten = "areas/handwritten.html"

// uncommittedWork edits pool, which is in the last commit, and writes a memory
// that is in none.
func uncommittedWork(f *fixture) {
	f.write(pool, strings.Replace(claim("The connection pool ceiling is 64", 1), "</article>", "<p>By hand.</p>\n</article>", 1))
	f.write(handwritten, claim("The kiln fires on Friday", 4))
}

// takingIn are commands that take an edited file, an untracked one or both into
// their commit.
var takingIn = map[string]func(ctx context.Context, root *Root) (Done, error){
	"archive an edited one": func(ctx context.Context, root *Root) (Done, error) {
		result, err := root.Archive(ctx, ArchiveRequest{Path: pool})
		return result.Done, err
	},
	"archive an untracked one": func(ctx context.Context, root *Root) (Done, error) {
		result, err := root.Archive(ctx, ArchiveRequest{Path: handwritten})
		return result.Done, err
	},
	"supersede the edited one": func(ctx context.Context, root *Root) (Done, error) {
		result, err := root.Supersede(ctx, SupersedeRequest{Winner: handwritten, Loser: pool})
		return result.Done, err
	},
	"supersede the untracked one": func(ctx context.Context, root *Root) (Done, error) {
		result, err := root.Supersede(ctx, SupersedeRequest{Winner: pool, Loser: handwritten})
		return result.Done, err
	},
	"supersede many": func(ctx context.Context, root *Root) (Done, error) {
		result, err := root.SupersedeMany(ctx, SupersedeManyRequest{Pairs: []Pair{{handwritten, pool}, {handwritten, third}}})
		return result.Done, err
	},
	"link": func(ctx context.Context, root *Root) (Done, error) {
		result, err := root.Link(ctx, LinkRequest{Source: handwritten, Rel: "relates_to", Target: third})
		return result.Done, err
	},
	"keep both": func(ctx context.Context, root *Root) (Done, error) {
		result, err := root.KeepBoth(ctx, LinkRequest{Source: pool, Target: handwritten})
		return result.Done, err
	},
	"merge": func(ctx context.Context, root *Root) (Done, error) {
		result, err := root.Merge(ctx, MergeRequest{Keep: pool, Drop: handwritten})
		return result.Done, err
	},
	"update an edited one": func(ctx context.Context, root *Root) (Done, error) {
		said := edited
		result, err := root.Update(ctx, UpdateRequest{Path: pool, Claim: &said})
		return result.Done, err
	},
	"update an untracked one": func(ctx context.Context, root *Root) (Done, error) {
		result, err := root.Update(ctx, UpdateRequest{Path: handwritten, Tags: []string{"kiln"}})
		return result.Done, err
	},
	"correct an edited one": func(ctx context.Context, root *Root) (Done, error) {
		result, err := root.Correct(ctx, CorrectRequest{Target: pool, Claim: edited})
		return result.Done, err
	},
	"correct an untracked one": func(ctx context.Context, root *Root) (Done, error) {
		result, err := root.Correct(ctx, CorrectRequest{Target: handwritten, Claim: edited})
		return result.Done, err
	},
	"correct into the same place": func(ctx context.Context, root *Root) (Done, error) {
		result, err := root.Correct(ctx, CorrectRequest{Target: handwritten, Path: handwritten, Claim: edited})
		return result.Done, err
	},
}

// worktree is every file on disk, and what git says of them.
func (f *fixture) worktree() string {
	f.t.Helper()
	all, err := meaning(f.dir)
	if err != nil {
		f.t.Fatal(err)
	}
	var files strings.Builder
	keep := false
	for line := range strings.Lines(all) {
		if name := strings.TrimSuffix(line, "\n"); name == ".git" || strings.HasPrefix(name, ".git/") {
			keep = false
		} else if strings.HasPrefix(name, "areas") {
			keep = true
		}
		if keep {
			files.WriteString(line)
		}
	}
	return files.String() + f.git("status", "--porcelain", "--untracked-files=all") + f.git("diff", "HEAD")
}

// A command takes in what was on disk and in no commit; its undo deleted the
// untracked file and put the last commit's text over the edit.
func TestUndoLeavesWhatWasNotCommitted(t *testing.T) {
	for name, command := range takingIn {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, pools())
			uncommittedWork(f)
			f.root.Modify(Modification{Kind: Touched, Path: pool}, Modification{Kind: Touched, Path: handwritten})
			before, tree := f.worktree(), f.tree()
			done, err := command(context.Background(), f.root)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.ContainsFunc(done.Warnings, func(w string) bool { return strings.Contains(w, "in no commit before") }) {
				t.Errorf("not told what the commit took in: %q", done.Warnings)
			}
			if err := undo("")(f.root); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(before, f.worktree()); diff != "" {
				t.Errorf("on disk (-before +after)\n%s", diff)
			}
			if f.tree() != tree {
				t.Error("another tree than before")
			}
			f.fsck()
			f.refusesToRedo()
		})
	}
}

// refusesToRedo demands that an undo that left work on the disk is not undone
// over it.
func (f *fixture) refusesToRedo() {
	f.t.Helper()
	before := f.state()
	if err := undo("")(f.root); failure.CodeOf(err) != failure.WriteConflict || !strings.Contains(err.Error(), "not committed") {
		f.t.Errorf("undone again: %v", err)
	}
	if before != f.state() {
		f.t.Error("the refusal changed something")
	}
}

// An edit that was staged, or an untracked file that was added, is on disk again.
func TestUndoLeavesWhatWasStaged(t *testing.T) {
	f := newFixture(t, pools())
	uncommittedWork(f)
	f.git("add", "-A")
	if err := merge(pool, handwritten)(f.root); err != nil {
		t.Fatal(err)
	}
	if err := undo("")(f.root); err != nil {
		t.Fatal(err)
	}
	if got, want := f.git("status", "--porcelain"), " M "+pool+"\n?? "+handwritten+"\n"; got != want {
		t.Errorf("status %q, want %q", got, want)
	}
}

// The edit of a memory that was corrected from it is an edit again.
func TestUndoOfACorrectionFromAnEditLeavesTheEdit(t *testing.T) {
	f := newFixture(t, pools())
	f.write(pool, claim(edited, 1))
	f.root.Modify(Modification{Kind: Touched, Path: pool})
	before := f.worktree()
	result, err := f.root.CorrectFromEdit(context.Background(), CorrectFromEditRequest{Path: pool})
	if err != nil || len(result.Warnings) > 0 {
		t.Fatalf("%v %q", err, result.Warnings)
	}
	if err := undo("")(f.root); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, f.worktree()); diff != "" {
		t.Errorf("on disk (-before +after)\n%s", diff)
	}
}

// What git has dropped in the meantime cannot be left on the disk, and nothing
// else is put there for it.
func TestUndoRefusesWhenGitHasDroppedTheWork(t *testing.T) {
	f := newFixture(t, pools())
	uncommittedWork(f)
	if err := archive(handwritten)(f.root); err != nil {
		t.Fatal(err)
	}
	f.git("prune", "--expire=now")
	before := f.state()
	if err := undo("")(f.alone()); failure.CodeOf(err) != failure.GitState || !strings.Contains(err.Error(), handwritten) {
		t.Errorf("%v", err)
	}
	if before != f.state() {
		t.Error("the refusal changed something")
	}
}

// Undo was asked for again after a kill, and undid the undo that the start had
// finished.
func TestUndoAskedAgainAfterAKillIsDone(t *testing.T) {
	f := newRepository(t, pools())
	if err := archive(pool)(f.alone()); err != nil {
		t.Fatal(err)
	}
	reverted := f.head()
	root := f.alone()
	fault.Step = func(step string) error {
		if step == store.StepUnlock {
			return errors.New("killed")
		}
		return nil
	}
	err := undo("")(root)
	fault.Step = nil
	if err != nil {
		t.Fatal(err)
	}
	head := f.head()
	result, err := f.alone().Undo(context.Background(), UndoRequest{})
	if err != nil || !result.Already || result.Reverted != reverted || *result.Commit != head || f.head() != head {
		t.Errorf("%+v %v", result, err)
	}
	if err := undo("")(f.alone()); err != nil || f.head() == head {
		t.Errorf("once more: %v", err)
	}
}

// Line ends are part of what is left on the disk.
func TestUndoLeavesTheLineEndsOfAnEdit(t *testing.T) {
	f := newFixture(t, pools())
	f.git("config", "core.autocrlf", "true")
	uncommittedWork(f)
	before := strings.ReplaceAll(f.read(pool), "\n", "\r\n")
	f.write(pool, before)
	if err := archive(pool)(f.alone()); err != nil {
		t.Fatal(err)
	}
	if err := undo("")(f.alone()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, f.read(pool)); diff != "" {
		t.Errorf("on disk (-before +after)\n%s", diff)
	}
}
