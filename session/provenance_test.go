package session

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memhtml-ls/memhtml-ls/index"
)

// did lists what a session did, "path kind", sorted, with the time where that is
// not the one of the tests' clock.
func did(t *testing.T, root *Root, session string) (lines []string) {
	t.Helper()
	links, err := root.MemoriesOf(context.Background(), session)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range links {
		if l.Session != session {
			t.Errorf("%+v", l)
		}
		line := l.Path + " " + string(l.Kind) + " " + l.At
		lines = append(lines, strings.TrimSuffix(line, " 2026-05-02T08:30:00Z"))
	}
	slices.Sort(lines)
	return lines
}

const archivedPool = "archive/2026/" + pool

// asked is a command on behalf of a session.
type asked struct {
	name string
	run  func(ctx context.Context, root *Root, f *fixture) error
	// want is what is recorded, files what of it the files say.
	want, files []string
	// message are the trailers of the commit, "" without one.
	message string
}

const trailersOfS1 = "Memhtml-Session: s1\nMemhtml-Prompt: p1\n"

func onBehalf() []asked {
	const kiln = "resources/kiln/the-kiln-fires-on-friday.html"
	write := func(claim string, dedupe Dedupe) func(context.Context, *Root, *fixture) error {
		return func(ctx context.Context, root *Root, _ *fixture) error {
			_, err := root.Write(ctx, WriteRequest{
				Title: claim, Type: "semantic", Claim: claim, Tags: []string{"kiln"}, SessionID: " s1 ", PromptID: "p1", Dedupe: dedupe,
			})
			return err
		}
	}
	return []asked{
		{"write", write("The kiln fires on Friday", ""), []string{kiln + " wrote"}, []string{kiln + " wrote"}, trailersOfS1},
		{"write a duplicate", write("The connection pool ceiling is 64", ""), []string{pool + " reinforced"}, nil, ""},
		// The session in a head is the last that brought something to it, and a head
		// knows of no other than who wrote it.
		{"write and update", write("The connection pool ceiling is 64", DedupeExact), []string{pool + " reinforced"}, nil, trailersOfS1},
		{"apply", func(ctx context.Context, root *Root, _ *fixture) error {
			_, err := root.Apply(ctx, ApplyRequest{
				SessionID: "s1", PromptID: "p1", ContinueOnError: true, Consolidate: ConsolidateLastWins,
				Operations: []WriteOperation{
					{WriteRequest: fact("Drain", "Drain a node before it is stopped")},
					{WriteRequest: fact("Node", "")},
					{WriteRequest: WriteRequest{Title: "Kiln", Type: "semantic", Claim: "The kiln ceiling is 9", SessionID: "s2"}},
					{WriteRequest: WriteRequest{Title: "Pool", Type: "semantic", Claim: edited, Path: "areas/new.html"}},
				},
			})
			return err
		}, []string{"areas/new.html wrote", archivedPool + " corrected", third + " reinforced"}, []string{"areas/new.html wrote", archivedPool + " corrected"}, "Memhtml-Session: s2\n"},
		{"correct", func(ctx context.Context, root *Root, _ *fixture) error {
			_, err := root.Correct(ctx, CorrectRequest{Target: pool, Claim: edited, Path: "areas/new.html", SessionID: "s1", PromptID: "p1"})
			return err
		}, []string{"areas/new.html wrote", archivedPool + " corrected"}, []string{"areas/new.html wrote", archivedPool + " corrected"}, trailersOfS1},
		{"correct from edit", func(ctx context.Context, root *Root, f *fixture) error {
			f.write(pool, claim(edited, 1))
			_, err := root.CorrectFromEdit(ctx, CorrectFromEditRequest{Path: pool, SessionID: "s1", PromptID: "p1"})
			return err
		}, []string{archivedPool + " corrected", "areas/ops/the-connection-pool-ceiling-is-65.html wrote"}, []string{archivedPool + " corrected", "areas/ops/the-connection-pool-ceiling-is-65.html wrote"}, trailersOfS1},
		{"update", func(ctx context.Context, root *Root, _ *fixture) error {
			_, err := root.Update(ctx, UpdateRequest{Path: pool, Tags: []string{"pool"}, SessionID: "s1", PromptID: "p1"})
			return err
		}, []string{pool + " reinforced"}, nil, trailersOfS1},
		{"archive", func(ctx context.Context, root *Root, _ *fixture) error {
			_, err := root.Archive(ctx, ArchiveRequest{Path: pool, SessionID: "s1", PromptID: "p1"})
			return err
		}, []string{archivedPool + " corrected"}, nil, trailersOfS1},
		{"supersede", func(ctx context.Context, root *Root, _ *fixture) error {
			_, err := root.Supersede(ctx, SupersedeRequest{Winner: other, Loser: pool, SessionID: "s1", PromptID: "p1"})
			return err
		}, []string{other + " reinforced", archivedPool + " corrected"}, nil, trailersOfS1},
		{"link", func(ctx context.Context, root *Root, _ *fixture) error {
			_, err := root.Link(ctx, LinkRequest{Source: pool, Rel: "relates_to", Target: other, SessionID: "s1", PromptID: "p1"})
			return err
		}, []string{pool + " reinforced"}, nil, trailersOfS1},
		{"keep both", func(ctx context.Context, root *Root, _ *fixture) error {
			_, err := root.KeepBoth(ctx, LinkRequest{Source: pool, Target: other, SessionID: "s1", PromptID: "p1"})
			return err
		}, []string{pool + " reinforced", other + " reinforced"}, nil, trailersOfS1},
		{"merge", func(ctx context.Context, root *Root, _ *fixture) error {
			_, err := root.Merge(ctx, MergeRequest{Keep: other, Drop: pool, SessionID: "s1", PromptID: "p1"})
			return err
		}, []string{other + " reinforced", archivedPool + " corrected"}, nil, trailersOfS1},
	}
}

