package same

// none marks a token without a partner.
const none = -1

// side is one claim during a comparison.
type side struct {
	tokens []token
	// partner is the token of the other side that each is aligned with.
	partner [maxTokens]int16
	// blamed are the tokens that the verdict names.
	blamed [maxTokens]bool
}

// pair is a comparison. It lives on the stack of Compare and is some 10 KB, of
// which only what the tokens need is touched.
type pair struct {
	a, b side
	// rows are the working memory of the alignment.
	rows   [2][maxTokens + 1]int32
	places [maxTokens]place
}

// align finds the heaviest common subsequence, then partners for what is left
// over: moved, joined, misspelled, synonymous.
func (p *pair) align() {
	p.a.clear()
	p.b.clear()
	p.common()
	p.moved()
	p.joined(&p.a, &p.b)
	p.joined(&p.b, &p.a)
	p.likely(sameGroup)
	p.likely(oneSlip)
	p.announced(&p.a)
	p.announced(&p.b)
	p.weekday(&p.a)
	p.weekday(&p.b)
}

func (s *side) clear() {
	for i := range s.tokens {
		s.partner[i] = none
	}
}

func (p *pair) match(i, j int) {
	p.a.partner[i], p.b.partner[j] = int16(j), int16(i)
}

// common aligns equal ends, which any heaviest subsequence may begin and end
// with, and searches between them.
func (p *pair) common() {
	a, b := p.a.tokens, p.b.tokens
	lo := 0
	for lo < len(a) && lo < len(b) && a[lo].equal(&b[lo]) {
		p.match(lo, lo)
		lo++
	}
	i, j := len(a), len(b)
	for i > lo && j > lo && a[i-1].equal(&b[j-1]) {
		i, j = i-1, j-1
		p.match(i, j)
	}
	p.subsequence(lo, i, lo, j)
}

// subsequence aligns a[i0:i1] with b[j0:j1] by Hirschberg's division, so that
// memory is linear in their lengths.
func (p *pair) subsequence(i0, i1, j0, j1 int) {
	if i0 == i1 || j0 == j1 {
		return
	}
	if i1-i0 == 1 {
		p.single(i0, j0, j1)
		return
	}
	mid := (i0 + i1) / 2
	head, tail := &p.rows[0], &p.rows[1]
	p.forward(head, i0, mid, j0, j1)
	p.backward(tail, mid, i1, j0, j1)
	best, at := int32(-1), j0
	for j := j0; j <= j1; j++ {
		if sum := head[j] + tail[j]; sum > best {
			best, at = sum, j
		}
	}
	p.subsequence(i0, mid, j0, at)
	p.subsequence(mid, i1, at, j1)
}

func (p *pair) single(i, j0, j1 int) {
	for j := j0; j < j1; j++ {
		if p.a.tokens[i].equal(&p.b.tokens[j]) {
			p.match(i, j)
			return
		}
	}
}

// forward leaves in row[j] the weight of the best alignment of a[i0:i1] with
// b[j0:j].
func (p *pair) forward(row *[maxTokens + 1]int32, i0, i1, j0, j1 int) {
	clear(row[j0 : j1+1])
	for i := i0; i < i1; i++ {
		t := &p.a.tokens[i]
		w, diagonal := t.weight(), int32(0)
		for j := j0; j < j1; j++ {
			best := max(row[j+1], row[j])
			if t.equal(&p.b.tokens[j]) {
				best = max(best, diagonal+w)
			}
			diagonal, row[j+1] = row[j+1], best
		}
	}
}

// backward leaves in row[j] the weight of the best alignment of a[i0:i1] with
// b[j:j1].
func (p *pair) backward(row *[maxTokens + 1]int32, i0, i1, j0, j1 int) {
	clear(row[j0 : j1+1])
	for i := i1 - 1; i >= i0; i-- {
		t := &p.a.tokens[i]
		w, diagonal := t.weight(), int32(0)
		for j := j1 - 1; j >= j0; j-- {
			best := max(row[j], row[j+1])
			if t.equal(&p.b.tokens[j]) {
				best = max(best, diagonal+w)
			}
			diagonal, row[j] = row[j], best
		}
	}
}

