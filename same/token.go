package same

// maxTokens is how many tokens of a claim are compared.
const maxTokens = 400

// kind is how a token is compared.
type kind uint8

const (
	word       kind = iota // by key
	identifier             // by key, and never by likeness
	number                 // by quantity
)

// token is one unit of a claim's meaning.
type token struct {
	// key is equal for tokens that are equal; a number has none.
	key uint64
	// text is the lower-case form that key was made of; plain is it unstemmed.
	text, plain string
	// start and end are bytes of the claim.
	start, end int
	kind       kind
	class      class
	level      uint8
	// group is the synonym group, 0 for none.
	group uint16
	// quantity is what a number measures.
	quantity quantity
	// clause: punctuation stands before it. name: it is capitalised where a
	// common word is not. possessive: it had an 's.
	// closed: a quotation ends before it.
	clause, name, possessive, closed bool
	// tense of a verb, as far as its ending shows.
	tense tense
}

// tense is the time that an ending shows.
type tense uint8

const (
	timeless tense = iota
	present        // third person -s
	past           // -ed or an irregular past
)

// hash is FNV-1a: the same on every platform.
func hash(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}

// weights say how much of a claim a token carries, for alignment and coverage.
const (
	functionWeight = 1
	criticalWeight = 10
	numberWeight   = 28
	contentWeight  = 33
)

func (t *token) weight() int32 {
	switch {
	case t.kind == number:
		return numberWeight
	case t.class == content:
		return contentWeight
	case t.class >= negator:
		return criticalWeight
	}
	return functionWeight
}

// matters reports a token that must be aligned: it says something, or turns
// what is said.
func (t *token) matters() bool { return t.class == content || t.class >= negator }

// equal reports tokens that mean the same by themselves.
func (t *token) equal(u *token) bool {
	if t.kind == number || u.kind == number {
		return t.kind == u.kind && t.quantity.equal(&u.quantity)
	}
	return t.key == u.key
}
