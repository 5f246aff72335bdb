package store

import (
	"bufio"
	"math/rand"
	"os"
	"strings"
	"testing"
)

// TestAttributesAsGitReadsThem makes random attributes files and holds our
// answer against that of git check-attr.
func TestAttributesAsGitReadsThem(t *testing.T) {
	rnd := rand.New(rand.NewSource(1))
	patterns := []string{
		"*", "*.html", "/*.html", "areas/*", "areas/**", "**/ops/*.html", "areas/**/x.html", "**", "**/x.html", "a**/x.html", "areas/ops",
		"ops/", "areas/ops/", "x.html", "/areas/ops/x.html", "ops/x.html", "[a-z]*", "[!a]*.html", "?.html", "\\*.html", "a\\b", "[[:alpha:]].html",
		"\"x.html\"", "\"a b.html\"", "AREAS/*", "*.HTML", "[x", "areas/*/x.html", "*/x.html", "**x.html", "areas/o**s/x.html", "[]x].html", "[^a-w].html", "*/*/*.html",
		"areas/**/", "x.htm[l]", "areas**", "a*s/*p*/*",
	}
	attrs := []string{
		"filter=a", "filter=b", "-filter", "!filter", "filter", "text", "-text", "text=auto", "!text", "eol=lf", "eol=crlf", "ident", "-ident",
		"binary", "mine", "-mine", "!mine", "working-tree-encoding=UTF-16", "crlf", "-crlf",
	}
	paths := []string{"x.html", "areas/x.html", "areas/ops/x.html", "areas/ops/deep/x.html", "areas/ops/a b.html", "b/x.html", "areas/*.html", "X.HTML", "areas/]x].html"}
	dirs := []string{"", "areas/", "areas/ops/", ".git/info/"}
	for range 60 {
		s := &sandbox{t, t.TempDir()}
		s.git("init", "-q")
		if rnd.Intn(4) == 0 {
			s.git("config", "core.ignorecase", "true")
		}
		for _, dir := range dirs {
			name := ".gitattributes"
			if dir == ".git/info/" {
				name = "attributes"
			}
			var b strings.Builder
			if dir == "" {
				b.WriteString("[attr]mine filter=m -text\n")
			}
			for range rnd.Intn(5) {
				b.WriteString(patterns[rnd.Intn(len(patterns))])
				for range 1 + rnd.Intn(3) {
					b.WriteString(" " + attrs[rnd.Intn(len(attrs))])
				}
				b.WriteString("\n")
			}
			s.write(dir+name, b.String())
		}
		compareAttributes(t, s, paths)
	}
}

func compareAttributes(t *testing.T, s *sandbox, paths []string) {
	t.Helper()
	r := s.open()
	root, err := os.OpenRoot(s.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	set, err := r.readSettings(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	rd := newAttributeReader(&attempt{r: r, root: root, settings: set})
	names := []string{"filter", "text", "crlf", "eol", "ident", "working-tree-encoding"}
	out := s.git(append(append(append([]string{"check-attr", "-z"}, names...), "--"), paths...)...)
	sc := bufio.NewScanner(strings.NewReader(strings.ReplaceAll(out, "\x00", "\n")))
	compared := 0
	for ; sc.Scan(); compared++ {
		p := sc.Text()
		sc.Scan()
		name := sc.Text()
		sc.Scan()
		want := sc.Text()
		got, ok := rd.of(p)[name]
		if !ok {
			got = attrUnspecified
		}
		if got != want {
			t.Errorf("%s of %s is %q, git says %q\n%s", name, p, got, want, allAttributes(s))
		}
	}
	if compared != len(names)*len(paths) {
		t.Fatalf("compared %d answers", compared)
	}
}

func allAttributes(s *sandbox) string {
	var b strings.Builder
	for _, p := range []string{".gitattributes", "areas/.gitattributes", "areas/ops/.gitattributes", ".git/info/attributes"} {
		b.WriteString("-- " + p + "\n" + s.read(p))
	}
	return b.String()
}