// What a session did is told by the root that did it, by the next one, and, as
// far as the files say it, by one that has to read them again.
func TestCommandsRecordTheirSession(t *testing.T) {
	for _, test := range onBehalf() {
		t.Run(test.name, func(t *testing.T) {
			roots(t, pools(), func(t *testing.T, f *fixture, root *Root) {
				before := f.head()
				if err := test.run(context.Background(), root, f); err != nil {
					t.Fatal(err)
				}
				slices.Sort(test.want)
				if diff := cmp.Diff(test.want, did(t, root, "s1")); diff != "" {
					t.Errorf("recorded (-want +got)\n%s", diff)
				}
				got := regexp.MustCompile(`(?m)^Memhtml-Uncommitted: .*\n`).ReplaceAllString(f.git("log", "--format=%(trailers:unfold)", before+"..HEAD"), "")
				if strings.TrimSpace(got) != strings.TrimSpace(test.message) {
					t.Errorf("trailers %q, want %q", got, test.message)
				}
				if err := root.Close(); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(test.want, did(t, f.alone(), "s1")); diff != "" {
					t.Errorf("the next start (-want +got)\n%s", diff)
				}
				if err := os.RemoveAll(filepath.Join(f.dir, ".git", "memhtml-ls")); err != nil {
					t.Fatal(err)
				}
				slices.Sort(test.files)
				if diff := cmp.Diff(test.files, did(t, f.alone(), "s1")); diff != "" {
					t.Errorf("the files (-want +got)\n%s", diff)
				}
			})
		})
	}
}

// What was recorded of a memory goes with it, whoever archives it, and comes
// back when that is undone (M100).
func TestRecordsFollowTheirMemory(t *testing.T) {
	tests := []struct {
		name string
		move func(root *Root, f *fixture) error
		want string
	}{
		{"archived", func(root *Root, _ *fixture) error { return archive(pool)(root) }, archivedPool},
		{"superseded", func(root *Root, _ *fixture) error { return supersede(other, pool)(root) }, archivedPool},
		{"archived with git", func(_ *Root, f *fixture) error {
			f.write("archive/2026/areas/ops/.keep", "")
			f.git("mv", pool, archivedPool)
			f.git("commit", "-q", "-m", "by hand")
			return nil
		}, archivedPool},
		{"archived and undone", func(root *Root, _ *fixture) error {
			if err := archive(pool)(root); err != nil {
				return err
			}
			_, err := root.Undo(context.Background(), UndoRequest{})
			return err
		}, pool},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			roots(t, pools(), func(t *testing.T, f *fixture, root *Root) {
				link := LinkRequest{Source: pool, Rel: "relates_to", Target: third, SessionID: "s1"}
				if _, err := root.Link(context.Background(), link); err != nil {
					t.Fatal(err)
				}
				if got := did(t, root, "s1"); !slices.Equal(got, []string{pool + " reinforced"}) {
					t.Fatalf("recorded %q", got)
				}
				if err := test.move(root, f); err != nil {
					t.Fatal(err)
				}
				if root.indexed() {
					if _, err := root.Poll(context.Background()); err != nil {
						t.Fatal(err)
					}
				}
				if got := did(t, root, "s1"); !slices.Equal(got, []string{test.want + " reinforced"}) {
					t.Errorf("%q, want it at %s", got, test.want)
				}
			})
		})
	}
}

