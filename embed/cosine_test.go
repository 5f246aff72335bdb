package embed

import (
	"math"
	"testing"
)

func TestCosineAtTheThresholdReachesIt(t *testing.T) {
	v := []float32{0.92, float32(math.Sqrt(1 - 0.92*0.92))}
	Unit(v)
	if cosine := Cosine([]float32{1, 0}, v); !Reaches(cosine, 0.92) || Reaches(cosine, 0.92001) {
		t.Errorf("%v, want 0.92, which counts", cosine)
	}
	if got := Cosine([]float32{1, 0}, []float32{1}); got != 0 {
		t.Errorf("of two spaces: %v", got)
	}
}
