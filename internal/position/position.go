// Package position turns byte offsets of a text into the line and character
// pairs of editors and back, in UTF-8, UTF-16 or UTF-32 units.
//
// It knows texts, not documents: no versions, no files, no protocol types.
package position

import (
	"sort"
	"unicode/utf8"
)

// Encoding is the unit in which characters of a line are counted. Its values
// are the names of the Language Server Protocol.
type Encoding string

// The three encodings a client can offer.
const (
	UTF8  Encoding = "utf-8"
	UTF16 Encoding = "utf-16"
	UTF32 Encoding = "utf-32"
)

// Position is a zero-based line and a zero-based character in units of the
// mapper's encoding.
type Position struct{ Line, Character uint32 }

// stride is the distance in bytes between the places where the number of units
// so far is known; it bounds what one lookup scans.
const stride = 512

// Mapper maps one text in both directions. It is immutable and safe for
// concurrent use; it keeps the text it was given, which must not change.
type Mapper struct {
	text []byte
	enc  Encoding
	// lines are the offsets at which lines start.
	lines []int
	// marks are places every stride bytes, each at the start of a character;
	// empty when bytes are the unit.
	marks []mark
	// start is the offset of the first byte that a client counts.
	start int
}

// mark says that units of the text lie before offset.
type mark struct{ offset, units int }

// New returns the mapper of a text of which every byte is visible to the
// client, a leading byte order mark included. It takes time linear in text.
func New(text []byte, enc Encoding) *Mapper { return build(text, enc, 0) }

// NewSaved returns the mapper of a text as it lies on disk. A leading byte
// order mark takes no room on the first line: clients strip it before they
// count.
func NewSaved(text []byte, enc Encoding) *Mapper {
	start := 0
	if len(text) >= 3 && text[0] == 0xEF && text[1] == 0xBB && text[2] == 0xBF {
		start = 3
	}
	return build(text, enc, start)
}

func build(text []byte, enc Encoding, start int) *Mapper {
	m := &Mapper{text: text, enc: enc, start: start, lines: []int{start}}
	ascii := true
	for i := start; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\n', c == '\r' && (i+1 == len(text) || text[i+1] != '\n'):
			m.lines = append(m.lines, i+1)
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	if !ascii && enc != UTF8 {
		m.marks = m.survey()
	}
	return m
}

// survey walks the text once and notes a mark every stride bytes.
func (m *Mapper) survey() []mark {
	marks := make([]mark, 0, len(m.text)/stride+1)
	next, units := m.start, 0
	for i := m.start; i < len(m.text); {
		if i >= next {
			marks = append(marks, mark{i, units})
			next = i + stride
		}
		width, u := m.character(i)
		i, units = i+width, units+u
	}
	return marks
}

// character returns the width in bytes and in units of the character at i. An
// ill-formed part of the text is one U+FFFD for each maximal subpart, as
// editors decode it.
func (m *Mapper) character(i int) (width, units int) {
	c := m.text[i]
	if c < utf8.RuneSelf {
		return 1, 1
	}
	r, width := utf8.DecodeRune(m.text[i:])
	switch {
	case r == utf8.RuneError && width == 1:
		return illFormed(m.text[i:]), 1
	case r > 0xFFFF && m.enc == UTF16:
		return width, 2
	default:
		return width, 1
	}
}

// illFormed returns the length of the maximal subpart of a character that b,
// which does not start with a well-formed one, starts with.
func illFormed(b []byte) int {
	need, low, high := 0, byte(0x80), byte(0xBF)
	switch c := b[0]; {
	case c >= 0xC2 && c <= 0xDF:
		need = 1
	case c >= 0xE0 && c <= 0xEF:
		need = 2
		low, high = secondByte(c, 0xE0, 0xA0, 0xED, 0x9F)
	case c >= 0xF0 && c <= 0xF4:
		need = 3
		low, high = secondByte(c, 0xF0, 0x90, 0xF4, 0x8F)
	}
	n := 1
	for n <= need && n < len(b) && b[n] >= low && b[n] <= high {
		n, low, high = n+1, 0x80, 0xBF
	}
	return n
}

