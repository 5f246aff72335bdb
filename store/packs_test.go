package store

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
)

// packedSandbox has eight commits on one folder in a pack, most of its trees as
// deltas.
func packedSandbox(t testing.TB) *sandbox {
	s := newSandbox(t)
	for i := range 8 {
		for j := range 20 {
			s.write(fmt.Sprintf("areas/m%02d-%02d.html", i, j), article("m", fmt.Sprint(i, j)))
		}
		s.git("add", "-A")
		s.git("commit", "-q", "-m", "more")
	}
	s.git("repack", "-q", "-adf", "--depth=50")
	return s
}

// indexOfPack is the one index of a sandbox's packs.
func indexOfPack(t testing.TB, s *sandbox) string {
	t.Helper()
	names, err := filepath.Glob(s.path(".git/objects/pack/*.idx"))
	if err != nil || len(names) != 1 {
		t.Fatal(names, err)
	}
	return names[0]
}

func TestPackedObjectsAreWhatGitReads(t *testing.T) {
	for name, prepare := range map[string]func(s *sandbox){
		"deltas by place": func(s *sandbox) {},
		"deltas by id":    func(s *sandbox) { s.git("-c", "repack.useDeltaBaseOffset=false", "repack", "-q", "-adf") },
		"two packs": func(s *sandbox) {
			s.write("areas/later.html", article("later", "This came later."))
			s.git("add", "-A")
			s.git("commit", "-q", "-m", "later")
			s.git("repack", "-q", "-d")
		},
		"long offsets": func(s *sandbox) {
			index := indexOfPack(t, s)
			if err := os.Remove(index); err != nil {
				t.Fatal(err)
			}
			s.git("index-pack", "--index-version=2,0x40", strings.TrimSuffix(index, ".idx")+".pack")
		},
		"borrowed": func(s *sandbox) {
			s.git("clone", "-q", "--shared", ".", "borrower")
			s.dir = s.path("borrower")
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := packedSandbox(t)
			prepare(s)
			r := s.open()
			objects := 0
			for line := range strings.Lines(s.git("cat-file", "--batch-all-objects", "--batch-check=%(objectname) %(objecttype)")) {
				name, kind, _ := strings.Cut(strings.TrimSpace(line), " ")
				id, err := parseOID(name)
				if err != nil {
					t.Fatal(err)
				}
				typ, err := plumbing.ParseObjectType(kind)
				if err != nil {
					t.Fatal(err)
				}
				got, err := r.object(typ, id)
				if err != nil || hashObject(kind, got) != id {
					t.Errorf("%s %s: %d bytes, %v", kind, name, len(got), err)
				}
				if !r.hasObject(id) {
					t.Errorf("%s %s is not there", kind, name)
				}
				objects++
			}
			if objects < 180 {
				t.Errorf("looked at %d objects", objects)
			}
			if r.hasObject(oid{1}) {
				t.Error("an object that is not there is")
			}
			if _, err := r.object(plumbing.BlobObject, oid{1}); !errors.Is(err, plumbing.ErrObjectNotFound) {
				t.Errorf("an object that is not there: %v", err)
			}
		})
	}
}

// A pack whose index is damaged hides what it has, and nothing else.
func TestDamagedPackIndexRefusesAndLivesOn(t *testing.T) {
	s := packedSandbox(t)
	if err := os.WriteFile(s.path(".git/objects/pack/pack-0.idx"), []byte("not an index"), 0o666); err != nil {
		t.Fatal(err)
	}
	head := strings.TrimSpace(s.git("rev-parse", "HEAD"))
	if _, err := s.open().commitTree(head); err != nil {
		t.Errorf("beside a file that is no index: %v", err)
	}
	if err := os.Remove(s.path(".git/objects/pack/pack-0.idx")); err != nil {
		t.Fatal(err)
	}
	index := indexOfPack(t, s)
	whole, err := os.ReadFile(index)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 7, 1000, 1032, len(whole) / 2, len(whole) - 41} {
		if err := os.Remove(index); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(index, whole[:n], 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := s.open().commitTree(head)
		var f *failure.Error
		if !errors.As(err, &f) || f.Code != failure.Git {
			t.Errorf("cut to %d bytes: %v", n, err)
		}
	}
}

// FuzzPackIndex: whatever the bytes, what is found lies where it was looked for.
func FuzzPackIndex(f *testing.F) {
	s := newSandbox(f)
	s.git("repack", "-q", "-adf")
	whole, err := os.ReadFile(indexOfPack(f, s))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add(whole[:1100])
	f.Fuzz(func(t *testing.T, b []byte) {
		x, err := openPackIndex(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			return
		}
		for i := range x.count {
			id := plumbing.Hash(b[packIndexNames+20*i:][:20])
			offset, err := x.FindOffset(id)
			if err != nil {
				continue // out of order, or a long offset that is not there
			}
			other, err := x.FindHash(offset)
			if err != nil {
				continue
			}
			if at, err := x.FindOffset(other); err == nil && at != offset && other == id {
				t.Fatalf("object %d is at %d and at %d", i, offset, at)
			}
		}
	})
}
