package same

// exchanged: the aligned words stand in another order than one moved phrase
// explains, or in the same order with their parts exchanged.
func (p *pair) exchanged() bool {
	if p.governed() || p.reasoned() {
		return true
	}
	seq := p.order()
	if p.recounted(seq) {
		return true
	}
	switch from, to, end, kind := arrangement(seq); kind {
	case unchanged:
		return p.byLeft()
	case oneMoved:
		return p.swapped(seq, from, to, end)
	default:
		return !p.passive() && p.blameOrder(seq)
	}
}

func (t *token) ranks() bool { return t.kind == number && t.quantity.dim == ordinal }

// recounted blames two numbers of a kind that traded what they count, or an
// ordinal that ranks something else.
func (p *pair) recounted(seq []place) bool {
	for k, at := range seq {
		t := &p.a.tokens[at.i]
		for _, later := range seq[k+1:] {
			u := &p.a.tokens[later.i]
			if later.j > at.j || !t.ranks() && !u.ranks() && (t.kind != number || u.kind != number || t.quantity.dim != u.quantity.dim) {
				continue
			}
			if p.bearsSame(at) && p.bearsSame(later) {
				continue
			}
			for _, pl := range [...]place{at, later} {
				p.a.blamed[pl.i], p.b.blamed[pl.j] = true, true
			}
			return true
		}
	}
	return false
}

// bearsSame reports a pair that is no number or bears on aligned words.
func (p *pair) bearsSame(at place) bool {
	return p.a.tokens[at.i].kind != number || p.together(p.a.bearsOn(int(at.i)), p.b.bearsOn(int(at.j)))
}

// place is an aligned pair of tokens.
type place struct{ i, j int16 }

// order lists the aligned tokens that matter in the order of a.
func (p *pair) order() []place {
	seq := p.places[:0]
	for i := range p.a.tokens {
		if j := p.a.partner[i]; j >= 0 && p.a.tokens[i].class == content {
			seq = append(seq, place{int16(i), j})
		}
	}
	return seq
}

type disorder uint8

const (
	unchanged disorder = iota
	oneMoved
	scrambled
)

// arrangement says how the order of b differs from that of a. For oneMoved the
// neighbouring blocks seq[from:to] and seq[to:end] traded places.
func arrangement(seq []place) (from, to, end int, kind disorder) {
	from = descent(seq)
	if from == len(seq) {
		return 0, 0, 0, unchanged
	}
	to = from
	for from > 0 && seq[from-1].j > seq[to].j {
		from--
	}
	end = to
	for end < len(seq) && seq[end].j < seq[from].j {
		end++
	}
	if descent(seq[to:end]) < end-to || end < len(seq) && seq[end].j < seq[to-1].j || descent(seq[end:]) < len(seq)-end || from > 0 && seq[from-1].j > seq[to].j {
		return from, to, end, scrambled
	}
	return from, to, end, oneMoved
}

// descent returns the first place whose partner stands before that of the
// place before it, or len(seq).
func descent(seq []place) int {
	for k := 1; k < len(seq); k++ {
		if seq[k].j < seq[k-1].j {
			return k
		}
	}
	return len(seq)
}

// agents counts the "by" and the forms of "be" of a side.
func (s *side) agents() (bys, beings int) {
	for i := range s.tokens {
		switch t := &s.tokens[i]; {
		case t.class == preposition && t.text == "by":
			bys++
		case t.class == being:
			beings++
		}
	}
	return bys, beings
}

// passive reports that one side alone has a "by", and with it a form of "be".
func (p *pair) passive() bool {
	x, isX := p.a.agents()
	y, isY := p.b.agents()
	return x > y && isX > isY || y > x && isY > isX
}

// byLeft blames a "by" that only one side has, and with it an agent.
func (p *pair) byLeft() bool { return p.agent(&p.a, &p.b) || p.agent(&p.b, &p.a) }

func (p *pair) agent(s, other *side) bool {
	for k := range s.tokens {
		if t := &s.tokens[k]; s.partner[k] != none || t.class != preposition || t.text != "by" {
			continue
		}
		if who := s.bearsOn(k); who > k && s.partner[who] >= 0 && other.nearest(int(s.partner[who])) == none {
			s.blamed[k] = true
			return true
		}
	}
	return false
}