// moved aligns equal tokens wherever they stand.
func (p *pair) moved() {
	p.likely(func(t, u *token) bool { return t.matters() && t.equal(u) })
}

// likely aligns left-over tokens that alike accepts, in order.
func (p *pair) likely(alike func(t, u *token) bool) {
	for i := range p.a.tokens {
		if p.a.partner[i] != none {
			continue
		}
		for j := range p.b.tokens {
			if p.b.partner[j] == none && alike(&p.a.tokens[i], &p.b.tokens[j]) {
				p.match(i, j)
				break
			}
		}
	}
}

func sameGroup(t, u *token) bool { return t.group != 0 && t.group == u.group }

// joined aligns a word of to with two or three neighbours of from that spell
// it: "wifi" and "wi-fi", "trace_id" and "trace id".
func (p *pair) joined(from, to *side) {
	for i := range from.tokens {
		for n := 2; n <= 3; n++ {
			if !from.free(i, n) {
				break
			}
			if j := to.spelled(from.tokens[i : i+n]); j >= 0 {
				for k := range n {
					from.partner[i+k] = int16(j)
				}
				to.partner[j] = int16(i)
			}
		}
	}
}

// free reports n left-over words from i on.
func (s *side) free(i, n int) bool {
	if i+n > len(s.tokens) {
		return false
	}
	for k := i; k < i+n; k++ {
		if s.partner[k] != none || s.tokens[k].plain == "" && s.tokens[k].kind != number {
			return false
		}
	}
	return true
}

// spelled returns the left-over token that the parts spell, or -1.
func (s *side) spelled(parts []token) int {
	for j := range s.tokens {
		t := &s.tokens[j]
		if s.partner[j] == none && t.kind != number && len(t.plain) > 3 && spells(parts, t.plain) {
			return j
		}
	}
	return -1
}

// spells reports that the parts make up the whole, but for the hyphens, dots
// and underscores in it, a plural s and the British u of "harbour".
func spells(parts []token, whole string) bool {
	i := 0
	for _, t := range parts {
		part := t.plain
		if t.kind == number {
			part = t.text
		}
		for k := range len(part) {
			for i < len(whole) && (whole[i] == '-' || whole[i] == '_' || whole[i] == '.') {
				i++
			}
			if i < len(whole) && whole[i] == 'u' && part[k] == 'r' {
				i++
			}
			if i == len(whole) {
				return k == len(part)-1 && part[k] == 's'
			}
			if whole[i] != part[k] {
				return false
			}
			i++
		}
	}
	return i == len(whole) || whole[i:] == "s"
}

// announced drops the heads beside an aligned identifier that only one side
// has: "the file src/flags.ts".
func (p *pair) announced(s *side) {
	for i := range s.tokens {
		t := &s.tokens[i]
		if s.partner[i] == none && t.class == content && heads()[t.text] && (s.names(i-1) || s.names(i+1)) {
			s.partner[i] = dropped
		}
	}
}

// weekday drops the day of the week beside an aligned date that falls on it.
func (p *pair) weekday(s *side) {
	for i := range s.tokens {
		t := &s.tokens[i]
		if s.partner[i] == none && t.class == content && isWeekday(t.text) && (s.fallsOn(i-1, t.text) || s.fallsOn(i+1, t.text)) {
			s.partner[i] = dropped
		}
	}
}

func (s *side) fallsOn(i int, day string) bool {
	if i < 0 || i >= len(s.tokens) || s.partner[i] < 0 {
		return false
	}
	q := &s.tokens[i].quantity
	return s.tokens[i].kind == number && q.dim == date && weekdayOf(int(q.value)) == day
}

// dropped marks a token that needs no partner.
const dropped = -2

func (s *side) names(i int) bool {
	return i >= 0 && i < len(s.tokens) && s.tokens[i].kind == identifier && s.partner[i] >= 0
}

// coverage is the share of weight that is aligned.
func (s *side) coverage(total int32) float64 {
	if total == 0 {
		return 0
	}
	sum := int32(0)
	for i := range s.tokens {
		if t := &s.tokens[i]; s.partner[i] != none && t.matters() {
			sum += t.weight()
		}
	}
	return float64(sum) / float64(total)
}
