package same

// governed blames aligned words that depend on different prepositions. Times
// are judged by timed.
func (p *pair) governed() bool {
	for i := range p.a.tokens {
		t, j := &p.a.tokens[i], int(p.a.partner[i])
		if j < 0 || t.class != content || t.when() {
			continue
		}
		x, y := p.a.nearest(i), p.b.nearest(j)
		if x == none || y == none || alikePrepositions(p.a.tokens[x].text, p.b.tokens[y].text, t.kind == number) {
			continue
		}
		p.a.blamed[x], p.b.blamed[y], p.a.blamed[i], p.b.blamed[j] = true, true, true, true
		return true
	}
	return false
}

// nearest returns the preposition before token i with only articles between,
// or none.
func (s *side) nearest(i int) int {
	for k := i - 1; k >= 0 && !s.tokens[k+1].clause && !s.tokens[k+1].closed; k-- {
		switch s.tokens[k].class {
		case preposition:
			return k
		case function, pronoun:
		default:
			return none
		}
	}
	return none
}

// likePrepositions say nearly the same before the same word.
var likePrepositions = [][2]string{
	{"in", "on"},
	{"in", "at"},
	{"on", "at"},
	{"via", "with"},
	{"via", "by"},
	{"via", "in"},
	{"via", "on"},
	{"of", "in"},
	{"of", "on"},
	{"of", "at"},
	{"to", "for"},
	{"during", "in"},
	{"during", "on"},
	{"during", "at"},
}

// likeBeforeNumbers do so before a number.
var likeBeforeNumbers = [][2]string{{"to", "at"}, {"of", "to"}, {"of", "with"}, {"at", "for"}, {"of", "for"}, {"to", "in"}}

func alikePrepositions(x, y string, number bool) bool {
	return x == y || paired(likePrepositions, x, y) || number && paired(likeBeforeNumbers, x, y)
}

func paired(table [][2]string, x, y string) bool {
	for _, p := range table {
		if p[0] == x && p[1] == y || p[0] == y && p[1] == x {
			return true
		}
	}
	return false
}

// reasoned blames a reason that became a consequence: "because" against "so".
func (p *pair) reasoned() bool {
	because := func(t *token) bool { return t.class == function && t.text == "because" }
	so := func(t *token) bool { return t.class == function && t.text == "so" }
	if p.a.any(because) && p.b.any(so) || p.a.any(so) && p.b.any(because) {
		return p.left(func(t *token) bool { return because(t) || so(t) })
	}
	return false
}

// owned blames a verb that turned from "have" to "be". An owner explains it:
// "its capacity is" and "it has a capacity of".
func (p *pair) owned() bool { return p.hasBecomes(&p.a, &p.b) || p.hasBecomes(&p.b, &p.a) }

func (p *pair) hasBecomes(s, other *side) bool {
	has, is := s.having(), other.next(0, func(t *token) bool { return t.class == being && t.text != "be" })
	if has == none || is == none || other.owners() > s.owners() {
		return false
	}
	s.blamed[has], other.blamed[is] = true, true
	return true
}

// having returns a left-over "have" that helps no "been", or none.
func (s *side) having() int {
	for i := range s.tokens {
		if s.partner[i] == none && s.tokens[i].class == function && s.tokens[i].text == "have" && !(i+1 < len(s.tokens) && s.tokens[i+1].text == "be") {
			return i
		}
	}
	return none
}

func (s *side) owners() int {
	n := 0
	for i := range s.tokens {
		if s.tokens[i].possessive {
			n++
		}
	}
	return n
}
