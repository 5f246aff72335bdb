package same

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// word adds w, which n pieces at i mean.
func (r *reader) word(i int, w string, n int) {
	p := &r.pieces[i]
	t := r.token(i, n)
	t.plain = w
	w = r.month(i, r.weekend(i, w))
	if a, ok := aliases()[w]; ok {
		w = a
	}
	if n := len(r.tokens); n > 0 && r.tokens[n-1].text == "every" && perUnit()[w] != "" {
		w = perUnit()[w]
	}
	e, ok := lexicon()[w]
	if ok {
		ok = r.grammatical(i, w)
	}
	switch {
	case w == "any" && !ok || w == "got" && r.had():
		t.text, t.class = "the", function
	case ok:
		t.text, t.class, t.level = e.canon, e.class, e.level
	case r.passive(i):
		t.text, t.class = "be", being
	default:
		r.contentWord(&t, p, w)
	}
	if w == "since" && !r.dated(i+1) {
		t.text, t.class = "because", function
	}
	if (w == "until" || w == "till" || w == "through" || w == "thru") && r.dated(i+1) {
		t.text, t.class = "to", preposition
	}
	if w == "about" && !r.estimates(i+1) {
		t.class = preposition
	}
	if t.text == "to" {
		r.spans()
	}
	if w == "user" && r.pieces[i].opening || i == 1 && w == "user" && r.text(0) == "the" {
		t.text, t.class, t.level = "i", pronoun, 1
	}
	t.key, t.group = hash(t.text), groups()[t.text]
	r.helped = t.class == being || t.text == "have" || r.helped && t.class != content
	r.push(t)
}

func (r *reader) contentWord(t *token, p *piece, w string) {
	t.text = w
	if !coined(p.cased) {
		t.text = stem(w)
	}
	if n := len(w) - 1; n > 0 && w[n] == 's' && p.cased == strings.ToUpper(w[:n])+"s" {
		t.text = w[:n]
	}
	if a, ok := aliases()[t.text]; ok {
		t.text = a
	}
	if !r.helped && t.text != w {
		t.tense = tenseOf(w)
	}
	first, _ := utf8.DecodeRuneInString(p.cased)
	t.name = unicode.IsUpper(first) && (!p.opening || !known(p.text) && !known(t.text))
}

// coined reports a word with a capital inside, a name whose ending is its own.
func coined(cased string) bool {
	return len(cased) > 1 && cased[1:] != strings.ToLower(cased[1:])
}

func tenseOf(w string) tense {
	switch _, odd := irregular()[w]; {
	case strings.HasSuffix(w, "s"):
		return present
	case odd || strings.HasSuffix(w, "ed"):
		return past
	}
	return timeless
}

// grammatical reports that w is the word of the lexicon where it stands: "a" is
// a letter before a comma, "plus" adds something or names a tier.
func (r *reader) grammatical(i int, w string) bool {
	next := r.text(i + 1)
	e, ok := lexicon()[next]
	switch w {
	case "i":
		return !r.pieces[i].clause || !r.clauseAt(i+1)
	case "any":
		return !r.denied()
	case "plus":
		return next != "" && (isDigit(next[0]) || e.canon == "the" || e.class == pronoun)
	case "a":
		return next != "" && !r.clauseAt(i+1) && (!ok || e.class != preposition && e.class != being && e.class != modal && e.canon != "and")
	}
	return true
}

// had reports that "has" or "hasn't" stands before.
func (r *reader) had() bool {
	k := len(r.tokens) - 1
	if k > 0 && r.tokens[k].class == negator {
		k--
	}
	return k >= 0 && r.tokens[k].text == "have"
}

// denied reports a negator since the clause began: "not any" says "no".
func (r *reader) denied() bool {
	for k := len(r.tokens) - 1; k >= 0; k-- {
		if r.tokens[k].class == negator {
			return true
		}
		if r.tokens[k].clause {
			break
		}
	}
	return false
}

// estimates reports that an amount begins at piece i, behind "about".
func (r *reader) estimates(i int) bool {
	if w := r.text(i); w == "a" || w == "an" {
		return isUnit(r.text(i+1)) || scales[r.text(i+1)] > 0 || fractions[r.text(i+1)] > 0
	}
	return r.counts(i)
}

// spans makes a "from" before the time or number that a "to" follows part of
// the range, which may go without it.
func (r *reader) spans() {
	n := len(r.tokens)
	if n < 2 {
		return
	}
	if t := &r.tokens[n-2]; t.text == "from" && t.class == preposition && (r.tokens[n-1].kind == number || r.tokens[n-1].when()) {
		t.text, t.class, t.key = "the", function, hash("the")
	}
}

// passive reports a "gets" that stands for "is".
func (r *reader) passive(i int) bool {
	switch r.text(i) {
	case "get", "gets", "got", "getting":
	default:
		return false
	}
	next := r.text(i + 1)
	base, odd := irregular()[next]
	return strings.HasSuffix(next, "ed") || odd && base != next
}

// weekend returns the full name of Sat and Sun, which in lower case are others'.
func (r *reader) weekend(i int, w string) string {
	switch r.pieces[i].cased {
	case "Sat":
		return "saturday"
	case "Sun":
		return "sunday"
	}
	return w
}

// month returns the full name of a month, unless the word is a verb.
func (r *reader) month(i int, w string) string {
	m := months()[w]
	if m == 0 {
		return w
	}
	p := &r.pieces[i]
	if capital := p.cased[0] <= 'Z'; !capital && (len(w) <= 3 || w == "march") || p.opening && (w == "may" || w == "march" || w == "mar") {
		return w
	}
	return monthNames[m]
}

var monthNames = strings.Fields("- January February March April May June July August September October November December")

// dated reports that a time stands at piece i: what makes "until" a "to" and
// "since" no "because".
func (r *reader) dated(i int) bool {
	first := i
	for w := r.text(i); w == "the" || w == "end" || w == "start" || w == "beginning" || w == "of" || w == "last" || w == "next"; w = r.text(i) {
		i++
	}
	w := r.text(i)
	if w == "" {
		return false
	}
	if i > first && units()[w].dim == duration || months()[w] > 0 || isWeekday(w) || seasons()[w] || halves[w] != "" || r.year(i) > 0 {
		return true
	}
	_, n := r.calendar(i)
	if n == 0 {
		_, n = r.daytime(i)
	}
	return n > 0
}

func isWeekday(w string) bool {
	return weekdays()[w+"s"] || weekdays()[w] || len(w) >= 3 && seasons()[w]
}

var seasons = set(`spring summer autumn fall winter today tomorrow yesterday christmas easter monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun`)
