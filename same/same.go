package same

// Claim is a claim made ready for comparison. It is immutable; make it once a
// file and compare it as often as needed, from any goroutine.
type Claim struct {
	text   string
	tokens []token
	// weight is that of all tokens that must be aligned.
	weight int32
	// cut: there was more than maxTokens.
	cut bool
}

// Of prepares a claim in time linear in its length. Any bytes are a claim.
func Of(claim string) *Claim {
	pieces, full := cut(claim)
	r := reader{pieces: pieces, tokens: make([]token, 0, len(pieces))}
	r.read()
	c := &Claim{text: claim, tokens: r.tokens, cut: full || r.full}
	for i := range c.tokens {
		if t := &c.tokens[i]; t.matters() {
			c.weight += t.weight()
		}
	}
	return c
}

// Text returns the claim as it was given.
func (c *Claim) Text() string { return c.text }

// Kind is the answer of a comparison.
type Kind uint8

const (
	// Apart: the claims share too little to say what differs.
	Apart Kind = iota
	// Same: nothing in one is unexplained by the other.
	Same
	// Differs: alike but for what the verdict names.
	Differs
)

func (k Kind) String() string { return [...]string{"apart", "same", "differs"}[k] }

// Class is the gravest way in which two claims differ.
type Class uint8

// The classes, gravest first; None belongs to Same and Apart.
const (
	None         Class = iota
	Number             // another amount, date, time or version
	Negation           // "not", or a word and its opposite
	Modality           // may, should, must, will; was and is
	Condition          // if, unless, all, any, only, or, until
	Variant            // another edition, tier or stage of one thing
	Entity             // another name or identifier, or person
	Role               // the same words with their parts exchanged
	Substitution       // other words on both sides
	Surplus            // one says more than the other
)

var classNames = [...]string{"", "number", "negation", "modality", "condition", "variant", "entity", "role", "substitution", "surplus"}

// String returns the class in lower case, empty for None.
func (c Class) String() string { return classNames[c] }

// Side is what one claim has that the other has not.
type Side struct {
	// Tokens are substrings of the claim in its order, at most maxShown. For a
	// changed role they are what traded places.
	Tokens []string
	// Coverage is the aligned share of the claim by weight, 0 to 1.
	Coverage float64
}

// Verdict is the answer of Compare. A and B are the sides in the order in
// which the claims were given.
type Verdict struct {
	Kind  Kind
	Class Class
	A, B  Side
}

// A pair is close, and so worth a verdict beyond Apart, when this share of one
// side or of both is aligned.
const (
	CloseOne  = 0.75
	CloseBoth = 0.62
)

// maxShown is how many tokens a side of a verdict names.
const maxShown = 8

// Compare says whether two claims say the same. Compare(b, a) is Compare(a, b)
// with its sides exchanged. It allocates for Differs only.
func Compare(a, b *Claim) Verdict {
	if a.text == b.text {
		return Verdict{Kind: Same, A: Side{Coverage: 1}, B: Side{Coverage: 1}}
	}
	if a.text > b.text {
		v := Compare(b, a)
		v.A, v.B = v.B, v.A
		return v
	}
	var p pair
	p.a.tokens, p.b.tokens = a.tokens, b.tokens
	p.align()
	v := Verdict{A: Side{Coverage: p.a.coverage(a.weight)}, B: Side{Coverage: p.b.coverage(b.weight)}}
	x, y := v.A.Coverage, v.B.Coverage
	if max(x, y) < CloseOne && min(x, y) < CloseBoth {
		return v
	}
	v.Kind, v.Class = Same, p.judge()
	if v.Class == None && (a.cut || b.cut) {
		v.Class = Surplus
	}
	if v.Class != None {
		v.Kind = Differs
		v.A.Tokens, v.B.Tokens = p.a.shown(a.text), p.b.shown(b.text)
	}
	return v
}
