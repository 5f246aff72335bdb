package store

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// settle makes the index older than the clock tick of any file in it, and
// every entry's stat fields right, so that nothing needs smudging.
func (s *sandbox) settle() {
	s.t.Helper()
	s.backdate(time.Now().Add(-time.Hour))
	s.git("update-index", "-q", "--really-refresh")
}

// backdate gives all files of the worktree a time.
func (s *sandbox) backdate(at time.Time) {
	s.t.Helper()
	for line := range strings.Lines(s.git("ls-files", "-z", "--cached", "--others")) {
		for p := range strings.SplitSeq(line, "\x00") {
			if p != "" {
				_ = os.Chtimes(s.path(p), at, at)
			}
		}
	}
}

// TestPersonsWorkIsKept commits beside work of every kind, and holds index
// entries against their bytes before.
func TestPersonsWorkIsKept(t *testing.T) {
	for _, version := range []string{"2", "4"} {
		t.Run("index "+version, func(t *testing.T) {
			s := newSandbox(t)
			s.git("update-index", "--index-version", version)
			s.personalWork()
			s.backdate(time.Now().Add(-time.Hour))
			status, diff, staged := s.git("status", "--porcelain=v2"), s.git("diff"), s.git("diff", "--cached")
			before := s.entries()
			s.commit(s.open(), s.archive(drain, moved))
			after := s.entries()
			delete(before, drain)
			delete(after, moved)
			if version == "4" {
				// Names share prefixes: where a neighbour went, the rest is cut
				// anew. ls-files compares what they mean.
				before, after = fixedParts(before), fixedParts(after)
			}
			if d := cmp.Diff(before, after); d != "" {
				t.Errorf("index entries: %s", d)
			}
			if got := s.git("status", "--porcelain=v2"); got != status {
				t.Errorf("status: %s", diffLines(status, got))
			}
			if s.git("diff") != diff || s.git("diff", "--cached") != staged {
				t.Error("staged or unstaged work changed")
			}
			if got := s.git("show", "--format=", "--name-only", "--no-renames"); got != moved+"\n"+drain+"\n" {
				t.Errorf("committed:\n%s", got)
			}
			s.sound()
		})
	}
}

func fixedParts(entries map[string]string) map[string]string {
	out := map[string]string{}
	for p, e := range entries {
		out[p] = e[:entryFixed]
	}
	return out
}

// TestNamedFilesAreCommittedAsTheyAre is D18, with git's view of each path
// before and after.
func TestNamedFilesAreCommittedAsTheyAre(t *testing.T) {
	for _, row := range []struct {
		name string
		set  func(s *sandbox)
		diff string
	}{
		{"as committed", func(*sandbox) {}, "A\t" + moved + "\nD\t" + drain + "\n"},
		{"saved, not staged", func(s *sandbox) { s.write(drain, s.read(drain)+"later\n") }, "A\t" + moved + "\nD\t" + drain + "\n"},
		{"staged whole", func(s *sandbox) {
			s.write(drain, s.read(drain)+"later\n")
			s.git("add", drain)
		}, "A\t" + moved + "\nD\t" + drain + "\n"},
		{"assume-unchanged", func(s *sandbox) {
			s.git("update-index", "--assume-unchanged", drain)
			s.write(drain, s.read(drain)+"later\n")
		}, "A\t" + moved + "\nD\t" + drain + "\n"},
		{"untracked", func(s *sandbox) {
			text := s.read(drain)
			s.git("rm", "-q", drain)
			s.git("commit", "-q", "-m", "gone")
			s.write(drain, text)
		}, "A\t" + moved + "\n"},
		{"new and staged", func(s *sandbox) {
			text := s.read(drain)
			s.git("rm", "-q", drain)
			s.git("commit", "-q", "-m", "gone")
			s.write(drain, text)
			s.git("add", drain)
		}, "A\t" + moved + "\n"},
		{"intent to add", func(s *sandbox) {
			text := s.read(drain)
			s.git("rm", "-q", drain)
			s.git("commit", "-q", "-m", "gone")
			s.write(drain, text)
			s.git("add", "-N", drain)
		}, "A\t" + moved + "\n"},
		{"staged back", func(s *sandbox) {
			text := s.read(drain)
			s.write(drain, text+"later\n")
			s.git("add", drain)
			s.write(drain, text+"later\n")
		}, "A\t" + moved + "\nD\t" + drain + "\n"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newSandbox(t)
			row.set(s)
			want := string(s.archive(drain, moved).Changes[0].After)
			s.commit(s.open(), s.archive(drain, moved))
			if got := s.git("show", "--format=", "--name-status", "--no-renames"); got != row.diff {
				t.Errorf("committed:\n%s", got)
			}
			if got := s.git("show", "HEAD:"+moved); got != want || s.read(moved) != want {
				t.Errorf("content:\n%s", got)
			}
			s.clean()
			s.sound()
		})
	}
}

// TestPathVacatedAndTaken is a correction that keeps its target's path.
func TestPathVacatedAndTaken(t *testing.T) {
	s := newSandbox(t)
	text := s.read(drain)
	s.commit(s.open(), Plan{Changes: []Change{
		move(drain, moved, text),
		{Path: drain, After: []byte(article("drain", "Cordon, then drain."))},
	}, Message: Message{Subject: "memhtml(correct): drain"}, At: testTime})
	if got := s.git("show", "--format=", "--name-status", "--no-renames"); got != "A\t"+moved+"\nM\t"+drain+"\n" {
		t.Errorf("committed:\n%s", got)
	}
	s.clean()
	s.sound()
}

