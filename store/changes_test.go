package store

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
)

// changed lists the changes of a commit as git diff-tree would.
func changed(t *testing.T, r *Repo, commit string) []string {
	t.Helper()
	changes, err := r.Changes(context.Background(), commit)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, c := range changes {
		status := "M"
		switch (Blob{}) {
		case c.Before:
			status = "A"
		case c.After:
			status = "D"
		}
		lines = append(lines, status+"\t"+c.Path)
	}
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(a[2:], b[2:]) })
	return lines
}

func TestChangesAgreeWithGit(t *testing.T) {
	s := newSandbox(t)
	r := s.open()
	steps := []func(){
		func() { s.git("mv", drain, "areas/drain.html") },
		func() { s.write(pool, "other"); s.git("add", "-A") },
		func() { s.write("areas/deep/er/x.html", "x"); s.git("rm", "-q", pool); s.git("add", "-A") },
		func() { s.git("rm", "-q", "-r", "areas/deep"); s.write("areas/deep", "now a file"); s.git("add", "-A") },
		func() { s.git("update-index", "--chmod=+x", "areas/drain.html") },
		func() {},
	}
	for i, step := range steps {
		step()
		s.git("commit", "-q", "--allow-empty", "-m", "step")
		want := strings.Fields(s.git("diff-tree", "-r", "--no-renames", "--name-status", "--no-commit-id", "HEAD"))
		var lines []string
		for k := 0; k < len(want); k += 2 {
			lines = append(lines, want[k]+"\t"+want[k+1])
		}
		if diff := cmp.Diff(lines, changed(t, r, strings.TrimSpace(s.git("rev-parse", "HEAD")))); diff != "" {
			t.Errorf("step %d (-git +ours)\n%s", i, diff)
		}
	}
}

func TestChangesRefuseWhatOneCommitOfFilesIsNot(t *testing.T) {
	s := newSandbox(t)
	r := s.open()
	head := func() string { return strings.TrimSpace(s.git("rev-parse", "HEAD")) }
	refused := func(name, commit string, want failure.Code) {
		t.Helper()
		if _, err := r.Changes(context.Background(), commit); failure.CodeOf(err) != want || err == nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	refused("the first", head(), failure.GitState)
	s.git("checkout", "-q", "-b", "side")
	s.git("commit", "-q", "--allow-empty", "-m", "side")
	s.git("checkout", "-q", "main")
	s.git("commit", "-q", "--allow-empty", "-m", "main")
	s.git("merge", "-q", "-m", "merge", "side")
	refused("a merge", head(), failure.GitState)
	s.git("update-index", "--add", "--cacheinfo", "120000,"+strings.TrimSpace(s.git("hash-object", "-w", drain))+",areas/link.html")
	s.git("commit", "-q", "-m", "a link")
	refused("a link", head(), failure.GitState)
	refused("no id", "main", failure.InvalidFlag)
	refused("no commit", strings.Repeat("1", 40), failure.InvalidFlag)
	s.git("commit", "-q", "--allow-empty", "-m", "nothing")
	if got := changed(t, r, head()); len(got) != 0 {
		t.Errorf("an empty commit changed %q", got)
	}
}

func TestLastChangeAgreesWithGitLog(t *testing.T) {
	s := newSandbox(t)
	r := s.open()
	commit := func(path, text string) {
		s.write(path, text)
		s.git("add", "-A")
		s.git("commit", "-q", "-m", "change "+path)
	}
	commit(pool, "one")
	s.git("checkout", "-q", "-b", "side")
	commit(drain, "side")
	s.git("checkout", "-q", "main")
	commit(pool, "two")
	s.git("merge", "-q", "-m", "merge", "side")
	commit("areas/x.html", "x")
	s.git("rm", "-q", "areas/x.html")
	s.git("commit", "-q", "-m", "remove")
	for _, path := range []string{pool, drain, "areas/x.html", "areas/none.html"} {
		want := strings.TrimSpace(s.git("log", "-1", "--format=%H", "--", path))
		got, ok, err := r.LastChange(context.Background(), path, 1000)
		if err != nil || got != want || ok != (want != "") {
			t.Errorf("%s: %q, %v, %v; git says %q", path, got, ok, err, want)
		}
	}
	if _, ok, err := r.LastChange(context.Background(), pool, 2); ok || err != nil {
		t.Errorf("beyond the limit: %v, %v", ok, err)
	}
}

func TestFindCommitLooksAtTheNewestFirst(t *testing.T) {
	s := newSandbox(t)
	r := s.open()
	for _, subject := range []string{"memhtml(write): a", "by hand", "memhtml(write): b", "by hand"} {
		s.git("commit", "-q", "--allow-empty", "-m", subject+"\n\nmemhtml(body): no")
	}
	ours := func(c CommitInfo) bool { return strings.HasPrefix(c.Subject, "memhtml(") }
	got, ok, err := r.FindCommit(context.Background(), 10, ours)
	if err != nil || !ok || got.Subject != "memhtml(write): b" || got.ID != strings.TrimSpace(s.git("rev-parse", "HEAD~1")) {
		t.Errorf("%+v, %v, %v", got, ok, err)
	}
	if _, ok, _ := r.FindCommit(context.Background(), 1, ours); ok {
		t.Error("found beyond the limit")
	}
}

func TestReadBlobOfACommit(t *testing.T) {
	s := newSandbox(t)
	r := s.open()
	head := strings.TrimSpace(s.git("rev-parse", "HEAD"))
	was := s.read(pool)
	s.write(pool, "later")
	blob, ok, err := r.BlobAt(head, pool)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	if data, err := r.ReadBlob(blob.ID); err != nil || string(data) != was {
		t.Errorf("%q, %v", data, err)
	}
	if _, ok, err := r.BlobAt(head, "areas"); ok || err != nil {
		t.Errorf("a folder: %v, %v", ok, err)
	}
	if _, ok, err := r.BlobAt("", pool); ok || err != nil {
		t.Errorf("an unborn branch: %v, %v", ok, err)
	}
}
