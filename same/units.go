package same

import (
	"strings"
	"sync"
)

// dimension is what a quantity measures.
type dimension uint8

const (
	count dimension = iota
	ordinal
	ratio
	quarter // of a year
	version // digits that name, not measure
	date
	clock
	duration
	bytes
	bits
	length
	mass
	volume
	temperature
	degrees
	frequency
	power
	energy
	charge
	voltage
	pressure
	rotation
	pixels
	times
	dose
	currency // and those after it: one dimension for each currency
)

// unit is one step of a dimension. A binary unit counts in powers of 1024, or
// may, where metric is set.
type unit struct {
	dim    dimension
	factor float64
	// binary is the factor in powers of 1024, 0 for units without one.
	binary float64
	// other is what the same letters may mean too, 0 for nothing.
	other      dimension
	otherValue float64
	// offset is added before the factor, for temperatures.
	offset float64
	// suffix: letters that are a unit only right behind the digits.
	suffix bool
}

const (
	minute = 60
	hour   = 60 * minute
	day    = 24 * hour
	year   = 365.2425 * day
)

// units are facts of common knowledge: the SI, IEC 80000-13 and the
// international yard and pound of 1959.
var units = sync.OnceValue(func() map[string]unit {
	table := map[string]unit{}
	add := func(u unit, names string) {
		for n := range strings.FieldsSeq(names) {
			table[n] = u
		}
	}
	of := func(d dimension, factor float64, names string) { add(unit{dim: d, factor: factor}, names) }
	of(duration, 1e-9, "ns nanosecond nanoseconds")
	of(duration, 1e-6, "us usec microsecond microseconds")
	of(duration, 1e-3, "ms msec msecs millisecond milliseconds")
	of(duration, 1, "s sec secs second seconds")
	of(duration, minute, "min mins minute minutes")
	of(duration, hour, "h hr hrs hour hours")
	of(duration, day, "day days")
	add(unit{dim: duration, factor: day, suffix: true}, "d")
	of(duration, 7*day, "week weeks wk wks")
	of(duration, 14*day, "fortnight fortnights")
	of(duration, year/12, "month months")
	of(duration, year, "year years yr yrs")
	of(length, 1e-3, "mm millimeter millimeters millimetre millimetres")
	of(length, 1e-2, "cm centimeter centimeters centimetre centimetres")
	of(length, 1, "meter meters metre metres")
	add(unit{dim: length, factor: 1, other: duration, otherValue: minute}, "m")
	of(length, 1e3, "km kms kilometer kilometers kilometre kilometres")
	of(length, 0.0254, "inch inches")
	add(unit{dim: length, factor: 0.0254, suffix: true}, "in")
	of(length, 0.3048, "ft foot feet")
	of(length, 0.9144, "yd yard yards")
	of(length, 1609.344, "mi mile miles")
	of(mass, 1e-9, "mcg ug microgram micrograms")
	of(mass, 1e-6, "mg milligram milligrams")
	of(mass, 1e-3, "g gram grams gm gramme grammes")
	of(mass, 1, "kg kgs kilo kilos kilogram kilograms")
	of(mass, 1e3, "t ton tonne tonnes tons")
	of(mass, 0.45359237, "lb lbs")
	add(unit{dim: mass, factor: 0.45359237, other: currency + 2, otherValue: 1}, "pound pounds")
	of(mass, 0.028349523125, "oz ounce ounces")
	of(volume, 1e-3, "ml milliliter milliliters millilitre millilitres cc")
	of(volume, 1e-2, "cl centiliter centiliters centilitre centilitres")
	of(volume, 1e-1, "dl deciliter deciliters decilitre decilitres")
	of(volume, 1, "l liter liters litre litres")
	of(frequency, 1, "hz hertz")
	of(frequency, 1e3, "khz")
	of(frequency, 1e6, "mhz")
	of(frequency, 1e9, "ghz")
	of(power, 1, "w watt watts")
	of(power, 1e3, "kw kilowatt kilowatts")
	of(power, 1e6, "mw megawatt megawatts")
	of(energy, 1, "kwh")
	of(charge, 1, "mah")
	of(voltage, 1, "v volt volts")
	of(pressure, 1, "bar bars")
	of(pressure, 1e-3, "mbar millibar millibars")
	of(pressure, 0.0689475729, "psi")
	of(pressure, 0.01, "kpa")
	of(rotation, 1, "rpm")
	of(pixels, 1, "px pixel pixels")
	of(times, 1, "x times")
	of(dose, 1, "iu")
	of(ratio, 0.01, "% percent pct")
	of(degrees, 1, "° degree degrees deg")
	add(unit{dim: temperature, factor: 1}, "°c c celsius")
	add(unit{dim: temperature, factor: 5.0 / 9, offset: -32}, "°f f fahrenheit")
	size := func(power int, metric, binary string) {
		m, b := 1.0, 1.0
		for range power {
			m, b = m*1000, b*1024
		}
		add(unit{dim: bytes, factor: m, binary: b}, metric)
		add(unit{dim: bytes, factor: b}, binary)
	}
	size(0, "byte bytes", "")
	size(1, "kb kilobyte kilobytes", "kib kibibyte kibibytes")
	size(2, "mb megabyte megabytes meg megs", "mib mebibyte mebibytes")
	size(3, "gb gigabyte gigabytes gig gigs", "gib gibibyte gibibytes")
	size(4, "tb terabyte terabytes", "tib tebibyte tebibytes")
	size(5, "pb petabyte petabytes", "pib pebibyte pebibytes")
	of(bytes, 1<<10, "ki")
	of(bytes, 1<<30, "gi")
	of(bytes, 1<<40, "ti")
	of(bits, 1, "bit bits")
	of(bits, 1e3, "kbit kbits kbps")
	of(bits, 1e6, "mbit mbits mbps megabit megabits")
	of(bits, 1e9, "gbit gbits gbps gigabit gigabits")
	for i, names := range []string{"$ usd dollar dollars bucks", "€ eur euro euros", "£ gbp quid sterling", "¥ jpy yen", "chf", "sek", "nok", "dkk", "cad", "aud", "inr rupee rupees"} {
		of(currency+dimension(i), 1, names)
	}
	return table
})

