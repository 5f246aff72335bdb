// Package same decides whether two claims say the same fact.
//
// Similarity cannot decide it: a changed number, a moved "not" or two names
// that traded places leave two claims nearly alike. So both are cut into typed
// tokens (words, quantities with a dimension and a base value, identifiers,
// words that turn a meaning), the tokens are aligned, and only what stays
// unaligned is judged:
//
//	a := same.Of("The nightly dump takes 90 minutes.")
//	b := same.Of("The nightly dump takes 1.5 hours.")
//	same.Compare(a, b).Kind // same.Same
//
// A [Claim] is made once and compared as often as needed, by any number of
// goroutines. Compare is symmetric and gives one answer on every platform.
//
// It is made for precision: Same is said when nothing is left to explain, so
// spelling, punctuation, contractions, number, date and unit formats, short
// synonyms and one moved phrase are seen through. It is not a judge of free
// paraphrase, of inference or of any language but English; those end as Apart
// or Differs, and nobody should read Apart as "another fact".
package same

// Version changes whenever a verdict or a feature of any claim does, so that what
// was kept of them is not taken for what would be said now.
const Version = "1"
