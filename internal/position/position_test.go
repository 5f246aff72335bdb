package position

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// encodings are all three, with how many units each takes for a rune.
var encodings = map[Encoding]func(rune) int{
	UTF8:  utf8.RuneLen,
	UTF16: utf16.RuneLen,
	UTF32: func(rune) int { return 1 },
}

func TestPositionAndBack(t *testing.T) {
	const (
		composed   = "caf\u00e9 x"
		decomposed = "cafe\u0301 x"
		family     = "a👨\u200d👩b"
	)
	tests := []struct {
		name, text, at  string
		line            uint32
		in8, in16, in32 uint32
		saved           bool
	}{
		{name: "ascii", text: "abc", at: "c", in8: 2, in16: 2, in32: 2},
		{name: "end of text", text: "abc", at: "", in8: 3, in16: 3, in32: 3},
		{name: "composed accent", text: composed, at: "x", in8: 6, in16: 5, in32: 5},
		{name: "combining accent", text: decomposed, at: "x", in8: 7, in16: 6, in32: 6},
		{name: "CJK", text: "漢字x", at: "x", in8: 6, in16: 2, in32: 2},
		{name: "emoji with joiner", text: family, at: "b", in8: 12, in16: 6, in32: 4},
		{name: "LF", text: "a\nb", at: "b", line: 1},
		{name: "CRLF", text: "a\r\nb", at: "b", line: 1},
		{name: "lone CR", text: "a\rb", at: "b", line: 1},
		{name: "CR before CRLF", text: "a\r\r\nb", at: "b", line: 2},
		{name: "LF then CR", text: "a\n\rb", at: "b", line: 2},
		{name: "before a line end", text: "é\r\nb", at: "\r", in8: 2, in16: 1, in32: 1},
		{name: "after the last line end", text: "a\n", at: "", line: 1},
		{name: "mark that the client sent", text: "\ufeffab", at: "b", in8: 4, in16: 2, in32: 2},
		{name: "mark that stays on disk", text: "\ufeffab", at: "b", saved: true, in8: 1, in16: 1, in32: 1},
		{name: "second line under a mark", text: "\ufeffa\né!", at: "!", saved: true, line: 1, in8: 2, in16: 1, in32: 1},
		{name: "one sign for a cut character", text: "a\xe2\x82b", at: "b", in8: 3, in16: 2, in32: 2},
		{name: "a sign each for stray bytes", text: "a\xff\xfeb", at: "b", in8: 3, in16: 3, in32: 3},
		{name: "surrogates in UTF-8 are three", text: "\xed\xa0\x80b", at: "b", in8: 3, in16: 3, in32: 3},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			offset := len(test.text)
			if test.at != "" {
				offset = strings.Index(test.text, test.at)
			}
			want := map[Encoding]uint32{UTF8: test.in8, UTF16: test.in16, UTF32: test.in32}
			for enc, character := range want {
				m := New([]byte(test.text), enc)
				if test.saved {
					m = NewSaved([]byte(test.text), enc)
				}
				p := m.Position(offset)
				if diff := cmp.Diff(Position{test.line, character}, p); diff != "" {
					t.Errorf("%s: Position(%d) (-want +got):\n%s", enc, offset, diff)
				}
				if got := m.Offset(p); got != offset {
					t.Errorf("%s: Offset(%v) = %d, want %d", enc, p, got, offset)
				}
			}
		})
	}
}

func TestOffsetClamps(t *testing.T) {
	text := []byte("é😀\r\nab\n")
	tests := []struct {
		name string
		enc  Encoding
		at   Position
		want int
	}{
		{"past the end of a line", UTF16, Position{0, 99}, 6},
		{"past the end of the text", UTF16, Position{99, 0}, len(text)},
		{"largest numbers", UTF32, Position{1<<32 - 1, 1<<32 - 1}, len(text)},
		{"inside a surrogate pair", UTF16, Position{0, 2}, 2},
		{"inside the bytes of a character", UTF8, Position{0, 1}, 0},
		{"on the empty last line", UTF8, Position{2, 7}, len(text)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := New(text, test.enc).Offset(test.at); got != test.want {
				t.Errorf("Offset(%v) = %d, want %d", test.at, got, test.want)
			}
		})
	}
}

