package same

// judge returns the gravest difference of an aligned pair, None if there is
// none, and marks the tokens to blame.
func (p *pair) judge() Class {
	for c := Number; c <= Surplus; c++ {
		if p.differsIn(c) {
			return c
		}
		p.forgive()
	}
	return None
}

// differsIn blames the tokens of one class of difference.
func (p *pair) differsIn(c Class) bool {
	switch c {
	case Number:
		return p.measured()
	case Negation:
		return p.negated()
	case Modality:
		return p.modal()
	case Condition:
		return p.limited()
	case Variant:
		return p.variant()
	case Entity:
		return p.entity()
	case Role:
		return p.exchanged()
	case Substitution:
		return p.owned() || p.a.any(says) && p.b.any(says) && p.left(says)
	}
	return p.left(says)
}

func (p *pair) forgive() {
	clear(p.a.blamed[:len(p.a.tokens)])
	clear(p.b.blamed[:len(p.b.tokens)])
}

// says reports a token that cannot be left over.
func says(t *token) bool { return t.class == content }

// left blames the left-over tokens for which is holds.
func (p *pair) left(is func(t *token) bool) bool {
	a, b := p.a.blame(is), p.b.blame(is)
	return a || b
}

func (s *side) blame(is func(t *token) bool) bool {
	found := false
	for i := range s.tokens {
		if s.partner[i] == none && is(&s.tokens[i]) {
			s.blamed[i], found = true, true
		}
	}
	return found
}

// any reports a left-over token for which is holds.
func (s *side) any(is func(t *token) bool) bool { return s.next(0, is) >= 0 }

// measured: an amount is left over, or one is per day and the other per week.
func (p *pair) measured() bool {
	isNumber := func(t *token) bool { return t.kind == number }
	isSpan := func(t *token) bool { return t.class == content && units()[t.text].dim == duration }
	return p.left(isNumber) || p.a.any(isSpan) && p.b.any(isSpan) && p.left(isSpan)
}

// negated: a negator is left over, an aligned one denies something else, or a
// word met its opposite.
func (p *pair) negated() bool {
	found := p.left(func(t *token) bool { return t.class == negator })
	found = p.scoped(negator) || found
	found = p.opposed() || found
	return found || p.denies()
}

// denies blames a verb of denial that only one side has.
func (p *pair) denies() bool {
	is := func(t *token) bool { return t.class == content && denials()[t.text] }
	return p.a.any(is) != p.b.any(is) && p.left(is)
}

// scoped blames aligned tokens of a class that bear on different words.
func (p *pair) scoped(c class) bool {
	found := false
	for i := range p.a.tokens {
		j := p.a.partner[i]
		if p.a.tokens[i].class != c || j < 0 {
			continue
		}
		if x, y := p.a.bearsOn(i), p.b.bearsOn(int(j)); !p.together(x, y) {
			p.a.blamed[i], p.b.blamed[j], found = true, true, true
			p.a.blameAt(x)
			p.b.blameAt(y)
		}
	}
	return found
}

// bearsOn returns the content word that follows token i in its clause, or
// else the one before it, or none.
func (s *side) bearsOn(i int) int {
	for k := i + 1; k < len(s.tokens) && !s.tokens[k].clause; k++ {
		if s.tokens[k].class == content {
			return k
		}
	}
	for k := i - 1; k >= 0; k-- {
		if s.tokens[k].class == content {
			return k
		}
	}
	return none
}

// together reports tokens that are aligned with each other or both missing.
func (p *pair) together(i, j int) bool {
	if i < 0 || j < 0 {
		return i == j
	}
	return int(p.a.partner[i]) == j || int(p.b.partner[j]) == i
}

func (s *side) blameAt(i int) {
	if i >= 0 {
		s.blamed[i] = true
	}
}

// opposed blames left-over words that are opposites.
func (p *pair) opposed() bool {
	for i := range p.a.tokens {
		if p.a.partner[i] != none {
			continue
		}
		for j := range p.b.tokens {
			if p.b.partner[j] == none && opposite(&p.a.tokens[i], &p.b.tokens[j]) {
				p.a.blamed[i], p.b.blamed[j] = true, true
				return true
			}
		}
	}
	return false
}

func opposite(t, u *token) bool {
	a, b := t.text, u.text
	return opposites()[a] == b && b != "" || opposites()[b] == a && a != "" || prefixed(a, b) || prefixed(b, a)
}

// prefixed reports a word and its denial.
func prefixed(a, b string) bool {
	for _, prefix := range [...]string{"un", "in", "im", "dis", "non", "mis", "il", "ir"} {
		if n := len(prefix); len(a) > 3 && len(b) == len(a)+n && b[:n] == prefix && b[n:] == a {
			return true
		}
	}
	return false
}

