package same

import "strings"

// amount reads a number at piece i with everything that belongs to it: its
// unit, its scale and what bounds it.
func (r *reader) amount(i int) (quantity, int) {
	bound, skip := r.bound(i)
	q, n := r.measured(i + skip)
	if n == 0 {
		return quantity{}, 0
	}
	n += skip
	if skip > 0 {
		q.compare = bound
		return q, n
	}
	if bound, skip = r.boundBehind(i + n); skip > 0 {
		q.compare = bound
	}
	return q, n + skip
}

// bounds are the words before a number that make it a bound.
var bounds = []struct {
	words   string
	compare comparison
}{
	{"at least", atLeast},
	{"at most", atMost},
	{"more than", moreThan},
	{"greater than", moreThan},
	{"less than", lessThan},
	{"fewer than", lessThan},
	{"no more than", atMost},
	{"not more than", atMost},
	{"no less than", atLeast},
	{"no fewer than", atLeast},
	{"not less than", atLeast},
	{"up to", atMost},
	{"a maximum of", atMost},
	{"a minimum of", atLeast},
	{"maximum of", atMost},
	{"minimum of", atLeast},
	{"maximum", atMost},
	{"max", atMost},
	{"minimum", atLeast},
	{"over", moreThan},
	{"above", moreThan},
	{"exceeding", moreThan},
	{"under", lessThan},
	{"below", lessThan},
	{">=", atLeast},
	{"<=", atMost},
	{">", moreThan},
	{"<", lessThan},
}

func (r *reader) bound(i int) (comparison, int) {
	for _, b := range bounds {
		if n := r.matches(i, b.words); n > 0 {
			return b.compare, n
		}
	}
	return exactly, 0
}

// boundBehind reads "or more" and its like.
func (r *reader) boundBehind(i int) (comparison, int) {
	if w := r.text(i); w != "or" && w != "and" || r.clauseAt(i+1) {
		return exactly, 0
	}
	switch r.text(i + 1) {
	case "more", "above", "over", "later", "newer", "upwards", "greater", "higher", "older", "longer":
		return atLeast, 2
	case "less", "fewer", "below", "under", "lower", "younger", "earlier":
		return atMost, 2
	}
	return exactly, 0
}

// matches returns how many pieces at i the words are, or 0.
func (r *reader) matches(i int, words string) int {
	n := 0
	for w := range strings.FieldsSeq(words) {
		if r.text(i+n) != w {
			return 0
		}
		n++
	}
	return n
}

// measured reads a number and its unit; smaller units and "and a half" may
// follow.
func (r *reader) measured(i int) (quantity, int) {
	if q, n := r.halfOf(i); n > 0 {
		return q, n
	}
	if u, ok := units()[r.text(i)]; ok && u.dim >= currency && r.isDigits(i+1) {
		q, n := r.measured(i + 1)
		if q.dim == count {
			return measure(q.value, u), n + 1
		}
		return quantity{}, 0
	}
	num, n := r.number(i)
	if n == 0 {
		return quantity{}, 0
	}
	q, n, ok := r.united(num, i, n)
	if !ok {
		return quantity{}, 0
	}
	if q.dim == count {
		return q, n
	}
	return r.smaller(q, i, n)
}

// halfOf reads "half an hour", "half hour" and "a quarter of an hour".
func (r *reader) halfOf(i int) (quantity, int) {
	part, j := 0.5, i+1
	switch {
	case r.text(i) == "half":
	case r.matches(i, "quarter of an") > 0:
		part, j = 0.25, i+2
	case r.matches(i, "a quarter of") > 0:
		part, j = 0.25, i+3
	case r.matches(i, "three quarters of") > 0:
		part, j = 0.75, i+3
	default:
		return quantity{}, 0
	}
	if w := r.text(j); w == "a" || w == "an" {
		j++
	}
	if u, ok := r.unit(j); ok && u.dim != ratio {
		return measure(part, u), j + 1 - i
	}
	return quantity{}, 0
}