// blameOrder blames what stands out of order.
func (p *pair) blameOrder(seq []place) bool {
	for k := 1; k < len(seq); k++ {
		if seq[k].j < seq[k-1].j {
			for _, at := range seq[k-1 : k+1] {
				p.a.blamed[at.i], p.b.blamed[at.j] = true, true
			}
		}
	}
	return true
}

// swapped reports two phrases, seq[from:to] and seq[to:end], that traded places
// and left their prepositions or possessives behind.
func (p *pair) swapped(seq []place, from, to, end int) bool {
	if p.compound(seq[from:end]) {
		return false
	}
	if p.a.then(seq[to-1].i, seq[to].i) && p.b.then(seq[end-1].j, seq[from].j) {
		return p.blameOrder(seq)
	}
	if p.listed(seq[to-1], seq[to]) && p.listed(seq[end-1], seq[from]) {
		return p.blameOrder(seq)
	}
	if p.disowned(seq[from:end]) {
		return true
	}
	first, second := p.reattached(seq[from:to]), p.reattached(seq[to:end])
	if !first || !second {
		p.forgive()
	}
	return first && second
}

// listed reports two names side by side in a or in b, whose order is all that
// tells what each is for.
func (p *pair) listed(x, y place) bool {
	if y.i != x.i+1 && y.j != x.j+1 {
		return false
	}
	return !common(&p.a.tokens[x.i]) && !common(&p.a.tokens[y.i])
}

// then reports that what stands after token k comes later in time.
func (s *side) then(i, k int16) bool {
	for m := i + 1; m < k; m++ {
		if s.tokens[m].text == "then" {
			return true
		}
	}
	return false
}

// disowned blames a moved owner that owns nothing on the other side.
func (p *pair) disowned(seq []place) bool {
	for _, at := range seq {
		t, u := &p.a.tokens[at.i], &p.b.tokens[at.j]
		if t.possessive && !u.possessive && p.b.nearest(int(at.j)) == none || u.possessive && !t.possessive && p.a.nearest(int(at.i)) == none {
			p.a.blamed[at.i], p.b.blamed[at.j] = true, true
			return true
		}
	}
	return false
}

// reattached blames the first word that depends on another preposition, or is
// a possessor on one side only.
func (p *pair) reattached(block []place) bool {
	for _, at := range block {
		t, u := &p.a.tokens[at.i], &p.b.tokens[at.j]
		if p.a.governor(int(at.i)) != p.b.governor(int(at.j)) || t.name && u.name && t.possessive != u.possessive {
			p.a.blamed[at.i], p.b.blamed[at.j] = true, true
			return true
		}
	}
	return false
}

// compound reports two words with a preposition between them on one side and
// side by side on the other: "emails to customers" and "customer emails".
func (p *pair) compound(seq []place) bool {
	if len(seq) != 2 {
		return false
	}
	x, y := seq[0], seq[1]
	return p.a.linked(x.i, y.i) && x.j == y.j+1 || p.b.linked(y.j, x.j) && y.i == x.i+1
}

// linked reports a soft preposition and nothing that matters between i and k.
func (s *side) linked(i, k int16) bool {
	soft := false
	for m := i + 1; m < k; m++ {
		t := &s.tokens[m]
		if t.matters() {
			return false
		}
		soft = soft || t.class == preposition && (t.text == "of" || t.text == "to" || t.text == "for" || t.text == "in")
	}
	return soft
}

// governor returns the preposition or limit that token i depends on, empty for
// none or for one that does not tell parts apart. "and" hands it on; a clause
// ends its reach.
func (s *side) governor(i int) string {
	words := 0
	for k := i - 1; k >= 0 && !s.tokens[k+1].clause && !s.tokens[k+1].closed; k-- {
		switch t := &s.tokens[k]; {
		case t.class == preposition:
			if t.text == "on" || t.text == "at" {
				return "in"
			}
			return t.text
		case t.class == limit && (t.text == "before" || t.text == "after" || t.text == "than" || t.text == "if" || t.text == "unless" || t.text == "when"):
			return t.text
		case t.text == "over" || t.text == "under" || t.text == "above" || t.text == "below":
			return t.text
		case t.text == "because" || t.text == "so":
			return t.text
		case t.text == "and":
			words--
		case t.class == content:
			if words++; words > 1 {
				return ""
			}
		case t.class == negator || t.class == modal:
			return ""
		}
	}
	return ""
}
