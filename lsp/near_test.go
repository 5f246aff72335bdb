package lsp_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memhtml-ls/memhtml-ls/internal/fakeeditor"
)

// compared waits until the claims of the first root are compared.
func compared(t testing.TB, e *fakeeditor.Editor) {
	t.Helper()
	ticker, deadline := time.NewTicker(5*time.Millisecond), time.After(fakeeditor.Patience)
	defer ticker.Stop()
	for statusOf(t, e).NearDuplicates.Missing > 0 {
		select {
		case <-ticker.C:
		case <-deadline:
			t.Fatal("the claims were not compared")
		}
	}
}

// What is typed is held against what is saved, and what was saved in one file
// clears the finding of the other.
func TestNearDuplicatesAsOneTypes(t *testing.T) {
	const said, reword, negated = "Drain the gateway before a restart", "Before a restart, drain the gateway", "Never drain the gateway before a restart"
	r := newRepo(t, drain, memo("2026-01-02", said), copied, memo("2026-02-03", "The kiln fires on Friday"))
	e := open(t, r, fakeeditor.VSCode())
	compared(t, e)
	e.Open(r.path(copied))
	e.Replace(r.path(copied), "The kiln fires on Friday", reword)
	e.WaitCodes(r.path(copied), "near-duplicate")
	e.Replace(r.path(copied), reword, negated)
	e.WaitCodes(r.path(copied), "near-duplicate-divergent")
	e.Save(r.path(copied))
	compared(t, e)
	e.WaitCodes(r.path(copied), "near-duplicate-divergent")
	r.write(drain, memo("2026-01-02", "The kiln fires on Friday"))
	e.Watched(2, r.path(drain))
	e.WaitCodes(r.path(copied))
	e.Close(r.path(copied))
	r.write(drain, memo("2026-01-02", said))
	e.Watched(2, r.path(drain))
	e.WaitCodes(r.path(copied), "near-duplicate-divergent")
}

// While the findings of all other files are made and sent, a key waits for none of
// them but the one that is being looked at.
func TestKeysAreAnsweredDuringTheFirstPass(t *testing.T) {
	files := []string{drain, memo("2026-01-02", claim), copied, memo("2026-02-03", claim)}
	for i := range 2000 {
		// Each has something to tell, so that each is looked at and sent.
		text := strings.Replace(memo("2026-02-03", fmt.Sprintf("Number %d is odd or even", i)), "<title>2026-02-03</title>", "", 1)
		files = append(files, fmt.Sprintf("areas/many/%d.html", i), text)
	}
	r := newRepo(t, files...)
	e := open(t, r, fakeeditor.VSCode())
	e.Open(r.path(copied))
	e.WaitVersion(r.path(copied))
	var took []time.Duration
	for i := range 60 {
		said := []string{claim, "Something else"}
		start := time.Now()
		e.Replace(r.path(copied), "<mark>"+said[i%2], "<mark>"+said[(i+1)%2])
		e.WaitVersion(r.path(copied))
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	if most := took[len(took)*9/10]; most > 100*time.Millisecond {
		t.Errorf("nine of ten keys were answered in %v", most)
	}
}