func (r *reader) isDigits(i int) bool {
	s := r.text(i)
	return s != "" && isDigit(s[0])
}

// number reads a number without its unit.
func (r *reader) number(i int) (numeral, int) {
	if i >= len(r.pieces) || r.pieces[i].code {
		return numeral{}, 0
	}
	if numeric(r.text(i)) {
		n, ok := digits(r.text(i))
		if !ok {
			return numeral{}, 0
		}
		return r.scaled(n, i, 1)
	}
	if sign := r.text(i); sign == "minus" && i+1 < len(r.pieces) {
		n, used := r.number(i + 1)
		n.value = -n.value
		if used > 0 {
			used++
		}
		return n, used
	}
	return r.spelled(i)
}

// spelled reads number words: "two hundred and fifty", "twenty-eight", "one
// and a half", "two thirds".
func (r *reader) spelled(i int) (numeral, int) {
	var n numeral
	j := i
	if w := r.text(i); (w == "a" || w == "an") && (scales[r.text(i+1)] > 0 || r.isPart(i+1)) {
		n.value, j = 1, i+1
	} else if v, ok := numerals()[w]; ok {
		n.value, j = v, i+1
		if unit, ok := numerals()[r.text(j)]; ok && v >= 20 && unit > 0 && unit < 10 {
			n.value, j = v+unit, j+1
		}
	} else if w == "half" {
		return numeral{value: 0.5, fraction: true}, 1
	} else {
		return n, 0
	}
	if den := fractions[r.text(j)]; den > 0 && (n.value > 1 || r.isPart(j) || den == 3 && r.text(i) == "one") {
		n.value, n.fraction = n.value/den, true
		return n, j + 1 - i
	}
	return r.scaled(n, i, j-i)
}

// isPart reports "third of" and "quarter of": a part, and no rank or season.
func (r *reader) isPart(i int) bool {
	return fractions[r.text(i)] > 2 && r.text(i+1) == "of"
}

// scaled reads what multiplies or continues a number of n pieces at i.
func (r *reader) scaled(num numeral, i, n int) (numeral, int) {
	if num.name {
		return num, n
	}
	for num.rest == "" && num.text != "" && len(num.text) <= 3 && num.value >= 1 && r.thousands(i+n) {
		v, _ := digits(r.text(i + n))
		num.value = num.value*1000 + v.value
		n++
	}
	if num.rest == "" {
		for scales[r.text(i+n)] > 0 {
			num.value *= scales[r.text(i+n)]
			n++
			num.text = ""
			if add, used := r.below(i+n, num.value); used > 0 {
				num.value += add
				n += used
			}
		}
	}
	if part, used := r.part(i + n); used > 0 && num.rest == "" {
		num.value += part
		num.text = ""
		n += used
	}
	if scale, rest := scaleLetter(num, r.pieces[i].cased); scale > 1 {
		num.value *= scale
		num.rest, num.text = rest, ""
	}
	return num, n
}

// thousands reports a group of three digits behind a space.
func (r *reader) thousands(i int) bool {
	s := r.text(i)
	return len(s) == 3 && isDigit(s[0]) && isDigit(s[1]) && isDigit(s[2]) && !r.clauseAt(i)
}

// below reads the "fifty" and "and fifty" behind a hundred.
func (r *reader) below(i int, limit float64) (float64, int) {
	skip := 0
	if r.text(i) == "and" {
		skip = 1
	}
	v, ok := numerals()[r.text(i+skip)]
	if !ok || v >= limit {
		return 0, 0
	}
	n := skip + 1
	if u, ok := numerals()[r.text(i+n)]; ok && v >= 20 && u < 10 {
		v, n = v+u, n+1
	}
	if scales[r.text(i+n)] == 100 && limit > 100 {
		v, n = v*100, n+1
	}
	return v, n
}

