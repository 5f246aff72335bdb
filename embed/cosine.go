package embed

// Cosine is that of two vectors of length one; it is 0 for vectors of different
// dimensions, which are of different spaces.
func Cosine(a, b []float32) float64 {
	if len(a) != len(b) {
		return 0
	}
	var sum float64
	for i, x := range a {
		sum += float64(x) * float64(b[i])
	}
	return sum
}

// Slack is by how much the cosine of two float32 vectors may miss the one that
// was meant.
const Slack = 1e-6

// Reaches reports whether a cosine is at or above a threshold; one that would be
// the threshold itself but for rounding is.
func Reaches(cosine, threshold float64) bool { return cosine >= threshold-Slack }
