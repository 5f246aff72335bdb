package store

import (
	"bytes"
	"crypto/sha1"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPatchAsGitReadsIt makes random edits in random indexes and has git list
// the outcome.
func TestPatchAsGitReadsIt(t *testing.T) {
	rnd := rand.New(rand.NewSource(2))
	for round := range 40 {
		version := []string{"2", "4"}[round%2]
		s := &sandbox{t, t.TempDir()}
		s.git("init", "-q")
		model := map[string]string{}
		for range rnd.Intn(60) {
			model[randomPath(rnd)] = randomID(rnd)
		}
		dropNested(model)
		s.indexInfo(model)
		s.git("update-index", "--force-write-index", "--index-version", version)
		x, err := s.open().readIndex(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var edits []indexEdit
		for p := range model {
			if rnd.Intn(4) == 0 {
				edits = append(edits, indexEdit{path: p})
				delete(model, p)
			}
		}
		for range rnd.Intn(10) {
			p, id := randomPath(rnd), randomID(rnd)
			if !nested(model, p) && !contains(edits, p) {
				o, _ := parseOID(id)
				edits = append(edits, indexEdit{path: p, mode: indexFileMode, id: o})
				model[p] = id
			}
		}
		p, err := x.patch(edits, func(*indexEntry) bool { return false })
		if err != nil {
			t.Fatal(err)
		}
		p.sum()
		s.write(".git/index", string(p.bytes()))
		if d := cmp.Diff(listing(model), s.git("ls-files", "--stage")); d != "" {
			t.Fatalf("version %s, edits %v: %s", version, edits, d)
		}
	}
}

func listing(model map[string]string) string {
	var lines []string
	for p, id := range model {
		lines = append(lines, "100644 "+id+" 0\t"+p+"\n")
	}
	sort.Slice(lines, func(i, j int) bool { return lines[i][50:] < lines[j][50:] })
	return strings.Join(lines, "")
}

func (s *sandbox) indexInfo(model map[string]string) {
	s.t.Helper()
	cmd := exec.Command("git", "update-index", "--index-info")
	cmd.Dir = s.dir
	cmd.Stdin = strings.NewReader(strings.ReplaceAll(listing(model), " 0\t", "\t"))
	if out, err := cmd.CombinedOutput(); err != nil {
		s.t.Fatalf("%v %s", err, out)
	}
}

func randomPath(rnd *rand.Rand) string {
	var parts []string
	for range 1 + rnd.Intn(4) {
		parts = append(parts, strings.Repeat(string(rune('a'+rnd.Intn(3))), 1+rnd.Intn(3)))
	}
	if rnd.Intn(10) == 0 {
		parts = append(parts, strings.Repeat("long", 20+rnd.Intn(1100)))
	}
	return strings.Join(parts, "/")
}

func randomID(rnd *rand.Rand) string {
	return fmt.Sprintf("%x", sha1.Sum([]byte(fmt.Sprint(rnd.Int()))))
}

// dropNested removes paths that lie below others: no index has both.
func dropNested(model map[string]string) {
	for p := range model {
		for _, dir := range parents(p) {
			if _, ok := model[dir]; ok {
				delete(model, p)
			}
		}
	}
}

func nested(model map[string]string, p string) bool {
	for q := range model {
		if q == p || strings.HasPrefix(q, p+"/") || strings.HasPrefix(p, q+"/") {
			return true
		}
	}
	return false
}

func contains(edits []indexEdit, p string) bool {
	for _, e := range edits {
		if e.path == p {
			return true
		}
	}
	return false
}

// indexSeeds are real indexes of each version, with extensions.
func indexSeeds(f *testing.F) [][]byte {
	f.Helper()
	var seeds [][]byte
	for _, version := range []string{"2", "4"} {
		s := newSandbox(f)
		s.git("update-index", "--index-version", version)
		s.personalWork()
		b, err := os.ReadFile(s.path(".git/index"))
		if err != nil {
			f.Fatal(err)
		}
		seeds = append(seeds, b[:len(b)-sha1.Size])
	}
	return seeds
}

// FuzzIndex feeds damaged indexes: they are refused, or a patch without edits
// keeps every entry.
func FuzzIndex(f *testing.F) {
	for _, s := range indexSeeds(f) {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		sum := sha1.Sum(body)
		x, err := parseIndex(append(bytes.Clone(body), sum[:]...))
		if err != nil {
			return
		}
		p, err := x.patch(nil, func(*indexEntry) bool { return false })
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(p.bytes()[indexHeader:x.entriesEnd], body[indexHeader:x.entriesEnd]) {
			t.Error("entries changed")
		}
	})
}

// FuzzObjects feeds damaged trees, commits and cached trees.
func FuzzObjects(f *testing.F) {
	f.Add([]byte("100644 a\x0012345678901234567890"), "a/b")
	f.Add([]byte("tree 1234567890123456789012345678901234567890\n\nx"), "")
	f.Add([]byte("\x002 1\n12345678901234567890a\x00-1 0\n"), "a/x")
	f.Fuzz(func(t *testing.T, b []byte, p string) {
		_ = scanTree(b, func(treeEntry) error { return nil })
		_, _ = parseCommit(bytes.Clone(b))
		if out := invalidateTree(b, []string{p}); len(out) > len(b)+4*len(b) {
			t.Error("grew")
		}
		if _, err := spliceTree(b, []treeEdit{{path: p, mode: modeFile}}); err != nil {
			return
		}
	})
}

// FuzzPaths demands that a valid path stays where it says.
func FuzzPaths(f *testing.F) {
	for _, p := range []string{"a/b", "../x", ".git/x", "a/.GIT", "a//b", "git~1", "a\\b", "a/.g\u200cit"} {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, p string) {
		if !validPath(p) {
			return
		}
		for name := range strings.SplitSeq(p, "/") {
			if name == "" || name == "." || name == ".." || strings.EqualFold(name, ".git") {
				t.Errorf("%q", p)
			}
		}
	})
}
