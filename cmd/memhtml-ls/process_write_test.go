//go:build unix

package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// atOnce runs the command once for each list of arguments, all at the same time.
func atOnce(t *testing.T, dir string, calls [][]string) []outcome {
	t.Helper()
	results := make([]outcome, len(calls))
	var group sync.WaitGroup
	for i, args := range calls {
		cmd := process(t, dir, append(args, "--format", "json")...)
		group.Go(func() { results[i] = outcomeOf(t, cmd) })
	}
	group.Wait()
	return results
}

// tally counts the answers by what they say: the action, with " already", or the
// code of a refusal.
func tally(t *testing.T, results []outcome) map[string]int {
	t.Helper()
	counts := map[string]int{}
	for _, result := range results {
		var envelope struct {
			Code string
			Data struct {
				Action  string
				Already bool
			}
		}
		if err := json.Unmarshal([]byte(result.Stdout), &envelope); err != nil || result.Stderr != "" {
			t.Fatalf("status %d, stdout %s, stderr %s, %v", result.Status, result.Stdout, result.Stderr, err)
		}
		if (result.Status != 0) != (envelope.Code != "") {
			t.Errorf("status %d with %s", result.Status, result.Stdout)
		}
		said := envelope.Data.Action + envelope.Code
		if envelope.Data.Already {
			said += " already"
		}
		counts[said]++
	}
	return counts
}

// sound demands a number of commits and a clean repository.
func sound(t *testing.T, dir string, commits int) {
	t.Helper()
	if got := strings.TrimSpace(gitIn(t, dir, "rev-list", "--count", "HEAD")); got != fmt.Sprint(commits) {
		t.Errorf("%s commits, want %d", got, commits)
	}
	if got := gitIn(t, dir, "status", "--porcelain"); got != "" {
		t.Errorf("git status says %q", got)
	}
	gitIn(t, dir, "fsck", "--strict")
}

func same(n int, args ...string) [][]string {
	var calls [][]string
	for range n {
		calls = append(calls, args)
	}
	return calls
}

func TestTwelveProcessesWriteOneFactOnce(t *testing.T) {
	dir := newRoot(t, map[string]string{"areas/a.html": "The gate closes at ten."})
	results := atOnce(t, dir, same(12, "write", "--title", "Bar", "--type", "semantic", "--claim", "The bar opens at noon."))
	if diff := cmp.Diff(map[string]int{"created": 1, "deduped": 11}, tally(t, results)); diff != "" {
		t.Error(diff)
	}
	sound(t, dir, 2)
}

func TestTwelveProcessesUpdateOneFact(t *testing.T) {
	dir := newRoot(t, map[string]string{"areas/a.html": "The gate closes at ten."})
	results := atOnce(t, dir, same(12, "write", "--title", "Bar", "--type", "semantic", "--claim", "The bar opens at noon.", "--dedupe", "exact"))
	if diff := cmp.Diff(map[string]int{"created": 1, "updated already": 11}, tally(t, results)); diff != "" {
		t.Error(diff)
	}
	sound(t, dir, 2)
}

func TestTwelveBatchesAreOneCommit(t *testing.T) {
	dir := newRoot(t, map[string]string{"areas/a.html": "The gate closes at ten."})
	batch := filepath.Join(t.TempDir(), "batch.jsonl")
	put(t, batch, `{"op":"write","title":"Bar","type":"semantic","claim":"The bar opens at noon."}
{"op":"write","title":"Lift","type":"semantic","claim":"The lift is broken."}
`)
	for _, result := range atOnce(t, dir, same(12, "apply", "--file", batch)) {
		if result.Status != 0 {
			t.Errorf("status %d, %s", result.Status, result.Stdout)
		}
	}
	sound(t, dir, 2)
}

func TestUpdatesWithOneExpectedVersion(t *testing.T) {
	dir := newRoot(t, map[string]string{"areas/a.html": "The gate closes at ten."})
	text, err := os.ReadFile(filepath.Join(dir, "areas/a.html"))
	if err != nil {
		t.Fatal(err)
	}
	expect := fmt.Sprintf("%x", sha256.Sum256(text))
	var calls [][]string
	for i := range 20 {
		calls = append(calls, []string{"update", "areas/a.html", "--tag", fmt.Sprint("t", i), "--expect", expect})
	}
	if diff := cmp.Diff(map[string]int{"updated": 1, "ERR_WRITE_CONFLICT": 19}, tally(t, atOnce(t, dir, calls))); diff != "" {
		t.Error(diff)
	}
	sound(t, dir, 2)
}

func TestProcessesWithDifferentFactsLoseNone(t *testing.T) {
	dir := newRoot(t, map[string]string{"areas/a.html": "The gate closes at ten."})
	var calls [][]string
	for i := range 12 {
		calls = append(calls, []string{"write", "--title", "Room", "--type", "semantic", "--claim", fmt.Sprintf("Room %d is at the end of its own corridor.", i)})
	}
	if diff := cmp.Diff(map[string]int{"created": 12}, tally(t, atOnce(t, dir, calls))); diff != "" {
		t.Error(diff)
	}
	sound(t, dir, 13)
}
