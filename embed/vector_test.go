package embed

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestUnit(t *testing.T) {
	v := []float32{3, 4}
	if !Unit(v) || !cmp.Equal(v, []float32{0.6, 0.8}) {
		t.Errorf("%v", v)
	}
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, v := range [][]float32{nil, {0, 0}, {nan, 1}, {inf, 1}} {
		if Unit(v) {
			t.Errorf("%v has a direction", v)
		}
	}
	if v := []float32{math.MaxFloat32, math.MaxFloat32}; !Unit(v) || math.Abs(float64(v[0])-math.Sqrt2/2) > 1e-6 {
		t.Errorf("%v", v)
	}
}

func FuzzBytes(f *testing.F) {
	f.Add([]byte{0, 0, 128, 63, 0, 0, 192, 127}, 2)
	f.Fuzz(func(t *testing.T, b []byte, dim int) {
		v, ok := FromBytes(b, dim)
		if ok != (dim > 0 && len(b) == 4*dim) {
			t.Fatalf("%d bytes, %d values: %v", len(b), dim, ok)
		}
		if ok && !cmp.Equal(Bytes(v), b) {
			t.Errorf("%v became %v", b, Bytes(v))
		}
	})
}
