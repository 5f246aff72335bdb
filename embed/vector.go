package embed

import (
	"encoding/binary"
	"math"
)

// Unit scales a vector to length one in place. It reports false, and leaves the
// vector as it is, when that cannot be done: it has no length, or a value that
// is no number.
func Unit(v []float32) bool {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 || math.IsNaN(sum) || math.IsInf(sum, 0) {
		return false
	}
	scale := 1 / math.Sqrt(sum)
	for i, x := range v {
		v[i] = float32(float64(x) * scale)
	}
	return true
}

// Bytes is a vector as it is stored: float32, little endian.
func Bytes(v []float32) []byte {
	b := make([]byte, 0, 4*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

// FromBytes is the reverse of Bytes; ok is false for bytes that are no vector of
// dim values.
func FromBytes(b []byte, dim int) (v []float32, ok bool) {
	if len(b) != 4*dim || dim == 0 {
		return nil, false
	}
	v = make([]float32, dim)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return v, true
}
