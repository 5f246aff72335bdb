package same

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// plain maps characters that are typed in several ways, and letters that
// decomposition does not touch, to what stands for them in ASCII.
var plain = strings.NewReplacer(
	"‘", "'", "’", "'", "ʼ", "'", "′", "'", "“", `"`, "”", `"`, "„", `"`, "«", `"`, "»", `"`,
	"‐", "-", "‑", "-", "‒", "-", "–", "-", "—", "-", "−", "-", "…", "...", "×", "x",
	"½", " 1/2", "¼", " 1/4", "¾", " 3/4", "≥", " >= ", "≤", " <= ", "µ", "u", "μ", "u",
	"ß", "ss", "ø", "o", "Ø", "O", "ł", "l", "Ł", "L", "đ", "d", "Đ", "D", "æ", "ae", "Æ", "AE",
	"œ", "oe", "Œ", "OE", "ı", "i", "º", "°",
	"\u00ad", "", "\u200b", "", "\u200c", "", "\u200d", "", "\u2060", "", "\ufeff", "",
)

// fold returns s without the differences of typing: quotes, dashes, invisible
// characters and the diacritics of Latin letters. Case stays.
func fold(s string) string {
	if isASCII(s) {
		return s
	}
	return withoutMarks(norm.NFD.String(plain.Replace(strings.ToValidUTF8(s, "\ufffd"))))
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// withoutMarks drops combining marks after Latin letters only: elsewhere they
// make another letter.
func withoutMarks(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	latin := false
	for _, r := range s {
		if unicode.Is(unicode.Mn, r) {
			if latin {
				continue
			}
		} else {
			latin = unicode.Is(unicode.Latin, r)
		}
		b.WriteRune(r)
	}
	return b.String()
}
