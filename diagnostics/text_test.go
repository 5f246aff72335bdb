package diagnostics

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestShown(t *testing.T) {
	for in, want := range map[string]string{
		"":                       "",
		"areas/café/ü.html":      "areas/café/ü.html",
		"a\tb\nc":                `a\u{9}b\u{A}c`,
		"safe\u202Egnirts":       `safe\u{202E}gnirts`,
		"\u2066iso\u2069":        `\u{2066}iso\u{2069}`,
		"\x1b[31mred":            `\u{1B}[31mred`,
		"zero\u200Bwidth":        `zero\u{200B}width`,
		"\uFEFFbom":              `\u{FEFF}bom`,
		"line\u2028sep":          `line\u{2028}sep`,
		"bad\xffbyte":            `bad\x{FF}byte`,
		"bad\xefbyte":            `bad\x{EF}byte`,
		"replacement\uFFFDstays": "replacement\uFFFDstays",
		"👩\u200D🚀 joined":        "👩\u200D🚀 joined",
	} {
		if got := Shown(in); got != want {
			t.Errorf("Shown(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestClip(t *testing.T) {
	word := strings.Repeat("é", 9)
	for _, tt := range []struct{ name, in, want string }{
		{"short", "  a\n b ", "a b"},
		{"exactly the limit", strings.Repeat("x", 200), strings.Repeat("x", 200)},
		{"one over, one word", strings.Repeat("x", 201), strings.Repeat("x", 199) + "…"},
		{"cut on a word", strings.Repeat(word+" ", 25), strings.TrimSpace(strings.Repeat(word+" ", 19)) + "…"},
		{"spelled out before it is cut", strings.Repeat("\u202E", 200), strings.Repeat(`\u{202E}`, 25)[:199] + "…"},
	} {
		got := clip(tt.in)
		if got != tt.want {
			t.Errorf("%s: clip = %q, want %q", tt.name, got, tt.want)
		}
		if n := utf8.RuneCountInString(got); n > claimLimit {
			t.Errorf("%s: %d characters", tt.name, n)
		}
	}
}

func TestParseSeverity(t *testing.T) {
	for word, want := range map[string]Severity{"error": Error, "warning": Warning, "information": Information, "hint": Hint, "off": Off} {
		if got, ok := ParseSeverity(word); !ok || got != want {
			t.Errorf("ParseSeverity(%q) = %v, %v", word, got, ok)
		}
	}
	for _, word := range []string{"", "Error", "warn", "none"} {
		if got, ok := ParseSeverity(word); ok {
			t.Errorf("ParseSeverity(%q) = %v, want none", word, got)
		}
	}
}
