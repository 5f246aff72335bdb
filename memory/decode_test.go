package memory

import (
	"strings"
	"testing"
)

// TestDecode has the examples of the Unicode standard (tables 3-8 to 3-11) and
// the encoding standard: one U+FFFD for each maximal ill-formed part.
func TestDecode(t *testing.T) {
	const r = "\uFFFD"
	tests := map[string]struct{ src, want string }{
		"valid":               {"aé漢😀", "aé漢😀"},
		"replacement itself":  {"\uFFFD", r},
		"overlong":            {"\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41", strings.Repeat(r, 8) + "A"},
		"surrogates":          {"\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41", strings.Repeat(r, 8) + "A"},
		"beyond Unicode":      {"\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42", strings.Repeat(r, 5) + "A" + r + r + "B"},
		"truncated":           {"\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41", strings.Repeat(r, 4) + "A"},
		"truncated at end":    {"x\xF0\x9F\x98", "x" + r},
		"lone continuation":   {"\x80", r},
		"BOM":                 {bom + "x", "x"},
		"two BOMs":            {bom + bom + "x", bom + "x"},
		"BOM inside":          {"x" + bom, "x" + bom},
		"ill-formed after é":  {"é\xE9é", "é" + r + "é"},
		"bytes of UTF-16":     {"\xFF\xFEa\x00", r + r + "a\x00"},
		"NUL is left":         {"a\x00b", "a\x00b"},
		"lead before another": {"\xE2\xE2\x82\xAC", r + "€"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := string(decode([]byte(test.src)).text); got != test.want {
				t.Errorf("decode(%q) = %q, want %q", test.src, got, test.want)
			}
		})
	}
}

func TestDecodedOffsets(t *testing.T) {
	src := bom + "a\xFFb\xE2\x82c\xF0\x9F\x98d\x80\x80e"
	d := decode([]byte(src))
	for _, c := range "abcde" {
		at := strings.IndexRune(string(d.text), c)
		if got, want := d.offset(at), strings.IndexRune(src, c); got != want {
			t.Errorf("offset(%d) = %d, want %d, the place of %c", at, got, want, c)
		}
	}
	if got := d.offset(len(d.text)); got != len(src) {
		t.Errorf("offset of the end = %d, want %d", got, len(src))
	}
}
