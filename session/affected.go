package session

import (
	"maps"
	"slices"
	"strings"

	"github.com/memhtml-ls/memhtml-ls/index"
)

// allKeys yields the keys of both maps, some twice.
func allKeys[V any](a, b map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for key := range a {
			if !yield(key) {
				return
			}
		}
		for key := range b {
			if !yield(key) {
				return
			}
		}
	}
}

// affected collects the changed paths and everything whose findings may depend
// on what they were or have become, and what a day between the Views made late.
func affected(old, next *View, delta index.Delta) []string {
	paths := map[string]struct{}{}
	for path := range allKeys(delta.Disk, delta.Open) {
		paths[path] = struct{}{}
		for _, snapshot := range []*index.Snapshot{old.Snapshot, next.Snapshot} {
			if file := snapshot.File(path); file != nil {
				for neighbour := range snapshot.Neighbours(file) {
					paths[neighbour] = struct{}{}
				}
			}
		}
	}
	for file := range next.Snapshot.Passed(old.today, next.today) {
		paths[file.Path] = struct{}{}
	}
	return slices.SortedFunc(maps.Keys(paths), strings.Compare)
}

// merged is the sorted union of sorted paths and others.
func merged(sorted, others []string) []string {
	if len(others) == 0 {
		return sorted
	}
	all := slices.Concat(sorted, others)
	slices.Sort(all)
	return slices.Compact(all)
}
