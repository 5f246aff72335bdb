package calibrate

import (
	"cmp"
	"context"
	"crypto/sha256"
	"slices"

	"github.com/memhtml-ls/memhtml-ls/embed"
	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/internal/flat"
	"github.com/memhtml-ls/memhtml-ls/memory"
	"github.com/memhtml-ls/memhtml-ls/same"
)

// Memory is one of those whose neighbours are looked for.
type Memory struct {
	Path, Claim string
	// Vector is that of the claim, of length one; one without is left out.
	Vector []float32
}

// Neighbours is the data of "calibrate.neighbours": what would be reported of the
// pairs of a root that are nearest to each other.
type Neighbours struct {
	Embedder  string  `json:"embedder"`
	Threshold float64 `json:"threshold"`
	// Memories is how many were compared, Missing how many had no vector.
	Memories int `json:"memories"`
	Missing  int `json:"missing"`
	// Pairs is how many were looked at: those asked for, or all that are near at
	// all.
	Pairs int `json:"pairs"`
	// Reported is how many of them would be told as near-duplicates.
	Reported int `json:"reported"`
	// Rows count, for thresholds from high to low.
	Rows []NeighbourRow `json:"rows"`
	// Sample are pairs to read: of those that would be told, evenly from the
	// nearest to the farthest, or the nearest ones where none would be.
	Sample []Neighbour `json:"sample"`
}

// NeighbourRow counts the pairs at and above a threshold. Reported are those that
// would be told with it.
type NeighbourRow struct {
	Threshold float64 `json:"threshold"`
	Pairs     int     `json:"pairs"`
	Same      int     `json:"same"`
	Differs   int     `json:"differs"`
	Apart     int     `json:"apart"`
	Reported  int     `json:"reported"`
}

// Neighbour is one pair.
type Neighbour struct {
	A        string  `json:"a"`
	B        string  `json:"b"`
	ClaimA   string  `json:"claimA"`
	ClaimB   string  `json:"claimB"`
	Cosine   float64 `json:"cosine"`
	Verdict  string  `json:"verdict"`
	Class    string  `json:"class,omitempty"`
	Reported bool    `json:"reported"`
}

const (
	// neighboursEach is how many neighbours of a memory are looked at.
	neighboursEach = 10
	// farthest is the cosine below which nothing is a neighbour.
	farthest = 0.2
	// sampleSize is how many pairs are there to read.
	sampleSize = 20
)

// Nearest judges the n pairs of memories that are nearest to each other. Equal
// claims are one memory: their files say the same as nobody doubts. progress may
// be nil.
func Nearest(ctx context.Context, memories []Memory, threshold float64, n int, progress func(done, total int)) (Neighbours, error) {
	report := Neighbours{Threshold: threshold}
	space, byName := fill(memories, &report)
	pairs, err := nearest(ctx, space, byName, progress)
	if err != nil {
		return report, err
	}
	pairs = pairs[:min(n, len(pairs))]
	report.Pairs = len(pairs)
	for i := range pairs {
		p := &pairs[i]
		verdict := same.Compare(same.Of(p.ClaimA), same.Of(p.ClaimB))
		p.Verdict, p.Class = verdict.Kind.String(), verdict.Class.String()
		if p.Reported = p.reported(threshold); p.Reported {
			report.Reported++
		}
	}
	for t := highest + 1; t >= lowest; t -= 5 {
		report.Rows = append(report.Rows, neighbourRow(pairs, float64(t)/100))
	}
	report.Sample = sample(pairs)
	return report, nil
}

// fill puts the vectors into a space, one for each claim.
func fill(memories []Memory, report *Neighbours) (*flat.Space, map[memory.Hash]Memory) {
	var space *flat.Space
	byName := map[memory.Hash]Memory{}
	for _, m := range memories {
		if m.Vector == nil {
			report.Missing++
			continue
		}
		report.Memories++
		if space == nil {
			space = flat.New(len(m.Vector))
		}
		name := memory.Hash(sha256.Sum256([]byte(m.Claim)))
		if _, known := byName[name]; !known {
			byName[name] = m
			space.Put(name, m.Vector)
		}
	}
	return space, byName
}

// nearest are the pairs, the nearest first.
func nearest(ctx context.Context, space *flat.Space, byName map[memory.Hash]Memory, progress func(done, total int)) ([]Neighbour, error) {
	type key struct{ a, b string }
	pairs := map[key]Neighbour{}
	done := 0
	for name, m := range byName {
		if ctx.Err() != nil {
			return nil, failure.New(failure.Cancelled, "The neighbours were not looked for: the work was cancelled.").Wrap(ctx.Err())
		}
		for _, found := range space.Search(m.Vector, neighboursEach+1, farthest, nil) {
			if found.Name == name {
				continue
			}
			a, b := m, byName[found.Name]
			if a.Path > b.Path {
				a, b = b, a
			}
			pairs[key{a.Path, b.Path}] = Neighbour{A: a.Path, B: b.Path, ClaimA: a.Claim, ClaimB: b.Claim, Cosine: embed.Cosine(a.Vector, b.Vector)}
		}
		if done++; progress != nil && done%256 == 0 {
			progress(done, len(byName))
		}
	}
	all := make([]Neighbour, 0, len(pairs))
	for _, p := range pairs {
		all = append(all, p)
	}
	slices.SortFunc(all, func(x, y Neighbour) int {
		return cmp.Or(cmp.Compare(y.Cosine, x.Cosine), cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B))
	})
	return all, nil
}

// reported says whether the pair would be told with a threshold.
func (p *Neighbour) reported(threshold float64) bool {
	return p.Verdict == same.Same.String() || embed.Reaches(p.Cosine, threshold) && p.Verdict != same.Differs.String()
}

func neighbourRow(pairs []Neighbour, threshold float64) NeighbourRow {
	row := NeighbourRow{Threshold: threshold}
	for i := range pairs {
		p := &pairs[i]
		if p.reported(threshold) {
			row.Reported++
		}
		if !embed.Reaches(p.Cosine, threshold) {
			continue
		}
		row.Pairs++
		switch p.Verdict {
		case same.Same.String():
			row.Same++
		case same.Differs.String():
			row.Differs++
		default:
			row.Apart++
		}
	}
	return row
}

func sample(pairs []Neighbour) []Neighbour {
	var told []Neighbour
	for _, p := range pairs {
		if p.Reported {
			told = append(told, p)
		}
	}
	if len(told) == 0 {
		return pairs[:min(sampleSize, len(pairs))]
	}
	if len(told) <= sampleSize {
		return told
	}
	thinned := make([]Neighbour, sampleSize)
	for i := range thinned {
		thinned[i] = told[i*(len(told)-1)/(sampleSize-1)]
	}
	return thinned
}