func TestNothingIsRecordedWithoutASession(t *testing.T) {
	f := newFixture(t, pools())
	if err := archive(pool)(f.root); err != nil {
		t.Fatal(err)
	}
	mustWrite(t, f.root, WriteRequest{Title: "Kiln", Type: "semantic", Claim: "The kiln fires", SessionID: " ", PromptID: "p1"})
	f.flush(f.root)
	if got := f.query("SELECT count(*) FROM sessions"); got != "0" {
		t.Errorf("%s rows", got)
	}
}

// A session that cannot be recorded is logged, and the commit is made (M111).
func TestABrokenDatabaseIsLoggedAndTheCommitMade(t *testing.T) {
	for _, indexed := range []bool{true, false} {
		f := newFixture(t, pools())
		f.flush(f.root)
		if err := f.root.Close(); err != nil {
			t.Fatal(err)
		}
		var log bytes.Buffer
		root, err := Open(context.Background(), f.dir, Options{
			Now: func() time.Time { return at }, Logger: slog.New(slog.NewTextHandler(&log, nil)),
		})
		if err != nil {
			t.Fatal(err)
		}
		if indexed {
			if err := root.Index(context.Background(), nil); err != nil {
				t.Fatal(err)
			}
		}
		f.sql("DROP TABLE sessions")
		result, err := root.Archive(context.Background(), ArchiveRequest{Path: pool, SessionID: "s1"})
		if err != nil || *result.Commit != f.head() {
			t.Errorf("indexed %v: %+v, %v", indexed, result, err)
		}
		_ = root.Close()
		if !strings.Contains(log.String(), "record the session of a commit") {
			t.Errorf("indexed %v: the log has %q", indexed, log.String())
		}
	}
}

// The sessions of a memory are what commands recorded and what its file says.
func TestSessionsOfAMemory(t *testing.T) {
	roots(t, pools(), func(t *testing.T, f *fixture, root *Root) {
		request := fact("Kiln", "The kiln fires on Friday")
		request.SessionID = "s1"
		path := mustWrite(t, root, request).Path
		f.write(path, strings.Replace(f.read(path), `content="s1"`, `content="s2"`, 1))
		f.git("commit", "-q", "-a", "-m", "by hand")
		if root.indexed() {
			if _, err := root.Poll(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
		links, err := root.SessionsOf(context.Background(), path)
		want := []index.SessionLink{
			{Path: path, Session: "s1", Kind: index.SessionWrote, At: "2026-05-02T08:30:00Z"},
			{Path: path, Session: "s2", Kind: index.SessionWrote, At: "2026-05-02T08:30:00Z"},
		}
		if diff := cmp.Diff(want, links); err != nil || diff != "" {
			t.Errorf("%v (-want +got)\n%s", err, diff)
		}
	})
}

// Who said a memory again, or filed it, was told to have written it.
func TestTheFirstSessionStaysTheWriter(t *testing.T) {
	roots(t, pools(), func(t *testing.T, f *fixture, root *Root) {
		first := fact("The kiln", "The kiln fires on Friday")
		first.SessionID, first.PromptID, first.TurnUUID = "s1", "p1", "t1"
		path := mustWrite(t, root, first).Path
		again := exact(first)
		again.SessionID, again.PromptID, again.TurnUUID, again.Tags = "s2", "p2", "t2", []string{"cone"}
		mustWrite(t, root, again)
		mustUpdate(t, root, UpdateRequest{Path: path, Tags: []string{"oven"}, SessionID: "s3", PromptID: "p3"})
		m := f.metas(path)
		if diff := cmp.Diff([]string{"s1", "p1", "t1"}, []string{m.Session, m.Prompt, m.Turn}); diff != "" {
			t.Errorf("head (-want +got)\n%s", diff)
		}
		for session, want := range map[string][]string{"s1": {path + " wrote"}, "s2": {path + " reinforced"}, "s3": {path + " reinforced"}} {
			if diff := cmp.Diff(want, did(t, root, session)); diff != "" {
				t.Errorf("%s (-want +got)\n%s", session, diff)
			}
		}
	})
}