// TestSwap exchanges two files in one commit.
func TestSwap(t *testing.T) {
	s := newSandbox(t)
	a, b := s.read(drain), s.read(pool)
	s.commit(s.open(), Plan{Changes: []Change{
		{From: drain, Path: pool, Expect: sum(a), After: []byte(a)},
		{From: pool, Path: drain, Expect: sum(b), After: []byte(b)},
	}, At: testTime})
	if s.read(drain) != b || s.read(pool) != a {
		t.Error("not exchanged")
	}
	s.clean()
	s.sound()
}

// TestLastFileOfAFolder leaves no empty folder in the tree.
func TestLastFileOfAFolder(t *testing.T) {
	s := newSandbox(t)
	s.commit(s.open(), Plan{Changes: []Change{
		{From: drain, Expect: sum(s.read(drain))},
		{From: pool, Expect: sum(s.read(pool))},
	}, At: testTime})
	if got := s.git("ls-tree", "-r", "-t", "--name-only", "HEAD"); got != "README.html\n" {
		t.Errorf("tree:\n%s", got)
	}
	s.commit(s.open(), Plan{Changes: []Change{{From: "README.html", Expect: sum(s.read("README.html"))}}, At: testTime})
	s.clean()
	s.sound()
}

// TestTreeOrder puts names around a folder whose sort place differs from a
// file's.
func TestTreeOrder(t *testing.T) {
	s := newSandbox(t)
	p := Plan{At: testTime}
	for _, name := range []string{"areas.html", "areas-x.html", "areas/ops.html", "areas/ops-a.html", "areas/ops/-.html", "areas0.html", "a", "z/z/z.html"} {
		p.Changes = append(p.Changes, Change{Path: name, After: []byte(name)})
	}
	s.commit(s.open(), p)
	s.clean()
	s.sound()
	if got, want := s.git("write-tree"), s.git("rev-parse", "HEAD^{tree}"); got != want {
		t.Errorf("tree is %s, git makes %s of the index", want, got)
	}
}

// TestRacyEdit saves a file in the same clock tick as the index was written,
// with the same size: git must still see it after our index is written.
func TestRacyEdit(t *testing.T) {
	s := newSandbox(t)
	s.settle()
	st, err := os.Stat(s.path("README.html"))
	if err != nil {
		t.Fatal(err)
	}
	s.write("README.html", "<p>MEMORIES\n")
	if err := os.Chtimes(s.path("README.html"), st.ModTime(), st.ModTime()); err != nil {
		t.Fatal(err)
	}
	s.git("config", "core.trustctime", "false")
	if err := os.Chtimes(s.path(".git/index"), st.ModTime(), st.ModTime()); err != nil {
		t.Fatal(err)
	}
	s.commit(s.open(), s.archive(drain, moved))
	if got := s.git("status", "--porcelain"); got != " M README.html\n" {
		t.Errorf("git does not see the edit any more:\n%s", got)
	}
}

// TestRacyButClean leaves the entry of an unchanged file as it is, although
// its time does not prove it clean.
func TestRacyButClean(t *testing.T) {
	s := newSandbox(t)
	s.settle()
	st, err := os.Stat(s.path("README.html"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(s.path(".git/index"), st.ModTime(), st.ModTime()); err != nil {
		t.Fatal(err)
	}
	before := s.entries()["README.html"]
	s.commit(s.open(), s.archive(drain, moved))
	if s.entries()["README.html"] != before {
		t.Error("entry changed")
	}
	if got := s.git("diff-files", "--name-only"); got != "" {
		t.Errorf("diff-files: %s", got)
	}
}

// TestCachedTree holds the TREE extension against git's own reading of it:
// what is still valid must be right.
func TestCachedTree(t *testing.T) {
	s := newSandbox(t)
	s.write("projects/a/b/c.html", "c\n")
	s.git("add", ".")
	s.git("commit", "-q", "-m", "more")
	s.git("read-tree", "HEAD")
	s.git("update-index", "--refresh")
	s.commit(s.open(), s.archive(drain, moved))
	raw, err := os.ReadFile(s.path(".git/index"))
	if err != nil {
		t.Fatal(err)
	}
	x, err := parseIndex(raw)
	if err != nil {
		t.Fatal(err)
	}
	if len(x.extensions) != 1 || x.extensions[0].name != "TREE" {
		t.Fatalf("extensions: %v", x.extensions)
	}
	tree := string(x.extensions[0].data)
	if !strings.HasPrefix(tree, "\x00-1 2\nareas\x00-1 1\nops\x00-1 0\nprojects\x001 1\n") {
		t.Errorf("TREE: %q", tree)
	}
	if got, want := s.git("write-tree"), s.git("rev-parse", "HEAD^{tree}"); got != want {
		t.Errorf("tree is %s, git makes %s of the index", want, got)
	}
}

func TestMessage(t *testing.T) {
	s := newSandbox(t)
	p := s.archive(drain, moved)
	p.Message = Message{
		Subject: "memhtml(archive): a  b\nc", Body: "\nWhy it went. \n\n\nMo\x1bre.\x00\u202e\n\n",
		Trailers: []Trailer{{"Memhtml-Session", "s1"}, {"Memhtml-Prompt", "p\n1"}},
	}
	s.commit(s.open(), p)
	want := "memhtml(archive): a  b c\n\nWhy it went.\n\n\nMore.\n\nMemhtml-Session: s1\nMemhtml-Prompt: p 1\n"
	if got := s.git("log", "-1", "--format=%B"); got != want+"\n" {
		t.Errorf("message %q", got)
	}
	if got := s.git("log", "-1", "--format=%(trailers)"); got != "Memhtml-Session: s1\nMemhtml-Prompt: p 1\n\n" {
		t.Errorf("trailers %q", got)
	}
}
