//go:build interop

package interop

import (
	"encoding/json"
	"testing"

	"github.com/memhtml-ls/memhtml-ls/memory"
)

// TestWeContinueWhatMemhtmlDid: we find no fault in what memhtml wrote, applied,
// corrected and archived, go on from there, and memhtml goes on from us.
func TestWeContinueWhatMemhtmlDid(t *testing.T) {
	r := newRoot(t)
	began := memhtmlBegins(t, r)
	checked(t, r)

	// A fact that memhtml wrote is a duplicate for us, whatever its title.
	var write struct{ Action, ExistingPath string }
	r.ours("", "write", "--title", "Again", "--type", "verdict", "--claim", "Kiln three is 1222.", "--body", "It was measured.").into(t, &write)
	if write.Action != "deduped" || write.ExistingPath != began.written {
		t.Errorf("a duplicate of memhtml's fact: %+v, want %s", write, began.written)
	}
	// What it corrected and archived is taken up, and its last commit taken back.
	if a := r.ours("", "undo"); a.status != 0 {
		t.Errorf("undo of memhtml's commit: %s: %s", a.Code, a.Error)
	}
	var next struct{ Path string }
	r.ours("", "correct", began.corrected, "--claim", "The gate closes at nine.").into(t, &next)
	began.corrected = next.Path
	for _, args := range [][]string{
		{"supersede", began.written, began.batch[0]},
		{"link", began.written, "supports", began.corrected},
		{"update", began.written, "--tag", "measured", "--importance", "4"},
		{"archive", began.archived, "--reason", "for good"},
	} {
		if a := r.ours("", args...); a.status != 0 {
			t.Errorf("%q: %s: %s", args, a.Code, a.Error)
		}
	}
	checked(t, r)
	accepted(t, r)

	// And memhtml goes on: our facts are its facts, our files its files.
	var again struct {
		Deduped      bool
		ExistingPath string
	}
	r.theirs("", "write", "--title", "Once more", "--type", "semantic", "--claim", "The gate closes at nine.").into(t, &again)
	if !again.Deduped || again.ExistingPath != began.corrected {
		t.Errorf("a duplicate of our fact: %+v, want %s", again, began.corrected)
	}
	for _, args := range [][]string{
		{"correct", began.written, "--title", "Kiln three", "--claim", "Kiln three is 1240.", "--reason", "measured anew"},
		{"archive", began.batch[1], "--reason", "done with"},
	} {
		if a := r.theirs("", args...); a.status != 0 {
			t.Errorf("memhtml %q: %s: %s", args, a.Code, a.Error)
		}
	}
	checked(t, r)
	accepted(t, r)
	compareRead(t, r, began.corrected)
}

// beginning are the paths of what memhtml wrote.
type beginning struct {
	written, corrected, archived string
	batch                        []string
}

// memhtmlBegins makes a repository by memhtml alone, each kind of write in it.
func memhtmlBegins(t *testing.T, r *root) (b beginning) {
	t.Helper()
	var path struct{ Path string }
	if a := r.theirs("", "init"); a.status != 0 {
		t.Fatalf("init: %s", a.Error)
	}
	r.theirs("", "write", "--title", "Kiln three", "--type", "semantic", "--tag", "glaze", "--entity", "person:Ines",
		"--claim", "Kiln three is 1222.", "--body", "It was measured.").into(t, &path)
	b.written = path.Path
	var applied struct{ Results []struct{ Path string } }
	operations := `{"op":"write","title":"The gate","type":"semantic","tag":"yard","body":"The gate closes at ten. Always."}
{"op":"write","title":"Réseau & pool","type":"procedural","workspace":"Yard","body":"Two pools are kept.\n\n` + "```sh\\nmake pool\\n```" + `"}
{"op":"write","title":"Sweep","type":"task","status":"doing","due":"2030-01-01","body":"Sweep the yard."}
{"op":"write","title":"Flood","type":"episodic","article_html":"<p><mark>The yard was flooded.</mark> On <time datetime=\"2019-02-03\">that day</time>.</p>"}
`
	r.theirs(operations, "apply", "-").into(t, &applied)
	for _, result := range applied.Results {
		b.batch = append(b.batch, result.Path)
	}
	r.theirs("", "correct", b.batch[0], "--title", "The gate at night", "--claim", "The gate closes at eight.", "--reason", "new hours").into(t, &path)
	b.corrected, b.batch = path.Path, b.batch[1:]
	b.archived = b.batch[2]
	if a := r.theirs("", "archive", b.archived, "--reason", "it is dry again"); a.status != 0 {
		t.Fatalf("archive: %s", a.Error)
	}
	return b
}

// checked demands that our check has no finding of an error in any file, and
// that every file says the content hash that we compute.
func checked(t *testing.T, r *root) {
	t.Helper()
	var report struct {
		Findings []json.RawMessage
		Summary  struct{ Error int }
	}
	r.ours("", "check").into(t, &report)
	if report.Summary.Error > 0 {
		t.Errorf("check: %s", report.Findings)
	}
	for _, path := range r.memories() {
		doc := memory.Parse([]byte(r.read(path)))
		if !doc.Accepted() || doc.Metas.ContentHash != doc.ContentHash.String() {
			t.Errorf("%s: violations %v, hash %s in the head, %s of the article", path, doc.Violations, doc.Metas.ContentHash, doc.ContentHash)
		}
	}
}