// modal: modals of different strength are left over, or one side speaks of
// what was and the other of what is.
func (p *pair) modal() bool {
	isModal := func(t *token) bool { return t.class == modal }
	if p.a.levels() != p.b.levels() && (p.a.any(isModal) || p.b.any(isModal)) {
		return p.left(isModal)
	}
	return p.tensed()
}

// levels is the set of strengths of the left-over modals.
func (s *side) levels() uint8 {
	set := uint8(0)
	for i := range s.tokens {
		if s.partner[i] == none && s.tokens[i].class == modal {
			set |= 1 << s.tokens[i].level
		}
	}
	return set
}

func (p *pair) tensed() bool {
	is := func(t *token) bool { return t.class == being && t.text == "is" }
	was := func(t *token) bool { return t.class == being && t.text == "was" }
	if p.a.any(is) && p.b.any(was) || p.a.any(was) && p.b.any(is) {
		return p.left(func(t *token) bool { return is(t) || was(t) })
	}
	for i := range p.a.tokens {
		if j := p.a.partner[i]; j >= 0 && p.a.tokens[i].tense != 0 && p.b.tokens[j].tense != 0 && p.a.tokens[i].tense != p.b.tokens[j].tense {
			p.a.blamed[i], p.b.blamed[j] = true, true
			return true
		}
	}
	return false
}

// limited: a quantifier, condition or comparison is left over, or "only" bears
// on another word, or a time has another preposition.
func (p *pair) limited() bool {
	found := p.left(func(t *token) bool { return t.class == limit || t.class == focus })
	found = p.scoped(focus) || found
	return p.timed() || found
}

// timed blames prepositions that place a time differently: by Friday and on
// Friday, from May and in May.
func (p *pair) timed() bool {
	for i := range p.a.tokens {
		j := int(p.a.partner[i])
		if j < 0 || !p.a.tokens[i].when() {
			continue
		}
		if misplaced(&p.a.tokens[i], p.a.placed(i), p.b.placed(j)) {
			p.a.blamed[i], p.b.blamed[j] = true, true
			return true
		}
	}
	return false
}

// misplaced reports prepositions that place the time t differently. A span is
// only misplaced between "in" and "for".
func misplaced(t *token, x, y string) bool {
	if t.kind == number && t.quantity.dim == duration {
		return x == "in" && y == "for" || x == "for" && y == "in"
	}
	return x != y && (bounding(x) || bounding(y))
}

func bounding(preposition string) bool {
	return preposition == "by" || preposition == "from" || preposition == "to"
}

// when reports a token that names a time.
func (t *token) when() bool {
	if t.kind == number {
		return t.quantity.timely()
	}
	return t.text == "end" || seasons()[t.text] || t.text != "" && t.text[0] >= 'A' && t.text[0] <= 'Z'
}

// placed returns the preposition right before token i.
func (s *side) placed(i int) string {
	for k := i - 1; k >= 0 && s.tokens[k].class <= pronoun && !s.tokens[k+1].clause; k-- {
		switch t := &s.tokens[k]; {
		case t.class == preposition:
			return t.text
		case t.class != function || t.text != "the" && t.text != "that":
			return ""
		}
	}
	return ""
}

// variant: a qualifier is left over.
func (p *pair) variant() bool {
	if !p.left(func(t *token) bool { return t.class == content && qualifiers()[t.text] }) {
		return false
	}
	p.left(says)
	return true
}

// entity: names or identifiers are left over, on both sides something is, or
// the persons clash.
func (p *pair) entity() bool {
	named := func(t *token) bool { return t.class == content && (t.name || t.kind == identifier) }
	if (p.a.any(named) || p.b.any(named)) && p.a.any(says) && p.b.any(says) {
		return p.left(says)
	}
	return p.persons() && p.left(isPronoun)
}

func isPronoun(t *token) bool { return t.class == pronoun }

// persons reports left-over pronouns of different persons, in their order.
func (p *pair) persons() bool {
	i, j := p.a.next(0, isPronoun), p.b.next(0, isPronoun)
	for i >= 0 && j >= 0 {
		if p.a.tokens[i].level != p.b.tokens[j].level {
			return true
		}
		i, j = p.a.next(i+1, isPronoun), p.b.next(j+1, isPronoun)
	}
	return false
}

// next returns the first left-over token from i on for which is holds, or none.
func (s *side) next(i int, is func(t *token) bool) int {
	for ; i < len(s.tokens); i++ {
		if s.partner[i] == none && is(&s.tokens[i]) {
			return i
		}
	}
	return none
}

// shown are the blamed tokens as written.
func (s *side) shown(text string) []string {
	var out []string
	end := -1
	for i := range s.tokens {
		if t := &s.tokens[i]; s.blamed[i] && t.end > end && len(out) < maxShown {
			out = append(out, text[t.start:t.end])
			end = t.end
		}
	}
	return out
}
