package calibrate

import "math"

// Rate is a share of a number of cases, with the bounds between which the true
// share lies in 95 of 100 samples (Wilson's interval). Of no cases it is nil.
type Rate struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// z is how many standard deviations hold 95 % of a normal distribution.
const z = 1.959964

func newRate(hits, cases int) *Rate {
	if cases == 0 {
		return nil
	}
	n, p := float64(cases), float64(hits)/float64(cases)
	middle := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return &Rate{Value: p, Low: max(0, middle-half), High: min(1, middle+half)}
}

// Score is how a way of finding did.
type Score struct {
	TP int `json:"tp"`
	FP int `json:"fp"`
	FN int `json:"fn"`
	// Precision of nothing found is 1, recall of nothing to find too.
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	// The rates with their bounds; null where there are no cases.
	PrecisionRate *Rate `json:"precisionRate"`
	RecallRate    *Rate `json:"recallRate"`
}

func (s Score) finished() Score {
	s.PrecisionRate, s.RecallRate = newRate(s.TP, s.TP+s.FP), newRate(s.TP, s.TP+s.FN)
	s.Precision, s.Recall = 1, 1
	if s.PrecisionRate != nil {
		s.Precision = s.PrecisionRate.Value
	}
	if s.RecallRate != nil {
		s.Recall = s.RecallRate.Value
	}
	return s
}

// add counts a pair that was found, or not.
func (s *Score) add(same, found bool) {
	switch {
	case same && found:
		s.TP++
	case same:
		s.FN++
	case found:
		s.FP++
	}
}
