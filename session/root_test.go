package session

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWarmStartAgreesWithTheDisk(t *testing.T) {
	f := newFixture(t, pools())
	if err := f.root.cache.flush(context.Background()); err != nil {
		t.Fatal(err)
	}
	f.remove(other)
	f.write("areas/new.html", f.read(third))
	f.open()
	f.want("second start", "areas/new.html duplicate "+third)
}

func TestBrokenDatabaseCostsOnlyTime(t *testing.T) {
	f := newFixture(t, pools())
	path := filepath.Join(f.dir, ".git", "memhtml-ls", "index.db")
	if err := f.root.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("this is not a database, not at all, and long enough to be read as one"), 0o600); err != nil {
		t.Fatal(err)
	}
	f.open()
	f.want("with a broken database", other+" frame-key-conflict "+pool)
}

func TestStartAndCloseLeaveTheTree(t *testing.T) {
	f := newFixture(t, pools())
	before := f.state()
	if err := f.root.Close(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, f.state()); diff != "" {
		t.Errorf("(-before +after)\n%s", diff)
	}
	f.open()
}

func TestStatusCountsAgainstTheDisk(t *testing.T) {
	f := newFixture(t, pools())
	status := func() Status {
		t.Helper()
		got, err := f.root.Status(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if got := status(); !got.Fresh || got.StaleBy != 0 || !got.Indexed || got.Counts.Files != 3 || got.Counts.Eligible != 3 {
		t.Errorf("after indexing: %+v", got)
	}
	f.write(pool, claim("something else", 1))
	f.remove(other)
	if got := status(); got.Fresh || got.StaleBy != 2 {
		t.Errorf("with two files moved: %+v", got)
	}
}

func TestRootIsFoundByItsMarker(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{t: t, dir: dir}
	f.write("with/.memhtml/state/.gitkeep", "")
	f.write("with/areas/deep/er/x.txt", "")
	f.write("without/areas/ops/x.html", claim("x", 1))
	f.write("site/areas/x.html", "<p>a web page</p>")
	f.write("outer/.memhtml/x", "")
	f.write("outer/inner/.memhtml/x", "")
	tests := []struct{ path, want string }{
		{"with/areas/deep/er/x.txt", "with"},
		{"with", "with"},
		{"with/not/there/yet.html", "with"},
		{"without/areas/ops/x.html", "without"},
		{"site/areas/x.html", ""},
		{"outer/inner/x.html", "outer/inner"},
		{"outer/x.html", "outer"},
		{"", ""},
	}
	for _, test := range tests {
		got, ok := FindRoot(filepath.Join(dir, test.path))
		want := filepath.Join(dir, test.want)
		if ok != (test.want != "") || ok && got != want {
			t.Errorf("FindRoot(%q) = %q, %v; want %q", test.path, got, ok, test.want)
		}
	}
}

func TestOneFileHasOnePathThroughLinks(t *testing.T) {
	f := newFixture(t, pools())
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(f.dir, link); err != nil {
		t.Fatal(err)
	}
	for _, abs := range []string{filepath.Join(link, pool), filepath.Join(f.dir, "areas", "..", pool), f.root.Abs(pool)} {
		if got, ok := f.root.Rel(abs); !ok || got != pool {
			t.Errorf("Rel(%q) = %q, %v", abs, got, ok)
		}
	}
	for _, abs := range []string{f.dir, filepath.Dir(f.dir), f.dir + "x/areas/y.html"} {
		if got, ok := f.root.Rel(abs); ok {
			t.Errorf("Rel(%q) = %q", abs, got)
		}
	}
}
