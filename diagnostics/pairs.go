package diagnostics

import (
	"iter"

	"github.com/memhtml-ls/memhtml-ls/index"
	"github.com/memhtml-ls/memhtml-ls/memory"
)

// Pair is one relation between two files. The reporter is the later of the two
// in the order of [index.File.Before] and carries the finding.
type Pair struct {
	Code                Code
	Reporter, Incumbent *index.File
	// Near is what is known of a near duplicate, nil of any other pair.
	Near *Nearness
}

const (
	// pairLimit is the most relation findings of one file; one more is the
	// summary.
	pairLimit = 20
	// scanLimit bounds the search for files that report against one file.
	scanLimit = 200
)

// Pairs returns the pairs that f takes part in: first those it reports, the
// strongest first, then those that others report against it. It returns at most
// one more than the cap of either kind, and one pair for any two files. A pair
// is there whether or not its code is on.
func Pairs(snap *index.Snapshot, f *index.File) []Pair {
	if snap == nil || !takesPart(f) {
		return nil
	}
	c := corpus{snap}
	return append(c.reported(f), c.against(f)...)
}

// takesPart reports whether relations of the file are asked about at all. An
// unmerged file is in doubt itself.
func takesPart(f *index.File) bool { return f.Eligible() && !f.Unmerged }

// corpus asks a Snapshot for the incumbents of a file. Each question is
// answered by the first file of a run, so that a chain of any length points at
// one file and costs no more than a pair.
type corpus struct{ snap *index.Snapshot }

// reported are the pairs whose finding f carries.
func (c corpus) reported(f *index.File) []Pair {
	var pairs []Pair
	if g := c.holder(f); g != nil {
		pairs = append(pairs, Pair{Code: Duplicate, Reporter: f, Incumbent: g})
	}
	if g := c.normalHolder(f); g != nil {
		pairs = append(pairs, Pair{Code: DuplicateNormalized, Reporter: f, Incumbent: g})
	}
	if g := c.claimant(f); g != nil && !sameText(f, g) {
		pairs = append(pairs, Pair{Code: frameCode(f, g), Reporter: f, Incumbent: g})
	}
	return append(pairs, c.nearReported(f)...)
}

// against are the pairs whose finding another file carries.
func (c corpus) against(f *index.File) []Pair {
	var pairs []Pair
	add := func(run iter.Seq[*index.File], incumbent func(*index.File) *index.File, code func(g *index.File) Code) {
		seen := 0
		for g := range run {
			if seen++; seen > scanLimit || len(pairs) > pairLimit {
				return
			}
			if g.Path == f.Path || !takesPart(g) {
				continue
			}
			if i := incumbent(g); i != nil && i.Path == f.Path {
				pairs = append(pairs, Pair{Code: code(g), Reporter: g, Incumbent: f})
			}
		}
	}
	add(c.snap.Holders(f.ContentHash), c.holder, func(*index.File) Code { return Duplicate })
	add(c.snap.NormalHolders(f.NormalHash), c.normalHolder, func(*index.File) Code { return DuplicateNormalized })
	add(c.snap.FrameHolders(f.FrameKey), c.claimant, func(g *index.File) Code { return frameCode(g, f) })
	return c.nearAgainst(pairs, f)
}

// earlier yields the files of a run that f could report against.
func earlier(run iter.Seq[*index.File], f *index.File) iter.Seq[*index.File] {
	return func(yield func(*index.File) bool) {
		for g := range run {
			if f.Before(g) {
				return
			}
			if g.Path != f.Path && !g.Unmerged && !yield(g) {
				return
			}
		}
	}
}

// holder is the first holder of f's content when that is another file.
func (c corpus) holder(f *index.File) *index.File {
	for g := range earlier(c.snap.Holders(f.ContentHash), f) {
		return g
	}
	return nil
}

// normalHolder is the first holder of f's second-tier text. Where that file has
// f's very text the pair is a duplicate, and speaks for the rest of the chain.
func (c corpus) normalHolder(f *index.File) *index.File {
	for g := range earlier(c.snap.NormalHolders(f.NormalHash), f) {
		if g.ContentHash == f.ContentHash {
			return nil
		}
		return g
	}
	return nil
}

// claimant is the first file that fills f's frame and is not settled with f.
// Copies do not count, since their original stands before them. A file with
// f's own text ends the search: what there is to say of the frame is said there.
func (c corpus) claimant(f *index.File) *index.File {
	for g := range earlier(c.snap.FrameHolders(f.FrameKey), f) {
		if sameText(f, g) {
			return nil
		}
		if !settled(f, g) && c.holder(g) == nil {
			return g
		}
	}
	return nil
}

// sameText reports sameness in either tier.
func sameText(f, g *index.File) bool {
	return f.ContentHash == g.ContentHash || f.NormalHash == g.NormalHash && f.NormalHash != memory.Hash{}
}

// settled reports whether a person has said, with a memory link in either
// file, what the two have to do with each other.
func settled(f, g *index.File) bool { return linked(f, g.Path) || linked(g, f.Path) }

// linked reports whether f has a memory link to the path. A link to where a
// file was archived speaks of that archived file: a loser that comes back to
// its old path is judged like any other.
func linked(f *index.File, path string) bool {
	for _, l := range f.Links {
		if memoryRels[l.Rel] && (l.Target == path || l.Alternate == path) {
			return true
		}
	}
	return false
}

// memoryRels are the relations between two memories (format.md §2).
var memoryRels = map[string]bool{
	"supersedes": true, "contradicts": true, "caused_by": true, "leads_to": true, "part_of": true,
	"relates_to": true, "example_of": true, "supports": true, "laterally_related": true,
}
