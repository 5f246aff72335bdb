package index

import (
	"context"
	"iter"
	"slices"

	"github.com/memhtml-ls/memhtml-ls/embed"
	"github.com/memhtml-ls/memhtml-ls/same"
)

// Near is what the claims of the snapshot have to do with each other, as far as
// they have been compared; nil before the first time. It may be of the claims of
// an earlier snapshot: claims that it does not know wait for it, but for those
// of open buffers, which are looked up when they are asked about.
func (s *Snapshot) Near() *Near { return s.near }

// Claims is how many visible files have a claim that is compared.
func (s *Snapshot) Claims() int { return s.claims.Len() }

// WithNear returns the snapshot with what a later comparison found.
func (s *Snapshot) WithNear(n *Near) *Snapshot {
	next := s.derive()
	next.near = n
	next.findPending()
	return next
}

// findPending gathers the open buffers' claims that were not compared.
func (s *Snapshot) findPending() {
	if s.near == nil {
		return
	}
	s.open.Scan(func(f *File) bool {
		if f.Compared() && !s.near.Has(f.Gist) {
			s.pending = append(s.pending, f)
		}
		return true
	})
}

// WantsNear reports whether a claim belongs in [Snapshot.Near]: a saved file has
// it, whether or not a buffer hides that file.
func (s *Snapshot) WantsNear(claim string) bool {
	for f := range s.ClaimHolders(claim) {
		if f.Incoming == 0 {
			return true
		}
	}
	wanted := false
	s.under.Scan(func(f *File) bool {
		wanted = f.Compared() && f.Gist == claim
		return !wanted
	})
	return wanted
}

// NearMoves are the claims that a comparison has to add to what is known, and
// those it has to remove. It looks at every file.
func (s *Snapshot) NearMoves() (add, remove []string) {
	known := s.near
	if known == nil {
		known = NewNear()
	}
	last := ""
	s.claims.Scan(func(f *File) bool {
		if f.Gist != last && !known.Has(f.Gist) && s.WantsNear(f.Gist) {
			add = append(add, f.Gist)
		}
		last = f.Gist
		return true
	})
	s.under.Scan(func(f *File) bool {
		if f.Compared() && !known.Has(f.Gist) {
			add = append(add, f.Gist)
		}
		return true
	})
	known.places.Scan(func(at place) bool {
		if !s.WantsNear(at.claim) {
			remove = append(remove, at.claim)
		}
		return true
	})
	return add, remove
}

// CompareClaims returns the snapshot with its claims compared, and the claims with
// other neighbours than before. saved is what was kept of an earlier comparison,
// for the first one. See [Near.Change] for the cost and the error.
func (s *Snapshot) CompareClaims(ctx context.Context, saved []byte, work Work) (*Snapshot, []string, error) {
	add, remove := s.NearMoves()
	if s.near == nil {
		near, err := RestoreNear(ctx, saved, slices.Values(add), work)
		if err != nil {
			return nil, nil, err
		}
		return s.WithNear(near), near.close(), nil
	}
	near, changed, err := s.near.Change(ctx, add, remove, work)
	if err != nil {
		return nil, nil, err
	}
	return s.WithNear(near), changed, nil
}

// ClaimHolders yields the files with a claim that are compared, in the order of
// [File.Before].
func (s *Snapshot) ClaimHolders(claim string) iter.Seq[*File] {
	return run(s.claims, &File{Gist: claim, Tracked: true}, sameClaim)
}

func sameClaim(f, g *File) bool { return f.Gist == g.Gist }

// NearClaims are the claims that f's is the same as or alike to in other words,
// the nearest first. A claim that is in an open buffer and was not compared costs
// a search of a millisecond for each 100,000 claims, once; one that is only on
// disk has none until it has been.
func (s *Snapshot) NearClaims(f *File) []Neighbour {
	if s.near == nil || !f.Compared() {
		return nil
	}
	var found []Neighbour
	pending := slices.ContainsFunc(s.pending, func(o *File) bool { return o.Gist == f.Gist })
	if pending {
		found = slices.Clone(s.near.Candidates(f.Gist))
	} else {
		found = s.near.Neighbours(f.Gist)
	}
	for _, o := range s.pending {
		if n, ok := s.nearPending(f, o, pending); ok {
			found = append(found, n)
		}
	}
	return found
}

// nearPending holds f against an open buffer o whose claim was not compared.
func (s *Snapshot) nearPending(f, o *File, both bool) (Neighbour, bool) {
	if o.Gist == f.Gist {
		return Neighbour{}, false
	}
	if !both {
		for _, n := range s.near.Candidates(o.Gist) {
			if n.Claim == f.Gist {
				return Neighbour{o.Gist, n.Cosine, n.Same}, true
			}
		}
		return Neighbour{}, false
	}
	a, b := same.Of(f.Gist), same.Of(o.Gist)
	cosine := cosineOf(a, b)
	if cosine < embed.LexnormFloor {
		return Neighbour{}, false
	}
	kind := judge(a, b)
	return Neighbour{o.Gist, cosine, kind == pairSame}, kind >= pairDiffers
}

func cosineOf(a, b *same.Claim) float32 {
	x, y := new(vector), new(vector)
	embed.Lexnorm{}.Into(x[:], a)
	embed.Lexnorm{}.Into(y[:], b)
	return dot(x, y)
}

// nearRelated reports whether another file has f's claim or says the same, or one
// that differs may be told of.
func (s *Snapshot) nearRelated(f *File) bool {
	if s.near == nil || !f.Compared() {
		return false
	}
	if more(s.ClaimHolders(f.Gist)) {
		return true
	}
	differ, held := 0, false
	for _, n := range s.NearClaims(f) {
		if !n.Same {
			differ++
		}
		for range s.ClaimHolders(n.Claim) {
			held = true
			if n.Same {
				return true
			}
			break
		}
	}
	return held && differ < ListSize
}

// nearFellows yields the files whose claim is f's or near to it, and that were
// not yielded before.
func (s *Snapshot) nearFellows(f *File, seen map[string]bool, yield func(string) bool) bool {
	if s.near == nil || !f.Compared() {
		return true
	}
	for _, n := range append(s.NearClaims(f), Neighbour{Claim: f.Gist}) {
		for g := range s.ClaimHolders(n.Claim) {
			if seen[g.Path] || related(f, g) {
				continue
			}
			seen[g.Path] = true
			if !yield(g.Path) {
				return false
			}
		}
	}
	return true
}
