package store

import (
	"time"

	"github.com/memhtml-ls/memhtml-ls/memory"
)

// Plan is everything one commit will do, made before anything is touched
// (design.md §7). Paths are relative to the memory root, with '/'.
//
// A plan is refused whole, before the first change, when an expectation does
// not hold. Each path occurs at most once as From and at most once as Path;
// the same path may be vacated by one change and taken by another.
type Plan struct {
	Changes []Change
	Message Message
	// At is the one instant of the operation: commit time and every stamp.
	At time.Time
}

// Change is one file of a plan.
//
//	create: From == "", Path set, Expect nil    (Path must not exist)
//	edit:   From == Path, Expect set
//	move:   From != Path, both set, Expect set  (Path must not exist)
//	delete: Path == "", From set, Expect set
//
// The way back from a commit that took in what no commit had leaves that on the
// disk: see Kept.
type Change struct {
	From, Path string
	// Expect is the SHA-256 of the bytes at From when the plan was made. The
	// file is committed as it is on disk (D18), so this is also what guards
	// the person's unsaved or later work.
	Expect *memory.Hash
	// After is the content at Path; nil for a delete.
	After []byte
	// Executable is the mode that the commit gives Path; nil is that of the file at
	// From, which the file on disk has in any case.
	Executable *bool
	// Kept is what stays on disk at Path in place of After, as a change that is
	// not committed; nil for none. With Untracked the commit has nothing at Path.
	Kept      []byte
	Untracked bool
}

// Message is the text of the commit. Subject is complete and already cut
// (format.md §6, [memory.Subject]); Body and Trailers may be empty.
type Message struct {
	Subject  string
	Body     string
	Trailers []Trailer
}

// Trailer is one "Key: value" line at the end of a commit message.
type Trailer struct{ Key, Value string }

// Result is what a commit did.
type Result struct {
	// Commit is the hex id of the new commit; never empty on success.
	Commit string
	// Uncommitted are the files that were taken into the commit with changes that
	// no commit had, or whole (D18); root-relative, sorted.
	Uncommitted []string
	// Warnings are things a person should know although the commit is made,
	// such as a detached HEAD (D13).
	Warnings []string
}

// Paths returns every path the plan names.
func (p Plan) Paths() []string {
	var paths []string
	for _, change := range p.Changes {
		if change.From != "" {
			paths = append(paths, change.From)
		}
		if change.Path != "" && change.Path != change.From {
			paths = append(paths, change.Path)
		}
	}
	return paths
}