// part reads "and a half" and the 1/2 behind a whole number.
func (r *reader) part(i int) (float64, int) {
	switch {
	case r.matches(i, "and a half") > 0:
		return 0.5, 3
	case r.matches(i, "and a quarter") > 0:
		return 0.25, 3
	}
	if f, ok := digits(r.text(i)); ok && f.fraction && !r.clauseAt(i) {
		return f.value, 1
	}
	return 0, 0
}

// scaleLetter reads the letter of 5k, 1.2M and 3bn; a small m is a meter or a
// minute unless it is money.
func scaleLetter(n numeral, cased string) (float64, string) {
	switch {
	case n.rest == "k":
		return 1e3, ""
	case n.rest == "m" && (n.paid || strings.HasSuffix(cased, "M")):
		return 1e6, ""
	case n.rest == "bn" || n.rest == "b" && n.paid:
		return 1e9, ""
	}
	return 1, n.rest
}

// united gives a number its unit, from its own piece or the next.
func (r *reader) united(num numeral, i, n int) (quantity, int, bool) {
	bound := exactly
	if strings.HasSuffix(num.rest, "+") {
		bound, num.rest = atLeast, num.rest[:len(num.rest)-1]
	}
	q, n, ok := r.dimensioned(num, i, n)
	q.compare = bound
	return q, n, ok
}

func (r *reader) dimensioned(num numeral, i, n int) (quantity, int, bool) {
	switch num.rest {
	case "st", "nd", "rd", "th":
		return quantity{dim: ordinal, value: num.value}, n, true
	case "":
	default:
		p := piece{text: num.rest, cased: r.pieces[i].cased[len(r.pieces[i].cased)-len(num.rest):]}
		u, ok := unitOf(&p, true)
		return measure(num.value, u), n, ok
	}
	if num.paid {
		if u, ok := r.unit(i + n); ok && u.dim >= currency {
			n++
		}
		return measure(num.value, num.money), n, true
	}
	if num.name {
		return quantity{dim: version, id: hash(num.text)}, n, true
	}
	if u, ok := r.unit(i + n); ok && (u.dim != degrees || !r.scale(i+n+1)) {
		return measure(num.value, u), n + 1, true
	} else if ok {
		return measure(num.value, units()[r.text(i+n+1)]), n + 2, true
	}
	if num.fraction {
		return quantity{dim: ratio, value: num.value, factor: 1}, n, true
	}
	q := quantity{dim: count, value: num.value}
	if num.text != "" && strings.Contains(num.text, ".") {
		q.id = hash(num.text)
	}
	return q, n, true
}

// scale reports the Celsius behind "degrees".
func (r *reader) scale(i int) bool {
	return units()[r.text(i)].dim == temperature
}

func (r *reader) unit(i int) (unit, bool) {
	if i >= len(r.pieces) || r.pieces[i].code || r.clauseAt(i) {
		return unit{}, false
	}
	return unitOf(&r.pieces[i], false)
}

// smaller adds what follows in a smaller unit: "1 hour 30 minutes", "an hour
// and a half".
func (r *reader) smaller(q quantity, i, n int) (quantity, int) {
	if part, used := r.part(i + n); used > 1 {
		q.value += part * q.factor
		return q, n + used
	}
	if q.dim != duration && q.dim != length && q.dim != mass {
		return q, n
	}
	j := i + n
	if r.text(j) == "and" {
		j++
	}
	if num, used := r.number(j); used > 0 && !r.clauseAt(j) {
		next, used, ok := r.united(num, j, used)
		if next.other == q.dim {
			next = quantity{dim: q.dim, value: next.otherValue, factor: minute}
		}
		if ok && next.dim == q.dim && next.factor < q.factor && next.value < q.factor {
			q.value += next.value
			q.factor = next.factor
			return q, j + used - i
		}
	}
	return q, n
}