func TestPositionClamps(t *testing.T) {
	m := NewSaved([]byte("\ufeffa\r\nb"), UTF16)
	tests := map[int]Position{-5: {0, 0}, 0: {0, 0}, 2: {0, 0}, 5: {0, 1}, 6: {1, 0}, 99: {1, 1}}
	for offset, want := range tests {
		if got := m.Position(offset); got != want {
			t.Errorf("Position(%d) = %v, want %v", offset, got, want)
		}
	}
}

// naive counts a valid text rune by rune.
func naive(text string, offset int, units func(rune) int) Position {
	var p Position
	for i, r := range text {
		if i >= offset {
			break
		}
		if r == '\n' || r == '\r' && !strings.HasPrefix(text[i+1:], "\n") {
			p = Position{p.Line + 1, 0}
			continue
		}
		p.Character += uint32(units(r))
	}
	return p
}

func TestLongLinesAgreeWithCounting(t *testing.T) {
	text := strings.Repeat("é漢😀 abc\u0301", 300) + "\r\n" + strings.Repeat("x", 2000) + "\n" + strings.Repeat("😀", 700)
	for enc, units := range encodings {
		m := New([]byte(text), enc)
		for offset, r := range text {
			if r == '\n' {
				continue
			}
			want := naive(text, offset, units)
			if got := m.Position(offset); got != want {
				t.Fatalf("%s: Position(%d) = %v, want %v", enc, offset, got, want)
			}
			if got := m.Offset(want); got != offset {
				t.Fatalf("%s: Offset(%v) = %d, want %d", enc, want, got, offset)
			}
		}
	}
}

func FuzzOffsetToPositionAndBack(f *testing.F) {
	for _, seed := range []string{"", "a\r\nb\rc\n", "\ufeffé😀", "\xed\xa0\x80\xf0\x9f", strings.Repeat("é", 700)} {
		f.Add([]byte(seed), true)
	}
	f.Fuzz(func(t *testing.T, text []byte, saved bool) {
		for enc := range encodings {
			m := New(text, enc)
			if saved {
				m = NewSaved(text, enc)
			}
			for offset := m.start; offset < len(text); {
				if got := m.Offset(m.Position(offset)); got != offset {
					t.Fatalf("%s: %d came back as %d in %q", enc, offset, got, text)
				}
				if bytes.HasPrefix(text[offset:], []byte("\r\n")) {
					offset += 2
					continue
				}
				width, _ := m.character(offset)
				offset += width
			}
		}
	})
}

// TestLookupsDoNotScanTheText holds a lookup in 1 MB far below one walk of it,
// even when the text is a single line.
func TestLookupsDoNotScanTheText(t *testing.T) {
	text := []byte(strings.Repeat("é漢😀 abc", 1<<20/13))
	for _, enc := range []Encoding{UTF8, UTF16, UTF32} {
		m := New(text, enc)
		const rounds = 2000
		started := time.Now()
		for i := range rounds {
			m.Offset(m.Position(len(text) / rounds * i))
		}
		if each := time.Since(started) / rounds; each > 200*time.Microsecond {
			t.Errorf("%s: %v for a lookup there and back", enc, each)
		}
	}
}

func BenchmarkLookup(b *testing.B) {
	text := []byte(strings.Repeat("é漢😀 abc", 1<<20/13))
	for _, enc := range []Encoding{UTF8, UTF16} {
		m := New(text, enc)
		b.Run(fmt.Sprintf("%s 1MB one line", enc), func(b *testing.B) {
			for i := range b.N {
				m.Offset(m.Position(i * 7919 % len(text)))
			}
		})
	}
}
