// Package calibrate measures how well claims that say the same are told from
// those that do not, on pairs that somebody has labelled: the verdict of same/
// by itself, and the cosine of an embedder at every threshold, with the verdict
// as its guard and without.
//
// It measures and decides nothing. A threshold that looks good on pairs may be
// useless in a corpus, where almost all pairs are of different facts; the
// neighbours of a real root are the other half of the answer.
package calibrate
