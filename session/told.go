package session

import (
	"fmt"
	"strings"
)

// Sentence is what a person is told of a batch (design.md §9). Operations are
// counted from 1 on.
func (r ApplyResult) Sentence() string {
	s := r.Summary
	if s.Failed > 0 && s.Skipped+s.Failed == s.Total {
		for _, one := range r.Results {
			if one.Code != "" {
				return fmt.Sprintf("Not applied: operation %d of %d: %s", one.Index+1, s.Total, one.Error)
			}
		}
	}
	consolidated := 0
	if s.Consolidated != nil {
		consolidated = *s.Consolidated
	}
	var parts []string
	for _, part := range []struct {
		n    int
		what string
	}{
		{s.Written, "written"},
		{s.Deduped, "there already"},
		{consolidated, "consolidated"},
		{s.Failed, "refused"},
		{s.Skipped, "skipped"},
	} {
		if part.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", part.n, part.what))
		}
	}
	commit := ""
	if r.Commit != nil {
		commit = fmt.Sprintf(" (memhtml %.*s)", shortID, *r.Commit)
	}
	return fmt.Sprintf("Applied %s: %s%s.", countOperations(s.Total), strings.Join(parts, ", "), commit)
}

func countOperations(n int) string {
	if n == 1 {
		return "1 operation"
	}
	return fmt.Sprintf("%d operations", n)
}
