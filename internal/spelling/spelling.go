// Package spelling finds what a mistyped name may have meant, and words a choice
// of names.
package spelling

import (
	"slices"
	"strings"
)

// Nearest returns the names close to a mistyped one, at most three, best first.
func Nearest(name string, names []string) []string {
	type candidate struct {
		name     string
		distance int
	}
	var near []candidate
	for _, other := range names {
		d := distance(name, other)
		if d <= max(2, len(other)/3) || len(name) > 1 && strings.HasPrefix(other, name) {
			near = append(near, candidate{other, d})
		}
	}
	slices.SortStableFunc(near, func(a, b candidate) int { return a.distance - b.distance })
	var best []string
	for _, c := range near[:min(3, len(near))] {
		best = append(best, c.name)
	}
	return best
}

// Alternatives is "a", "a or b", "a, b or c".
func Alternatives(names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// distance is the number of single letters to add, drop or replace.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
