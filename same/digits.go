package same

import (
	"strconv"
	"strings"
)

// numeral is a number as it is written in one piece or several words.
type numeral struct {
	value float64
	// rest is what stands behind the digits in the same piece.
	rest string
	// money is the currency sign before the digits.
	money unit
	// text is the digits as written, empty for words.
	text string
	// name: the digits are a version, an address or padded, not an amount.
	name bool
	// paid: money is set. fraction: it was written with a bar or as a part.
	paid, fraction bool
}

// digits reads a piece that begins with a sign, a currency or a digit.
func digits(s string) (numeral, bool) {
	s = strings.TrimPrefix(s, "~")
	sign := 1.0
	if strings.HasPrefix(s, "-") || strings.HasPrefix(s, "+") {
		if s[0] == '-' {
			sign = -1
		}
		s = s[1:]
	}
	var n numeral
	for _, mark := range []string{"$", "€", "£", "¥"} {
		if strings.HasPrefix(s, mark) {
			n.money, n.paid, s = units()[mark], true, s[len(mark):]
		}
	}
	end := 0
	for end < len(s) && (isDigit(s[end]) || s[end] == '.' || s[end] == ',') {
		end++
	}
	n.text, n.rest = strings.TrimRight(s[:end], ".,"), s[end:]
	if n.text == "" || !hasDigit(n.text) {
		return n, false
	}
	n.parse()
	n.value *= sign
	return n, true
}

// parse reads the digits, thousands separators and one decimal point.
func (n *numeral) parse() {
	text := n.text
	if strings.Contains(text, ",") {
		if !grouped(text) {
			n.name = true
			return
		}
		text = strings.ReplaceAll(text, ",", "")
	}
	if den, ok := strings.CutPrefix(n.rest, "/"); ok && !strings.Contains(text, ".") {
		n.over(text, den)
		return
	}
	v, err := strconv.ParseFloat(text, 64)
	padded := len(text) > 1 && text[0] == '0' && text[1] != '.'
	n.value, n.name = v, err != nil || padded
	n.text = text
}

// over reads a fraction; what is not one names something, as 24/7 does.
func (n *numeral) over(num, den string) {
	a, errA := strconv.ParseFloat(num, 64)
	b, errB := strconv.ParseFloat(den, 64)
	if errA != nil || errB != nil || b <= a || b > 100 {
		n.name = true
		return
	}
	n.value, n.rest, n.fraction = a/b, "", true
}

// grouped reports digits in groups of three behind commas.
func grouped(s string) bool {
	whole, _, _ := strings.Cut(s, ".")
	parts := strings.Split(whole, ",")
	for i, part := range parts {
		if i > 0 && len(part) != 3 || i == 0 && (part == "" || len(part) > 3) {
			return false
		}
	}
	return true
}

// isMeasure reports digits with a unit right behind them.
func isMeasure(s string) bool {
	n, ok := digits(s)
	return ok && isUnit(n.rest)
}

// isDate reports a date in digits.
func isDate(s string) bool {
	_, ok := dateOf(s)
	return ok
}

// dateOf reads 2024-11-07 and, where only one reading is possible, 31/12/2024
// and 12/31/2024.
func dateOf(s string) (float64, bool) {
	for _, sep := range []string{"-", "/", "."} {
		f := strings.Split(s, sep)
		if sep == "-" && len(f) == 2 && len(f[0]) == 4 && len(f[1]) == 2 {
			f = append(f, "00")
		}
		if len(f) != 3 {
			continue
		}
		a, errA := strconv.Atoi(f[0])
		b, errB := strconv.Atoi(f[1])
		c, errC := strconv.Atoi(f[2])
		switch {
		case errA != nil || errB != nil || errC != nil || a < 0 || b < 0 || c < 0:
			return 0, false
		case len(f[0]) == 4 && sep != ".":
			return ymd(a, b, c)
		case len(f[2]) != 4:
			return 0, false
		case b > 12:
			return ymd(c, a, b)
		case a > 12 || a == b || sep == ".":
			return ymd(c, b, a)
		}
	}
	return 0, false
}

func ymd(y, m, d int) (float64, bool) {
	if m < 1 || m > 12 || d < 0 || d > 31 {
		return 0, false
	}
	return float64(y*10000 + m*100 + d), true
}
