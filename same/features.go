package same

import (
	"math"
	"unicode/utf8"
)

// The weights of features. A word is worth as much as its parts together, so
// that a slip of spelling leaves half of it.
const (
	wordFeature     = 1
	criticalFeature = 0.3
	amountFeature   = 0.7
	kindFeature     = 0.3
	gramSize        = 3
)

// Features yields what a claim has in common with those that Compare may call
// Same or Differs, with its weight above 0: words under the name that their
// synonyms share, their parts, and amounts. Equal claims yield the same; an
// amount that is within the tolerance of another shares a feature with it.
//
// Features find candidates. They are no verdict: "not" is one among many.
func (c *Claim) Features(yield func(feature uint64, weight float32)) {
	for i := range c.tokens {
		t := &c.tokens[i]
		switch {
		case t.kind == number:
			t.quantity.features(yield)
		case t.class >= negator:
			yield(t.key, criticalFeature)
		case t.class == content:
			t.features(yield)
		}
	}
}

func (t *token) features(yield func(uint64, float32)) {
	if t.group != 0 {
		yield(uint64(t.group), wordFeature)
		return
	}
	grams := utf8.RuneCountInString(t.text) + 3 - gramSize
	if t.kind == identifier || grams < 2 {
		yield(t.key, wordFeature)
		return
	}
	yield(t.key, wordFeature/math.Sqrt2)
	// One mark on either side, so that the ends of a word count.
	text := "<" + t.text + ">"
	weight := float32(wordFeature / math.Sqrt2 / math.Sqrt(float64(grams)))
	for at := 0; ; {
		end := at
		for range gramSize {
			_, n := utf8.DecodeRuneInString(text[end:])
			end += n
		}
		yield(hash(text[at:end]), weight)
		if end == len(text) {
			return
		}
		_, n := utf8.DecodeRuneInString(text[at:])
		at += n
	}
}

// features of a quantity are its dimension, and its value in two grids of 4 %
// that are half a step apart, so that equal ones share a cell of one of them.
func (q *quantity) features(yield func(uint64, float32)) {
	yield(mix(uint64(q.dim), 0), kindFeature)
	if q.other != 0 {
		yield(mix(uint64(q.other), 0), kindFeature)
		yieldValue(uint64(q.other), q.otherValue, yield)
	}
	yieldValue(uint64(q.dim), q.value, yield)
}

func yieldValue(dim uint64, value float64, yield func(uint64, float32)) {
	step := min(math.Log(math.Abs(value)+1)/0.04, 1e6)
	sign := uint64(1)
	if value < 0 {
		sign = 2
	}
	yield(mix(dim, sign+4*uint64(step)), amountFeature/math.Sqrt2)
	yield(mix(dim, 3+4*uint64(step+0.5)), amountFeature/math.Sqrt2)
}

// mix makes one feature of two numbers.
func mix(a, b uint64) uint64 {
	h := (a+1)*0x9e3779b97f4a7c15 ^ b
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	return h ^ h>>27
}