// secondByte returns the bounds of the byte after lead: floor for the lead that
// would allow overlong forms, ceiling for the one that would leave Unicode.
func secondByte(lead, raised, floor, lowered, ceiling byte) (low, high byte) {
	low, high = 0x80, 0xBF
	if lead == raised {
		low = floor
	}
	if lead == lowered {
		high = ceiling
	}
	return low, high
}

// Lines returns the number of lines, at least 1.
func (m *Mapper) Lines() int { return len(m.lines) }

// Position returns where offset lies. An offset inside a character or a line
// end is moved to its start, one outside the text to the nearest end.
func (m *Mapper) Position(offset int) Position {
	offset = min(max(offset, m.start), len(m.text))
	line := sort.SearchInts(m.lines, offset+1) - 1
	offset = min(offset, m.lineEnd(line))
	character := m.units(offset) - m.units(m.lines[line])
	return Position{uint32(line), uint32(character)}
}

// Offset returns the byte offset of p. A character past the end of its line
// means that end, before the line break; a line past the last means the end of
// the text; a character inside a surrogate pair means the pair's start.
func (m *Mapper) Offset(p Position) int {
	if uint64(p.Line) >= uint64(len(m.lines)) {
		return len(m.text)
	}
	start, end := m.lines[p.Line], m.lineEnd(int(p.Line))
	if uint64(p.Character) >= uint64(end-start) {
		return end // no encoding has more units than bytes
	}
	return m.seek(start, end, m.units(start)+int(p.Character))
}

// lineEnd returns the offset at which a line's text ends and its break begins.
func (m *Mapper) lineEnd(line int) int {
	if line+1 == len(m.lines) {
		return len(m.text)
	}
	end := m.lines[line+1] - 1
	if end > m.lines[line] && m.text[end] == '\n' && m.text[end-1] == '\r' {
		end--
	}
	return end
}

// units returns how many units lie before offset; offset counts as moved to
// the start of the character it is in.
func (m *Mapper) units(offset int) int {
	if m.enc == UTF8 {
		return m.floor(offset) - m.start
	}
	if m.marks == nil {
		return offset - m.start
	}
	k := sort.Search(len(m.marks), func(i int) bool { return m.marks[i].offset > offset }) - 1
	at := mark{m.start, 0}
	if k >= 0 {
		at = m.marks[k]
	}
	for at.offset < offset {
		width, units := m.character(at.offset)
		if at.offset+width > offset {
			break
		}
		at = mark{at.offset + width, at.units + units}
	}
	return at.units
}

// seek returns the offset in [start, end] before which target units lie.
func (m *Mapper) seek(start, end, target int) int {
	if m.enc == UTF8 || m.marks == nil {
		return min(m.floor(m.start+target), end)
	}
	k := sort.Search(len(m.marks), func(i int) bool { return m.marks[i].units > target }) - 1
	at := m.marks[max(k, 0)]
	if at.offset < start {
		at = mark{start, m.units(start)}
	}
	for at.offset < end {
		width, units := m.character(at.offset)
		if at.units+units > target {
			break
		}
		at = mark{at.offset + width, at.units + units}
	}
	return min(at.offset, end)
}

// floor moves an offset that lies inside a character to its start. Only a
// prefix of at most three bytes can be in the way.
func (m *Mapper) floor(offset int) int {
	if offset >= len(m.text) || utf8.RuneStart(m.text[offset]) {
		return offset
	}
	for back := 1; back <= 3 && offset-back >= m.start; back++ {
		if i := offset - back; utf8.RuneStart(m.text[i]) {
			if width, _ := m.character(i); i+width > offset {
				return i
			}
			break
		}
	}
	return offset
}
