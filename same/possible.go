package same

// How much of a claim must be aligned before what is left over tells that
// another fact is meant (same-fact.md §5 E).
const (
	namesTell  = 0.25
	modalsTell = 0.3
	frameTells = 0.35
)

// Possible reports whether two claims may say the same although Compare finds
// too little in common to tell: nothing in what is left over speaks against it.
// It says nothing for it; that is for somebody else to know.
func Possible(a, b *Claim) bool {
	if a.text > b.text {
		a, b = b, a
	}
	if Compare(a, b).Kind != Apart {
		return false
	}
	var p pair
	p.a.tokens, p.b.tokens = a.tokens, b.tokens
	p.align()
	x, y := p.a.coverage(a.weight), p.b.coverage(b.weight)
	switch {
	case p.bothLeft(func(t *token) bool { return t.kind == number }):
		return false
	case max(x, y) > modalsTell && p.a.levels() != p.b.levels() && p.bothLeft(func(t *token) bool { return t.class == modal }):
		return false
	case max(x, y) > namesTell && p.bothLeft(func(t *token) bool { return t.class == content && (t.name || t.kind == identifier) }):
		return false
	case max(x, y) >= frameTells && p.a.oneHole() && p.b.oneHole():
		return false
	}
	return true
}

// bothLeft reports left-over tokens for which is holds on both sides.
func (p *pair) bothLeft(is func(t *token) bool) bool { return p.a.any(is) && p.b.any(is) }

// oneHole reports that what the side says and the other does not stands in one
// place.
func (s *side) oneHole() bool {
	holes, in := 0, false
	for i := range s.tokens {
		switch t := &s.tokens[i]; {
		case !t.matters():
		case s.partner[i] != none:
			in = false
		case !in:
			holes, in = holes+1, true
		}
	}
	return holes == 1
}
