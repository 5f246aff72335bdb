package same

import (
	"strings"
	"sync"
)

// reader gives the pieces of a claim their types.
type reader struct {
	pieces []piece
	tokens []token
	// rate counts down the tokens for which "a day" means each day.
	rate int
	// helped: an auxiliary stands before the next verb, so its ending is not
	// its tense.
	helped bool
	full   bool
}

func (r *reader) text(i int) string {
	if i < 0 || i >= len(r.pieces) {
		return ""
	}
	return r.pieces[i].text
}

func (r *reader) clauseAt(i int) bool { return i < len(r.pieces) && r.pieces[i].clause }

// read takes all pieces.
func (r *reader) read() {
	for i := 0; i < len(r.pieces); {
		i += r.step(i)
	}
}

// step takes what begins at piece i and returns how many pieces that was.
func (r *reader) step(i int) int {
	if r.pieces[i].code {
		r.identifier(i)
		return 1
	}
	if r.skipped(i) {
		return 1
	}
	if n := r.quantity(i); n > 0 {
		return n
	}
	if n := r.recurring(i); n > 0 {
		return n
	}
	if n := r.phrase(i); n > 0 {
		return n
	}
	r.word(i, r.pieces[i].text, 1)
	return 1
}

// skipped reports words that only announce a number: "no. 14", "number 12",
// "the year 1987".
func (r *reader) skipped(i int) bool {
	switch r.text(i) {
	case "no", "nr", "number", "num":
		return r.isDigits(i+1) && !r.clauseAt(i+1) && (r.text(i) != "no" || i > 0)
	case "year":
		return r.year(i+1) > 0
	case "once":
		if r.isRate(i + 1) {
			r.rate = 2
			return true
		}
	}
	return false
}

// isRate reports "a day", "per week" and their like.
func (r *reader) isRate(i int) bool {
	switch r.text(i) {
	case "a", "an", "per", "each", "every":
		u, ok := units()[r.text(i+1)]
		return ok && u.dim == duration
	}
	return false
}

// quantity reads a date, a time or an amount.
func (r *reader) quantity(i int) int {
	if !r.counts(i) {
		return 0
	}
	q, n := r.calendar(i)
	if n == 0 {
		q, n = r.daytime(i)
	}
	if n == 0 {
		q, n = r.rank(i)
	}
	if n == 0 {
		q, n = r.amount(i)
	}
	if n == 0 {
		q, n = r.oneUnit(i)
	}
	if n == 0 {
		return r.unread(i)
	}
	r.measure(i, n, r.hourly(q, i, n))
	return n
}

// hourly makes a bare number a time: in "from 1 to 2 pm" it is one, in "at 10"
// it may be.
func (r *reader) hourly(q quantity, i, n int) quantity {
	if q.dim != count || q.compare != exactly || q.value < 1 || q.value > 12 || !isWhole(q.value) {
		return q
	}
	if end, used := r.daytime(i + n + 1); used > 0 && r.text(i+n) == "to" {
		at := quantity{dim: clock, value: q.value * 60, zoned: end.zoned, half: end.half}
		if later := at.at("pm"); later.value <= end.value {
			return later
		}
		return at
	}
	if r.text(i-1) == "at" {
		q.other, q.otherValue = clock, q.value*60
	}
	return q
}

// counts reports a piece that a quantity may begin with.
func (r *reader) counts(i int) bool {
	w := r.text(i)
	return numeric(w) || opening()[w]
}

// opening are the words that a quantity may begin with.
var opening = sync.OnceValue(func() map[string]bool {
	table := set("a an other half quarter three minus noon midday midnight fortnight q1 q2 q3 q4 >= <= > <")()
	for w := range numerals() {
		table[w] = true
	}
	for w := range ordinals() {
		table[w] = true
	}
	for w := range months() {
		table[w] = true
	}
	for w, u := range units() {
		table[w] = table[w] || u.dim >= currency
	}
	for _, b := range bounds {
		w, _, _ := strings.Cut(b.words, " ")
		table[w] = true
	}
	return table
})

// unread makes digits that mean nothing here a name.
func (r *reader) unread(i int) int {
	if !numeric(r.text(i)) {
		return 0
	}
	r.identifier(i)
	return 1
}

// rank reads ordinals and quarters of a year: "first", "Q3", "third quarter".
func (r *reader) rank(i int) (quantity, int) {
	s := r.text(i)
	if len(s) == 2 && s[0] == 'q' && '1' <= s[1] && s[1] <= '4' {
		return quantity{dim: quarter, value: float64(s[1] - '0')}, 1
	}
	v, ok := ordinals()[s]
	if s == "other" && r.text(i-1) == "every" {
		v, ok = 2, true
	}
	if !ok {
		if n, read := digits(s); read && len(n.rest) == 2 && strings.Contains("st nd rd th", n.rest) {
			v, ok = n.value, true
		}
	}
	switch {
	case !ok:
		return quantity{}, 0
	case r.text(i+1) == "quarter":
		return quantity{dim: quarter, value: v}, 2
	case s == "second" && r.text(i-1) == "per":
		return quantity{}, 0
	}
	return quantity{dim: ordinal, value: v}, 1
}

