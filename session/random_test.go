package session

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
)

// A random history of typing, saving, other programs, git and commands ends in
// the findings that a fresh start has, with the database of the last run and
// without it.
func TestRandomHistoryAgreesWithAFreshStart(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		h := &history{fixture: newFixture(t, pools()), rt: rt, open: map[string]string{}}
		h.compare()
		for range rapid.IntRange(1, 40).Draw(rt, "steps") {
			h.step()
			if rapid.Bool().Draw(rt, "polled") {
				h.poll()
			}
			if rapid.Bool().Draw(rt, "compared") {
				h.root.compareMoved(t.Context(), 0)
			}
		}
		h.finish()
	})
}

// history draws what happens next.
type history struct {
	*fixture
	rt   *rapid.T
	open map[string]string
}

var places = []string{pool, other, "areas/x.html", "areas/x-2.html", "archive/2024/areas/x.html", "resources/über.html"}

func (h *history) place(label string) string { return rapid.SampledFrom(places).Draw(h.rt, label) }

func (h *history) text() string {
	subject := rapid.SampledFrom([]string{"The connection pool ceiling is", "The gate code is", "Drain nodes in"}).Draw(h.rt, "subject")
	text := claim(fmt.Sprintf("%s %d", subject, rapid.IntRange(1, 3).Draw(h.rt, "value")), rapid.IntRange(1, 3).Draw(h.rt, "day"), h.life()...)
	if strings.Contains(text, "task-status") {
		text = strings.Replace(text, "semantic", "task", 1)
	}
	if rapid.IntRange(0, 4).Draw(h.rt, "broken") == 0 {
		text += "<script>"
	}
	return text
}

// life is what a head may say of other files and of days.
func (h *history) life() []string {
	place := rapid.SampledFrom(places).Draw(h.rt, "mentioned")
	return rapid.SampledFrom([][]string{
		nil, nil,
		{linked("supersedes", place)},
		{linked("blocks", place)},
		{`<meta name="memhtml-superseded-by" content="/` + place + `">`},
		{`<meta name="memhtml-valid-until" content="2026-05-01">`},
		{`<meta name="memhtml-due" content="2026-05-01"><meta name="memhtml-task-status" content="blocked">`},
	}).Draw(h.rt, "life")
}

func (h *history) step() {
	switch rapid.IntRange(0, 11).Draw(h.rt, "step") {
	case 0, 1:
		h.edit()
	case 2:
		h.save()
	case 3:
		h.write(h.place("written"), h.text())
	case 4:
		_ = os.Remove(filepath.Join(h.dir, h.place("removed")))
	case 5:
		if text, err := os.ReadFile(filepath.Join(h.dir, h.place("copied"))); err == nil {
			h.write(h.place("copy"), string(text))
		}
	case 6:
		h.git("add", "-A")
		h.git("commit", "-q", "--allow-empty", "-m", "by hand")
	case 7:
		h.git("add", "-A")
		h.git("stash", "-q")
	case 8:
		h.expect(failure.CodeOf, archive(h.place("archived"))(h.root))
	case 9:
		h.expect(failure.CodeOf, supersede(h.place("winner"), h.place("loser"))(h.root))
	case 10:
		said := rapid.SampledFrom([]string{"The gate code is 4", "The gate code is 5", "Drain nodes in 6"}).Draw(h.rt, "said")
		h.expect(failure.CodeOf, correct(CorrectRequest{Target: h.place("corrected"), Claim: said})(h.root))
	case 11:
		h.expect(failure.CodeOf, correctEdit(h.place("corrected from its edit"))(h.root))
	}
}

func (h *history) poll() {
	if _, err := h.root.Poll(context.Background()); err != nil {
		h.rt.Fatal(err)
	}
}

func (h *history) compare() {
	if err := h.root.CompareClaims(h.t.Context(), 0, nil); err != nil {
		h.rt.Fatal(err)
	}
}

// expect lets a command refuse, but not fail for no reason it can name.
func (h *history) expect(code func(error) failure.Code, err error) {
	if err != nil && code(err) == failure.Unknown {
		h.rt.Fatalf("a command failed without a code: %v", err)
	}
}

func (h *history) edit() {
	path, text := h.place("edited"), h.text()
	if _, open := h.open[path]; !open {
		disk, err := os.ReadFile(filepath.Join(h.dir, path))
		if err != nil {
			return
		}
		h.root.Edit(Modification{Kind: Opened, Path: path, Text: disk})
	}
	h.root.Edit(Modification{Kind: Changed, Path: path, Text: []byte(text)})
	h.open[path] = text
}

func (h *history) save() {
	for _, path := range slices.Sorted(maps.Keys(h.open)) {
		h.write(path, h.open[path])
		h.root.Modify(Modification{Kind: Saved, Path: path})
	}
}

func (h *history) finish() {
	for _, path := range slices.Sorted(maps.Keys(h.open)) {
		h.root.Modify(Modification{Kind: Closed, Path: path})
	}
	h.poll()
	h.root.compareMoved(h.t.Context(), 0)
	incremental := h.codes()
	if err := h.root.Close(); err != nil {
		h.rt.Fatal(err)
	}
	h.fixture.open()
	h.compare()
	if diff := cmp.Diff(h.codes(), incremental); diff != "" {
		h.rt.Errorf("warm start and incremental differ (-warm +incremental)\n%s", diff)
	}
	if err := os.RemoveAll(filepath.Join(h.dir, ".git", "memhtml-ls")); err != nil {
		h.rt.Fatal(err)
	}
	h.fixture.open()
	h.compare()
	if diff := cmp.Diff(h.codes(), incremental); diff != "" {
		h.rt.Errorf("cold start and incremental differ (-cold +incremental)\n%s", diff)
	}
}
