package same

import "math"

// comparison says on which side of a quantity the claim stands.
type comparison uint8

const (
	exactly comparison = iota
	atLeast
	atMost
	moreThan
	lessThan
)

// quantity is a number with its dimension, in the dimension's base unit.
type quantity struct {
	dim     dimension
	compare comparison
	// value is in base units: seconds, bytes, meters, kilograms, liters, degrees
	// Celsius, minutes of the day; a date is year, month and day in decimal
	// places, with 0 for a year that is not named.
	value float64
	// factor is the unit's, binary its factor in powers of 1024 or 0.
	factor, binary float64
	// other is what the unit may mean too, with its own value; 0 for nothing.
	other      dimension
	otherValue float64
	// id tells digits apart that name: "3.10" and "3.1". 0 for a measure.
	id uint64
	// zoned: a clock time is in UTC. half: it may be before or after noon.
	zoned, half bool
}

// measure is value in the unit u.
func measure(value float64, u unit) quantity {
	q := quantity{dim: u.dim, value: (value + u.offset) * u.factor, factor: u.factor, other: u.other, otherValue: value * u.otherValue}
	if u.binary != 0 {
		q.binary = value * u.binary
	}
	return q
}

// equal reports quantities that measure the same. It does not see a difference
// below 1 % between units, or 2 % with calendar months or years, for which a
// month has no fixed length.
func (q *quantity) equal(r *quantity) bool {
	if q.compare != r.compare {
		return false
	}
	switch {
	case q.dim == r.dim:
		return q.sameDimension(r)
	case q.other != 0 && q.other == r.dim:
		return q.asOther(r)
	case r.other != 0 && r.other == q.dim:
		return r.asOther(q)
	}
	return false
}

func (q *quantity) sameDimension(r *quantity) bool {
	switch q.dim {
	case count, version:
		return q.value == r.value && (q.id == r.id || q.dim == count && (q.id == 0 || r.id == 0))
	case ordinal, quarter:
		return q.value == r.value
	case date:
		return sameDate(q.value, r.value)
	case clock:
		return q.sameClock(r)
	case bytes:
		return sameSize(q, r)
	}
	return close(q.value, r.value, q.tolerance(r))
}

func (q *quantity) asOther(r *quantity) bool {
	if r.dim == clock {
		asClock := quantity{dim: clock, value: q.otherValue, half: true}
		return asClock.sameClock(r)
	}
	return close(q.otherValue, r.value, 1e-9)
}

func isWhole(v float64) bool { return v == math.Trunc(v) }

// tolerance is relative: none for one unit, what rounding takes for two.
func (q *quantity) tolerance(r *quantity) float64 {
	switch {
	case q.factor == r.factor:
		return 1e-9
	case q.dim == duration && max(q.factor, r.factor) >= year/12:
		return 0.02
	}
	return 0.01
}

func close(a, b, tolerance float64) bool {
	return math.Abs(a-b) <= tolerance*max(math.Abs(a), math.Abs(b))
}

// sameSize compares powers of 1000, or of 1024 where both units are named
// loosely: 2048 MB may be 2 GB.
func sameSize(q, r *quantity) bool {
	if close(q.value, r.value, q.tolerance(r)) {
		return true
	}
	return q.binary != 0 && r.binary != 0 && q.factor != r.factor && q.binary == r.binary
}

// sameDate holds when what both name agrees: a year may be missing.
func sameDate(a, b float64) bool {
	if a < 1e4 || b < 1e4 {
		a, b = math.Mod(a, 1e4), math.Mod(b, 1e4)
	}
	return a == b
}

func (q *quantity) sameClock(r *quantity) bool {
	if q.zoned != r.zoned {
		return false
	}
	if q.half || r.half {
		return math.Mod(q.value, 720) == math.Mod(r.value, 720)
	}
	return q.value == r.value
}

// timely reports a quantity that says when.
func (q *quantity) timely() bool {
	return q.dim == date || q.dim == clock || q.dim == duration
}
