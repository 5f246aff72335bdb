package store

import (
	"os"
	"strings"
	"testing"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
)

// TestRefusedPaths has one row for each way in which a named path is not what
// the plan needs.
func TestRefusedPaths(t *testing.T) {
	text := article("drain", "Drain a node before its kernel is updated.")
	archive := move(drain, moved, text)
	for _, row := range []struct {
		name   string
		code   failure.Code
		set    func(s *sandbox)
		change Change
	}{
		{"source missing", failure.PathNotFound, nil, move("areas/none.html", moved, text)},
		{"source below a file", failure.PathNotFound, nil, move(drain+"/x.html", moved, text)},
		{"source changed", failure.StaleDocument, nil, move(drain, moved, "other")},
		{"source is a folder", failure.GitState, nil, move("areas/ops", moved, text)},
		{"source is a link", failure.GitState, func(s *sandbox) { s.link(pool, "areas/link.html") }, move("areas/link.html", moved, text)},
		{"folder is a link", failure.GitState, func(s *sandbox) { s.link("areas", "projects") }, move("projects/ops/drain.html", moved, text)},
		{"destination through a link", failure.GitState, func(s *sandbox) { s.link("areas", "archive") }, archive},
		{"destination through a link out of the tree", failure.GitState, func(s *sandbox) { os.Symlink(os.TempDir(), s.path("archive")) }, archive},
		{"destination on disk", failure.DestinationExists, func(s *sandbox) { s.write(moved, "x\n") }, archive},
		{"destination is a folder", failure.DestinationExists, func(s *sandbox) { s.write(moved+"/x", "x\n") }, archive},
		{"destination is a dangling link", failure.DestinationExists, func(s *sandbox) {
			s.write("archive/2026/areas/ops/x", "")
			os.Symlink("nowhere", s.path(moved))
		}, archive},
		{"destination below a file", failure.DestinationExists, func(s *sandbox) { s.write("archive", "x\n") }, archive},
		{"destination in the last commit only", failure.DestinationExists, func(s *sandbox) {
			s.commitFile(moved, "x\n")
			s.git("rm", "-q", moved)
		}, archive},
		{"destination in the index only", failure.DestinationExists, func(s *sandbox) {
			s.write(moved, "x\n")
			s.git("add", moved)
			os.Remove(s.path(moved))
		}, archive},
		{"destination's twin in the index", failure.DestinationExists, func(s *sandbox) {
			s.commitFile("archive/2026/Areas/ops/DRAIN.html", "x\n")
			os.RemoveAll(s.path("archive"))
			s.git("config", "core.ignorecase", "true")
		}, archive},
		{"destination's twin by normalisation", failure.DestinationExists, func(s *sandbox) {
			s.commitFile("areas/cafe\u0301.html", "x\n")
			os.Remove(s.path("areas/cafe\u0301.html"))
			s.git("config", "core.precomposeunicode", "true")
		}, move(drain, "areas/café.html", text)},
		{"staged in part", failure.GitState, func(s *sandbox) {
			s.write(drain, "staged\n")
			s.git("add", drain)
			s.write(drain, text)
			s.commitFile(drain, "committed\n", "--only")
			s.write(drain, "staged\n")
			s.git("add", drain)
			s.write(drain, text)
		}, archive},
		{"new and staged in part", failure.GitState, func(s *sandbox) {
			s.write("areas/new.html", "staged\n")
			s.git("add", "areas/new.html")
			s.write("areas/new.html", text)
		}, move("areas/new.html", moved, text)},
		{"removed in the index", failure.GitState, func(s *sandbox) { s.git("rm", "-q", "--cached", drain) }, archive},
		{"skip-worktree", failure.GitState, func(s *sandbox) { s.git("update-index", "--skip-worktree", drain) }, archive},
		{"submodule", failure.GitState, func(s *sandbox) {
			s.git("init", "-q", "areas/sub")
			s.write("areas/sub/drain.html", text)
			s.git("-C", "areas/sub", "-c", "user.name=x", "-c", "user.email=x@example.com", "commit", "-q", "--allow-empty", "-m", "sub")
			s.git("add", "areas/sub")
			s.git("commit", "-q", "-m", "sub")
		}, move("areas/sub/drain.html", moved, text)},
		{"submodule that is not checked out", failure.GitState, func(s *sandbox) {
			s.git("update-index", "--add", "--cacheinfo", "160000,"+strings.TrimSpace(s.git("rev-parse", "HEAD"))+",archive")
			s.git("commit", "-q", "-m", "sub")
		}, archive},
		{"another repository", failure.GitState, func(s *sandbox) {
			s.git("init", "-q", "areas/sub")
			s.write("areas/sub/drain.html", text)
		}, move("areas/sub/drain.html", moved, text)},
		{"link in the last commit", failure.GitState, func(s *sandbox) {
			s.link(pool, "areas/link.html")
			s.git("add", "areas/link.html")
			s.git("commit", "-q", "-m", "link")
			os.Remove(s.path("areas/link.html"))
			s.write("areas/link.html", text)
		}, move("areas/link.html", moved, text)},
		{"index entry below the destination", failure.GitState, func(s *sandbox) {
			s.write(moved+"/x.html", "x\n")
			s.git("add", "archive")
			os.RemoveAll(s.path("archive"))
		}, archive},
		{"outside", failure.PathNotFound, nil, move("../mem/"+drain, moved, text)},
		{"absolute", failure.PathNotFound, nil, move(drain, "/tmp/x.html", text)},
		{"git's folder", failure.PathNotFound, nil, move(drain, "areas/.Git/x.html", text)},
		{"git's folder by a short name", failure.PathNotFound, nil, move(drain, "GIT~1/x.html", text)},
		{"git's folder with ignored characters", failure.PathNotFound, nil, move(drain, ".g\u200cit/config", text)},
		{"nothing changes", failure.GitState, nil, Change{From: drain, Path: drain, Expect: sum(text), After: []byte(text)}},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newSandbox(t)
			if row.set != nil {
				row.set(s)
			}
			s.refused(s.open(), Plan{Changes: []Change{row.change}, At: testTime}, row.code)
			s.noLeftovers()
		})
	}
}

func (s *sandbox) link(target, name string) {
	s.t.Helper()
	if err := os.Symlink(s.path(target), s.path(name)); err != nil {
		s.t.Fatal(err)
	}
}

func (s *sandbox) commitFile(p, text string, args ...string) {
	s.write(p, text)
	s.git("add", p)
	s.git(append(append([]string{"commit", "-q", "-m", "file"}, args...), p)...)
}
