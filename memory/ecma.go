package memory

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

// The format is defined by what JavaScript does with text and numbers; these
// functions are where Go differs.

// isSpace is JavaScript's whitespace. Unlike Go's it has U+FEFF and has not
// U+0085.
func isSpace(r rune) bool {
	switch r {
	case ' ', '\t', '\n', '\v', '\f', '\r', 0xA0, 0x1680, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF:
		return true
	}
	return 0x2000 <= r && r <= 0x200A
}

// trim is JavaScript's trim.
func trim(s string) string { return strings.TrimFunc(s, isSpace) }

// lower is JavaScript's toLowerCase: the full mapping, with its own rules for
// 'İ' and for a sigma that ends a word.
func lower(s string) string {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return cases.Lower(language.Und).String(s)
		}
	}
	return strings.ToLower(s)
}

// isASCIISpace is the whitespace that the HTML standard collapses.
func isASCIISpace(c byte) bool {
	return c == ' ' || '\t' <= c && c <= '\r' && c != '\v'
}

// number reads s as JavaScript's Number() does. It is not ok when the result
// is not finite, and when s is blank, which Number() reads as 0 but the format
// does not (format.md §2).
func number(s string) (n float64, ok bool) {
	s = trim(s)
	if n, ok := radixNumber(s); ok {
		return n, true
	}
	if !isDecimal(s) {
		return 0, false
	}
	n, err := strconv.ParseFloat(s, 64)
	return n + 0, err == nil
}

// isDecimal reports whether s is a decimal literal: a sign, digits with at
// most one point, an exponent. ParseFloat takes more: "1_0", "inf", "0x1p4".
func isDecimal(s string) bool {
	s = withoutSign(s)
	mantissa, exponent, hasExponent := s, "", false
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		mantissa, exponent, hasExponent = s[:i], withoutSign(s[i+1:]), true
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	return whole+fraction != "" && isDigits(whole+fraction) &&
		(!hasExponent || exponent != "" && isDigits(exponent))
}

func withoutSign(s string) string {
	if s != "" && (s[0] == '+' || s[0] == '-') {
		return s[1:]
	}
	return s
}

func isDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// radixNumber reads 0x, 0o and 0b literals, which have no sign.
func radixNumber(s string) (n float64, ok bool) {
	if len(s) < 3 || s[0] != '0' {
		return 0, false
	}
	base := 0
	switch s[1] | 0x20 {
	case 'x':
		base = 16
	case 'o':
		base = 8
	case 'b':
		base = 2
	}
	if base == 0 || s[2] == '+' || s[2] == '-' {
		return 0, false
	}
	if u, err := strconv.ParseUint(s[2:], base, 53); err == nil {
		return float64(u), true
	}
	whole, ok := new(big.Int).SetString(s[2:], base)
	if !ok {
		return 0, false
	}
	n, _ = new(big.Float).SetInt(whole).Float64()
	return n, !math.IsInf(n, 0)
}
