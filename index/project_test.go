package index

import (
	"os/exec"
	"strings"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"

	"github.com/memhtml-ls/memhtml-ls/memory"
)

func TestFileIsWhatItsDocumentSays(t *testing.T) {
	src := []byte(strings.Replace(memo("The  Pool ceiling is 64 MB."), "</head>", `<link rel="memhtml-relates-to" href="/areas/a%20b.html#x"></head>`, 1))
	d := memory.Parse(src)
	want := &File{
		Path: "areas/f.html", Blob: BlobOf(src), ContentHash: d.ContentHash, NormalHash: d.NormalHash, Type: "semantic",
		Created: "2026-01-01", Gist: "The Pool ceiling is 64 MB.", FrameKey: "the pool ceiling is", FrameValue: "64 mb", ShownValue: "64 MB",
		Links: []Link{{"relates_to", "areas/a%20b.html", "areas/a b.html"}}, Accepted: true,
	}
	if diff := cmp.Diff(want, NewFile("areas/f.html", src)); diff != "" {
		t.Errorf("NewFile (-want +got):\n%s", diff)
	}
}

func TestBlobIsGits(t *testing.T) {
	for _, text := range []string{"", "x", memo("x")} {
		cmd := exec.Command("git", "hash-object", "--stdin")
		cmd.Stdin = strings.NewReader(text)
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		id := BlobOf([]byte(text))
		if got := strings.TrimSpace(string(out)); got != strings.TrimPrefix(memory.Hash(append(id[:], make([]byte, 12)...)).String(), "sha256:")[:40] {
			t.Errorf("BlobOf of %d bytes is not git's %s", len(text), got)
		}
	}
}

func TestFlawed(t *testing.T) {
	good := memo("Drain the pool first.")
	meta := func(m string) string { return strings.Replace(good, "</head>", m+"</head>", 1) }
	hash := memory.Parse([]byte(good)).ContentHash.String()
	for _, tc := range []struct {
		name, text string
		want       bool
	}{
		{"nothing", good, false},
		{"a true content hash", meta(`<meta name="memhtml-content-hash" content="` + hash + `">`), false},
		{"a stale content hash", meta(`<meta name="memhtml-content-hash" content="sha256:00">`), true},
		{"an empty content hash", meta(`<meta name="memhtml-content-hash" content="">`), true},
		{"a violation", strings.Replace(good, "<mark>", "", 1), true},
		{"a warning", strings.Replace(good, "<article>", "<article><blink>x</blink>", 1), true},
		{"a dropped meta", meta(`<meta name="memhtml-importance" content="high">`), true},
		{"conflict markers", conflicted(good), true},
		{"a line of one of them", strings.Replace(good, "<article>", "\n=======\n<article>", 1), false},
		{"a link", meta(`<link rel="memhtml-supports" href="/areas/a.html">`), false},
		{"no memory at all", "", true},
	} {
		if got := NewFile("areas/f.html", []byte(tc.text)).Flawed; got != tc.want {
			t.Errorf("%s: Flawed = %v, want %v", tc.name, got, tc.want)
		}
	}
}

// conflicted is a file in the state that a merge leaves it in.
func conflicted(text string) string {
	return strings.Replace(text, "<article>", "\n<<<<<<< HEAD\n=======\n>>>>>>> other\n<article>", 1)
}

// TestFileKeepsNothingOfItsSource writes over the source: a string that shares
// its memory would change, and would keep all of it alive.
func TestFileKeepsNothingOfItsSource(t *testing.T) {
	src := []byte(strings.Replace(memo("The pool ceiling is 64."), "</head>", `<link rel="memhtml-supports" href="/areas/a.html"></head>`, 1))
	want := NewFile("areas/f.html", append([]byte(nil), src...))
	d := memory.Parse(src)
	got := FromDocument("areas/f.html", d)
	all := got.Path + got.Type + got.Created + got.Gist + got.FrameKey + got.FrameValue + got.ShownValue + got.Links[0].Target + got.Links[0].Rel
	for i := range src {
		src[i] = 'X'
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("after the source was overwritten (-before +after):\n%s", diff)
	}
	for _, s := range []string{d.Gist, d.Title, d.Metas.Created, d.Links[0].Href} {
		if within(got.Gist, s) || within(got.Created, s) || within(got.Links[0].Target, s) {
			t.Errorf("the file shares the memory of %q", s)
		}
	}
	if len(all) == 0 {
		t.Error("the file has no strings to look at")
	}
}

// within reports whether two strings start in one run of memory.
func within(a, b string) bool {
	p, q := uintptr(unsafe.Pointer(unsafe.StringData(a))), uintptr(unsafe.Pointer(unsafe.StringData(b)))
	return q <= p && p < q+uintptr(len(b))
}

func TestWith(t *testing.T) {
	f := file("areas/a.html", 1)
	if f.With(true, false, 0) != f {
		t.Error("the same facts gave another file")
	}
	g := f.With(false, true, 3)
	if f.Tracked != true || f.Unmerged || g.Tracked || !g.Unmerged || g.Incoming != 3 || g.Path != f.Path {
		t.Errorf("With gave %+v of %+v", g, f)
	}
}

func TestPackSharesAndSeparates(t *testing.T) {
	texts := []string{"the pool is 64", "pool is", "", "64", "other", "the pool is 64 and more"}
	got := append([]string(nil), texts...)
	var refs []*string
	for i := range got {
		refs = append(refs, &got[i])
	}
	pack(refs)
	if diff := cmp.Diff(texts, got); diff != "" {
		t.Errorf("pack (-before +after):\n%s", diff)
	}
	if !within(got[1], got[0]) || !within(got[3], got[0]) {
		t.Error("a part of another text has room of its own")
	}
}

// The strings of a file used to be parts of its source, which 100,000 of them
// kept in memory.
func TestFilesKeepNothingOfTheirSources(t *testing.T) {
	const files, size = 16, 1 << 20
	before := heap()
	kept := make([]*File, files)
	for i := range kept {
		src := strings.Replace(memo("The pool ceiling is 64 MB."), "</head>",
			`<meta name="memhtml-session" content="s1"><link rel="memhtml-supersedes" href="/areas/a.html"></head>`, 1)
		src = strings.Replace(src, "</article>", "<p>"+strings.Repeat("word ", size/5)+"</p></article>", 1)
		kept[i] = NewFile("areas/f.html", []byte(src))
	}
	if grown := int64(heap()) - int64(before); grown > files*size/4 {
		t.Errorf("%d files of %d bytes keep %d bytes", files, size, grown)
	}
	for _, f := range kept {
		if f.FrameKey == "" || f.Origin == nil || len(f.Links) != 1 {
			t.Fatalf("the file keeps too little to tell: %+v", f)
		}
	}
}
