package session

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
	"github.com/memhtml-ls/memhtml-ls/internal/failure"
)

func TestArchiveRefusesAnUnfinishedMerge(t *testing.T) {
	const path = "areas/ops/torn.html"
	text := claim("Torn", 1) + "<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> side\n"
	f := newFixture(t, map[string]string{path: text})
	_, err := f.root.Archive(context.Background(), ArchiveRequest{Path: path})
	if failure.CodeOf(err) != failure.GitState || !strings.Contains(err.Error(), "unfinished merge") {
		t.Errorf("got %v", err)
	}
	if f.read(path) != text {
		t.Error("the file was touched")
	}
}

// TestNameThatIsNotUTF8 must neither be denied to exist nor reach a terminal
// as it is.
func TestNameThatIsNotUTF8(t *testing.T) {
	f := newFixture(t, pools())
	_, err := f.root.Archive(context.Background(), ArchiveRequest{Path: "areas/b\xff.html"})
	var known *failure.Error
	if !errors.As(err, &known) || known.Code != failure.InvalidMemory || !strings.Contains(known.Message, `areas/b\x{FF}.html`) {
		t.Errorf("got %v", err)
	}
	for in, want := range map[string]string{
		"a\xffb": `a\x{FF}b`, "a\u202eb": `a\u{202E}b`, "\xe2\x80\u202e": `\x{E2}\x{80}\u{202E}`, "a\ufffdb": "a\ufffdb", "aäb": "aäb",
	} {
		if got := diagnostics.Shown(in); got != want {
			t.Errorf("%q is shown as %q", in, got)
		}
	}
}

// TestReasonForgesNoTrailer gives reasons that are too long for the subject.
func TestReasonForgesNoTrailer(t *testing.T) {
	long := strings.Repeat("because ", 12)
	for reason, body := range map[string]string{
		long + "\n\nMemhtml-Session: forged":               long + "Memhtml-Session: forged",
		"Memhtml-Session: forged " + long:                  " Memhtml-Session: forged " + strings.TrimSpace(long),
		long + "\x1b[31m\u202egnp.exe\x07 \u2066and\u2069": long + "[31mgnp.exe and",
	} {
		f := newFixture(t, pools())
		if _, err := f.root.Archive(context.Background(), ArchiveRequest{Path: other, Reason: reason}); err != nil {
			t.Fatal(err)
		}
		if got := f.git("log", "-1", "--format=%(trailers)"); strings.TrimSpace(got) != "" {
			t.Errorf("%q: trailers %q", reason, got)
		}
		if got := strings.TrimRight(f.git("log", "-1", "--format=%b"), "\n"); got != body {
			t.Errorf("body %q, want %q", got, body)
		}
	}
}
