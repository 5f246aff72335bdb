package lsp

import (
	"os"
	"path/filepath"
	"testing"
)

func TestPathOf(t *testing.T) {
	tests := []struct {
		uri, want string
	}{
		{"file:///a/b.html", "/a/b.html"},
		{"file:///a/%40b%20c.html", "/a/@b c.html"},
		{"file:///a/@b c.html", "/a/@b c.html"},
		{"file:///a/../b.html", "/b.html"},
		{"file:///a/%2e%2e/b.html", "/b.html"},
		{"file:///a//b.html", "/a/b.html"},
		{"file:///a/%C3%A9.html", "/a/é.html"},
		{"file:///a/50%25.html", "/a/50%.html"},
		{"file:///a/q%3F%23.html", "/a/q?#.html"},
		{"FILE:///a/b.html", "/a/b.html"},
		{"file://localhost/a/b.html", "/a/b.html"},
		{"file:///", "/"},
		{"file://host/a/b.html", ""},
		{"file:///a/%00.html", ""},
		{"untitled:Untitled-1", ""},
		{"git:/a/b.html?x", ""},
		{"vscode-vfs://github/a/b.html", ""},
		{"http://x/a.html", ""},
		{"/a/b.html", ""},
		{"", ""},
		{"::", ""},
	}
	for _, test := range tests {
		got, ok := pathOf(test.uri)
		if got != test.want || ok != (test.want != "") {
			t.Errorf("pathOf(%q) = %q, %v, want %q", test.uri, got, ok, test.want)
		}
	}
}

func TestRealPathOfWhatIsNotThere(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	if got, want := realPath(filepath.Join(link, "a", "new.html")), filepath.Join(dir, "a", "new.html"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestSpellings(t *testing.T) {
	s := newSpellings()
	s.folder("/real", "/link")
	s.folder("/real/inner", "/elsewhere")
	s.file("/real/a@b.html", "file:///link/a@b.html")
	for real, want := range map[string]string{
		"/real/a@b.html":     "file:///link/a@b.html",
		"/real/c d.html":     "file:///link/c%20d.html",
		"/real/inner/x.html": "file:///elsewhere/x.html",
		"/realm/x.html":      "file:///realm/x.html",
	} {
		if got := string(s.of(real)); got != want {
			t.Errorf("%s is called %s, want %s", real, got, want)
		}
	}
	s.dropFolder("/real/inner", "/elsewhere")
	if got := string(s.of("/real/inner/x.html")); got != "file:///link/inner/x.html" {
		t.Errorf("after the folder has gone: %s", got)
	}
}