// oneUnit reads "an hour" and "a fortnight".
func (r *reader) oneUnit(i int) (quantity, int) {
	w := r.text(i)
	if w == "fortnight" {
		return measure(1, units()[w]), 1
	}
	u, ok := units()[r.text(i+1)]
	if w != "a" && w != "an" || !ok || u.dim != duration || u.factor < 1e-3 || r.text(i+1) == "second" || len(r.text(i+1)) < 3 || r.rate > 0 {
		return quantity{}, 0
	}
	q, n := r.smaller(measure(1, u), i, 2)
	return q, n
}

// everyday are the words for "every" and a time.
var everyday = pairs(`daily day, nightly night, hourly hour, weekly week, monthly month, quarterly quarter, yearly year, annually year, annual year, minutely minute`)

// perUnit are the short names of a time that something is counted per.
var perUnit = pairs(`s second, sec second, min minute, h hour, hr hour, d day, wk week, mo month, yr year, y year`)

// weekdays and parts of the day, whose plural means each of them.
var weekdays = set(`mondays tuesdays wednesdays thursdays fridays saturdays sundays weekdays weekends`)

var partsOfDay = set(`mornings afternoons evenings nights`)

// recurring reads "nightly", "a week" behind a number, "Tuesdays" and
// "Wednesday mornings" as every night, week, Tuesday and Wednesday morning.
func (r *reader) recurring(i int) int {
	w := r.text(i)
	switch {
	case everyday()[w] != "":
		r.every(i)
		r.word(i, everyday()[w], 1)
		return 1
	case (w == "a" || w == "an") && (r.rate > 0 && r.isRate(i) || r.priced(i)):
		r.every(i)
		return 1
	case (w == "once" || w == "twice" || w == "thrice") && !r.isRate(i+1) && w == "once":
		return 0
	case w == "the" && r.text(i-1) == "of" && units()[r.text(i+1)].dim == duration && r.text(i+1) != "" && r.ranked():
		r.every(i)
		return 1
	case w == "twice" || w == "thrice":
		v := map[string]float64{"twice": 2, "thrice": 3}[w]
		r.measure(i, 1, quantity{dim: times, value: v, factor: 1})
		return 1
	case weekdays()[w] || partsOfDay()[r.text(i+1)] && isWeekday(w):
		r.every(i)
		r.word(i, w, 1)
		return 1
	}
	return 0
}

// priced reports an amount of money right before: "£12 a visit".
func (r *reader) priced(i int) bool {
	k := len(r.tokens) - 1
	return k >= 0 && r.tokens[k].kind == number && r.tokens[k].quantity.dim >= currency && !r.clauseAt(i)
}

// ranked reports an ordinal a few tokens back: "the second Tuesday of the
// month" is that of every month.
func (r *reader) ranked() bool {
	for k := len(r.tokens) - 1; k >= max(0, len(r.tokens)-4); k-- {
		if t := &r.tokens[k]; t.kind == number && t.quantity.dim == ordinal {
			return true
		}
	}
	return false
}

// every adds the word, once for a list of days.
func (r *reader) every(i int) {
	for k := len(r.tokens) - 1; k >= 0; k-- {
		t := &r.tokens[k]
		if t.text == "every" {
			return
		}
		if t.text != "and" && !isWeekday(t.text) {
			break
		}
	}
	r.word(i, "every", 1)
}

// phrase reads several words that mean one.
func (r *reader) phrase(i int) int {
	for _, p := range phrases()[r.text(i)] {
		n := 1
		for n <= len(p.rest) && r.text(i+n) == p.rest[n-1] {
			n++
		}
		if n <= len(p.rest) {
			continue
		}
		for j, w := range strings.Fields(p.to) {
			r.word(i+min(j, n-1), w, n)
		}
		return n
	}
	return 0
}

// measure adds a quantity of n pieces.
func (r *reader) measure(i, n int, q quantity) {
	t := r.token(i, n)
	t.kind, t.quantity = number, q
	t.text = r.text(i)
	t.key = hash(t.text)
	r.push(t)
	r.rate = 4
}

// identifier adds a name that only equals itself.
func (r *reader) identifier(i int) {
	t := r.token(i, 1)
	t.kind, t.text, t.plain, t.name = identifier, r.text(i), r.text(i), true
	t.key = hash(t.text)
	r.push(t)
}

func (r *reader) token(i, n int) token {
	first, last := &r.pieces[i], &r.pieces[min(i+n, len(r.pieces))-1]
	return token{start: first.start, end: max(first.end, last.end), clause: first.clause, closed: first.closed, possessive: last.possessive}
}

func (r *reader) push(t token) {
	if len(r.tokens) == maxTokens {
		r.full = true
		return
	}
	r.rate--
	r.tokens = append(r.tokens, t)
}
