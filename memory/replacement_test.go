package memory

import (
	"bytes"
	"testing"
	"unicode/utf8"
)

func TestReplacement(t *testing.T) {
	for _, c := range []struct {
		before, after string
		at            Span
		text          string
	}{
		{"", "", Span{0, 0}, ""},
		{"same", "same", Span{4, 4}, ""},
		{"", "new", Span{0, 0}, "new"},
		{"old", "", Span{0, 3}, ""},
		{"a one b", "a two b", Span{2, 5}, "two"},
		{"aa", "aaa", Span{2, 2}, "a"},
		{"aaa", "aa", Span{2, 3}, ""},
		{"xéy", "xèy", Span{1, 3}, "è"},           // the first byte is shared
		{"x\u00e9y", "x\u0129y", Span{1, 3}, "ĩ"}, // the last byte is shared
		{"😀", "😁", Span{0, 4}, "😁"},
		{"<a>\n<b>\n", "<a>\n<ab>\n<b>\n", Span{4, 4}, "<ab>\n"}, // not "ab>\n<"
		{"<a>\n<ab>\n<b>\n", "<a>\n<b>\n", Span{4, 9}, ""},
		{"a\r\nb", "a\nb", Span{1, 3}, "\n"},
		{"a\r\nb", "a\rb", Span{1, 3}, "\r"},
		{"a\rb", "a\r\nb", Span{1, 2}, "\r\n"},
		{"a\nb", "a\r\nb", Span{1, 2}, "\r\n"},
	} {
		at, text := Replacement([]byte(c.before), []byte(c.after))
		if at != c.at || string(text) != c.text {
			t.Errorf("Replacement(%q, %q) = %v %q, want %v %q", c.before, c.after, at, text, c.at, c.text)
		}
	}
}

func FuzzReplacement(f *testing.F) {
	f.Add([]byte("a\r\nb"), []byte("a\nb"))
	f.Add([]byte("xéy"), []byte("xèy"))
	f.Add([]byte("aaa"), []byte("aa"))
	f.Fuzz(func(t *testing.T, before, after []byte) {
		at, text := Replacement(before, after)
		got := append(append(bytes.Clone(before[:at.Start]), text...), before[at.End:]...)
		if !bytes.Equal(got, after) {
			t.Fatalf("Replacement(%q, %q) = %v %q gives %q", before, after, at, text, got)
		}
		for _, i := range []int{at.Start, at.End} {
			if i > 0 && i < len(before) && (!utf8.RuneStart(before[i]) || before[i-1] == '\r' && before[i] == '\n') {
				t.Errorf("Replacement(%q, %q) cuts at %d", before, after, i)
			}
		}
		if bytes.Equal(before, after) && (at.Start != at.End || len(text) > 0) {
			t.Errorf("equal texts differ at %v by %q", at, text)
		}
	})
}
