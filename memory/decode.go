package memory

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

const bom = "\uFEFF"

// decoded is a file's text as the web decodes it: a leading BOM is stripped and
// each maximal ill-formed part of UTF-8 is one U+FFFD.
type decoded struct {
	text []byte
	// shifts tell where a decoded offset lies in the source. They are sorted;
	// one is added wherever the distance between the two changes.
	shifts []shift
}

// shift says that from decoded offset at on, by is to be added.
type shift struct{ at, by int }

// decode copies nothing when src is valid UTF-8.
func decode(src []byte) decoded {
	text := bytes.TrimPrefix(src, []byte(bom))
	d := decoded{text: text}
	if len(text) < len(src) {
		d.shifts = []shift{{0, len(bom)}}
	}
	if !utf8.Valid(text) {
		d.replaceIllFormed(len(src) - len(text))
	}
	return d
}

func (d *decoded) replaceIllFormed(by int) {
	src, out := d.text, make([]byte, 0, len(d.text)+len(d.text)/8)
	for i := 0; i < len(src); {
		if r, n := utf8.DecodeRune(src[i:]); r != utf8.RuneError || n > 1 {
			out = append(out, src[i:i+n]...)
			i += n
			continue
		}
		n := illFormed(src[i:])
		out = append(out, string(utf8.RuneError)...)
		i += n
		if n != len(string(utf8.RuneError)) {
			by += n - len(string(utf8.RuneError))
			d.shifts = append(d.shifts, shift{len(out), by})
		}
	}
	d.text = out
}

// illFormed returns the length of the maximal ill-formed part that s starts
// with: the longest start of a character that could have been one, or one byte.
func illFormed(s []byte) int {
	need, low, high := 0, byte(0x80), byte(0xBF)
	switch c := s[0]; {
	case 0xC2 <= c && c <= 0xDF:
		need = 1
	case 0xE0 <= c && c <= 0xEF:
		need = 2
	case 0xF0 <= c && c <= 0xF4:
		need = 3
	}
	switch s[0] {
	case 0xE0:
		low = 0xA0
	case 0xED:
		high = 0x9F
	case 0xF0:
		low = 0x90
	case 0xF4:
		high = 0x8F
	}
	n := 1
	for n <= need && n < len(s) && low <= s[n] && s[n] <= high {
		n, low, high = n+1, 0x80, 0xBF
	}
	return n
}

// offset turns an offset in the decoded text into one in the source.
func (d *decoded) offset(at int) int {
	i, found := slices.BinarySearchFunc(d.shifts, at, func(s shift, at int) int { return s.at - at })
	if found {
		i++
	}
	if i == 0 {
		return at
	}
	return at + d.shifts[i-1].by
}
