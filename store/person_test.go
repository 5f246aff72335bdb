package store

import (
	"os"
	"sort"
	"strings"

	"github.com/google/go-cmp/cmp"
)

// personalWork leaves one file in each state that a person's work can be in.
func (s *sandbox) personalWork() {
	s.t.Helper()
	names := []string{"unstaged", "staged", "both", "assumed", "skipped", "uncached", "gone", "binned", "mode"}
	for _, n := range names {
		s.write("notes/"+n+".txt", "one "+n+"\n")
	}
	s.git("add", ".")
	s.git("commit", "-q", "-m", "notes")
	s.write("notes/unstaged.txt", "two unstaged\n")
	s.write("notes/staged.txt", "two staged\n")
	s.write("notes/both.txt", "two both\n")
	s.write("notes/added.txt", "added\n")
	s.git("add", "notes/staged.txt", "notes/both.txt", "notes/added.txt")
	s.write("notes/both.txt", "three both\n")
	s.write("notes/intent.txt", "intent\n")
	s.git("add", "-N", "notes/intent.txt")
	s.git("update-index", "--assume-unchanged", "notes/assumed.txt")
	s.write("notes/assumed.txt", "two assumed\n")
	s.git("update-index", "--skip-worktree", "notes/skipped.txt")
	s.git("rm", "-q", "--cached", "notes/uncached.txt")
	os.Remove(s.path("notes/gone.txt"))
	s.git("rm", "-q", "notes/binned.txt")
	os.Chmod(s.path("notes/mode.txt"), 0o777)
	s.write("notes/untracked.txt", "untracked\n")
}

// meaning is the state of a repository as a person sees it: index entries with
// all their flags, status, references, logs, and the files. Times are left
// out, because two runs never share them.
func (s *sandbox) meaning() string {
	s.t.Helper()
	var b strings.Builder
	for _, args := range [][]string{
		{"status", "--porcelain=v2", "--branch"},
		{"ls-files", "--stage", "-v", "-t"},
		{"diff-files", "--name-status"},
		{"for-each-ref"},
		{"reflog", "--all", "--format=%gD %H %gs"},
	} {
		b.WriteString("# " + strings.Join(args, " ") + "\n" + s.git(args...))
	}
	for line := range strings.Lines(s.digest() + "\n") {
		if !strings.Contains(line, "/.git/") {
			b.WriteString(line)
		}
	}
	return b.String()
}

func diffLines(want, got string) string {
	return cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n"))
}

// entries are the raw bytes of the index entries by path and stage.
func (s *sandbox) entries() map[string]string {
	s.t.Helper()
	raw, err := os.ReadFile(s.path(".git/index"))
	if err != nil {
		s.t.Fatal(err)
	}
	x, err := parseIndex(raw)
	if err != nil {
		s.t.Fatal(err)
	}
	all := map[string]string{}
	err = x.scan(func(e *indexEntry) error {
		all[string(e.name)] = string(raw[e.start:e.end])
		return nil
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return all
}

func keys(m map[string]string) []string {
	var ks []string
	for k := range m {
		ks = append(ks, k)
	}
	sort.Strings(ks)
	return ks
}