// cased are unit letters whose case decides.
var cased = map[string]bool{"C": true, "F": true, "V": true, "W": true}

// isUnit reports a word that measures.
func isUnit(w string) bool {
	_, ok := units()[strings.ToLower(w)]
	return ok
}

// unitOf returns the unit that a piece is, as it stands behind a number.
func unitOf(p *piece, suffix bool) (unit, bool) {
	u, ok := units()[p.text]
	if p.cased == "Mi" {
		return units()["mib"], true
	}
	if !ok || u.suffix && !suffix {
		return unit{}, false
	}
	if upper := strings.ToUpper(p.text); len(p.text) == 1 && cased[upper] && p.cased != upper {
		return unit{}, false
	}
	if len(p.cased) == 2 && p.cased[1] == 'b' && p.cased[0] <= 'Z' && u.dim == bytes {
		return unit{dim: bits, factor: u.factor}, true
	}
	return u, true
}

// numerals are the number words below a hundred.
var numerals = sync.OnceValue(func() map[string]float64 {
	table := map[string]float64{"twelve": 12}
	for i, w := range strings.Fields("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen") {
		table[w] = float64(i)
	}
	for i, w := range strings.Fields("twenty thirty forty fifty sixty seventy eighty ninety") {
		table[w] = float64(20 + 10*i)
	}
	return table
})

// ordinals are the words that rank.
var ordinals = sync.OnceValue(func() map[string]float64 {
	table := map[string]float64{}
	for i, w := range strings.Fields("first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth") {
		table[w] = float64(i + 1)
	}
	table["thirtieth"] = 30
	return table
})

// scales multiply the number before them.
var scales = map[string]float64{"hundred": 100, "thousand": 1e3, "million": 1e6, "millions": 1e6, "billion": 1e9, "bn": 1e9, "dozen": 12, "mln": 1e6}

// fractions divide the number before them.
var fractions = map[string]float64{"half": 2, "halves": 2, "third": 3, "thirds": 3, "quarter": 4, "quarters": 4, "fifths": 5, "tenths": 10, "tenth": 10}

// months are numbered from 1.
var months = sync.OnceValue(func() map[string]int {
	table := map[string]int{"sept": 9}
	for i, w := range strings.Fields("january february march april may june july august september october november december") {
		table[w], table[w[:3]] = i+1, i+1
	}
	return table
})

// zones are minutes east of Greenwich, for names that mean one offset.
var zones = map[string]int{
	"utc": 0, "gmt": 0, "z": 0, "wet": 0, "bst": 60, "cet": 60, "cest": 120, "eet": 120, "eest": 180, "msk": 180,
	"est": -300, "edt": -240, "cdt": -300, "mst": -420, "mdt": -360, "pst": -480, "pdt": -420, "jst": 540,
}
