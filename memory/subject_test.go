package memory

import (
	"strings"
	"testing"
	"time"
)

func TestSubject(t *testing.T) {
	x, pair := strings.Repeat("x", 72), strings.Repeat("😀", 36)
	for _, c := range []struct{ text, want string }{
		{"Kiln", "Kiln"},
		{"  two\r\n lines\t here ", "two lines here"},
		{"a\x00b\x1b[31mc", "a b [31mc"},
		{"", "(untitled)"},
		{" \n ", "(untitled)"},
		{x, x},
		{x + "y", x[:71] + "…"},
		{x[:70] + " yz", x[:70] + "…"},
		{pair, pair},
		{pair + "y", strings.Repeat("😀", 35) + "…"},
		{"x" + pair, "x" + strings.Repeat("😀", 35) + "…"},
	} {
		if got := Subject("write", c.text); got != "memhtml(write): "+c.want {
			t.Errorf("Subject(%q) = %q", c.text, got)
		}
	}
}

func TestStampIsUTCWithoutFraction(t *testing.T) {
	at := time.Date(2026, 1, 1, 0, 30, 15, 999, time.FixedZone("", 3600))
	if got := Stamp(at); got != "2025-12-31T23:30:15Z" {
		t.Errorf("Stamp = %q", got)
	}
}
