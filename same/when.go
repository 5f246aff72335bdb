package same

import (
	"strconv"
	"strings"
)

// calendar reads a date at piece i: digits, or a month with a day or a year.
func (r *reader) calendar(i int) (quantity, int) {
	if v, ok := dateOf(r.text(i)); ok {
		return quantity{dim: date, value: v}, 1
	}
	if d, n := r.dayOfMonth(i); n > 0 {
		j := i + n
		if r.text(j) == "of" {
			j++
		}
		if m := months()[r.text(j)]; m > 0 {
			return r.withYear(m, d, j+1, i)
		}
		return quantity{}, 0
	}
	m := months()[r.text(i)]
	if m == 0 {
		return quantity{}, 0
	}
	j := i + 1
	if r.text(j) == "the" {
		j++
	}
	if d, n := r.dayOfMonth(j); n > 0 {
		return r.withYear(m, d, j+n, i)
	}
	if y := r.year(i + 1); y > 0 {
		return quantity{dim: date, value: float64(y*10000 + m*100)}, 2
	}
	return quantity{}, 0
}

// withYear adds the year that may stand at j; i is where the date began.
func (r *reader) withYear(m, d, j, i int) (quantity, int) {
	y := r.year(j)
	if y > 0 {
		j++
	}
	v, _ := ymd(y, m, d)
	return quantity{dim: date, value: v}, j - i
}

func (r *reader) year(i int) int {
	s := r.text(i)
	if len(s) != 4 {
		return 0
	}
	if y, err := strconv.Atoi(s); err == nil && y >= 1000 {
		return y
	}
	return 0
}

// dayOfMonth reads 1 to 31 with or without an ordinal ending.
func (r *reader) dayOfMonth(i int) (day, n int) {
	s := r.text(i)
	if v := ordinals()[s]; v > 0 {
		return int(v), 1
	}
	if s == "" || !isDigit(s[0]) {
		return 0, 0
	}
	s = strings.TrimRight(s, "stndrh")
	if d, err := strconv.Atoi(s); err == nil && d >= 1 && d <= 31 && len(s) <= 2 {
		return d, 1
	}
	return 0, 0
}

// daytime reads a time of day at piece i.
func (r *reader) daytime(i int) (quantity, int) {
	switch r.text(i) {
	case "noon", "midday":
		return r.zone(quantity{dim: clock, value: 720}, i, 1)
	case "midnight":
		return r.zone(quantity{dim: clock, value: 0}, i, 1)
	}
	if q, n := r.pastOrTo(i); n > 0 {
		return r.partOfDay(q, i, n)
	}
	minutes, rest, colon, ok := clockDigits(r.text(i))
	if !ok {
		return r.oClock(i)
	}
	q := quantity{dim: clock, value: minutes}
	if rest == "am" || rest == "pm" {
		return r.zone(q.at(rest), i, 1)
	}
	if !colon {
		return r.oClock(i)
	}
	return r.partOfDay(q, i, 1)
}

// clockDigits reads 9:30, 6.15am and 5pm; colon reports that no am or pm is
// needed to know it for a time.
func clockDigits(s string) (minutes float64, rest string, colon, ok bool) {
	end := strings.IndexFunc(s, func(c rune) bool { return c < '0' || c > '9' })
	if end < 1 || end > 2 {
		return 0, "", false, false
	}
	h, _ := strconv.Atoi(s[:end])
	m, rest := 0, s[end:]
	if (rest[0] == ':' || rest[0] == '.') && len(rest) >= 3 && isDigit(rest[1]) && isDigit(rest[2]) {
		colon = rest[0] == ':'
		m, _ = strconv.Atoi(rest[1:3])
		rest = rest[3:]
	}
	if h > 24 || m > 59 || rest != "" && rest != "am" && rest != "pm" && !(colon && rest == ":00") {
		return 0, "", false, false
	}
	return float64(h*60+m) - 1440*float64(h/24), rest, colon, true
}

// isClock reports a time in one piece, "9am".
func isClock(s string) bool {
	_, rest, colon, ok := clockDigits(strings.ToLower(s))
	return ok && (colon || rest != "")
}

// at settles which half of the day a time is in.
func (q quantity) at(half string) quantity {
	q.half = false
	switch {
	case half == "pm" && q.value < 720:
		q.value += 720
	case half == "am" && q.value >= 720 && q.value < 780:
		q.value -= 720
	}
	return q
}

// oClock reads "five o'clock", "5 pm" and "6.15 am".
func (r *reader) oClock(i int) (quantity, int) {
	m, ok := r.hours(i)
	next := r.text(i + 1)
	if !ok || next != "am" && next != "pm" && next != "oclock" {
		return quantity{}, 0
	}
	q := quantity{dim: clock, value: m, half: true}
	if next == "oclock" {
		return r.partOfDay(q, i, 2)
	}
	return r.zone(q.at(next), i, 2)
}

// hours reads "five", "5" or "6.15", which is a quarter past six, in minutes.
func (r *reader) hours(i int) (float64, bool) {
	if h, ok := numerals()[r.text(i)]; ok {
		return h * 60, h <= 12
	}
	whole, part, _ := strings.Cut(r.text(i), ".")
	h, err := strconv.Atoi(whole)
	m := 0
	if err == nil && part != "" {
		m, err = strconv.Atoi(part)
	}
	return float64(h*60 + m), err == nil && 0 <= h && h <= 12 && 0 <= m && m < 60
}

// pastOrTo reads "half past nine" and "quarter to twelve".
func (r *reader) pastOrTo(i int) (quantity, int) {
	m, ok := numerals()[r.text(i)]
	switch r.text(i) {
	case "half":
		m, ok = 30, true
	case "quarter":
		m, ok = 15, true
	}
	if next := r.text(i + 1); !ok || next != "past" && next != "to" {
		return quantity{}, 0
	}
	h, ok := r.hours(i + 2)
	if !ok || h < 60 || int(h)%60 != 0 {
		return quantity{}, 0
	}
	if r.text(i+1) == "to" {
		if r.text(i) != "quarter" && (i == 0 || r.text(i-1) != "at") {
			return quantity{}, 0
		}
		m = -m
	}
	return quantity{dim: clock, value: h + m, half: true}, 3
}

// partOfDay takes the am, the zone or "in the morning" behind a time.
func (r *reader) partOfDay(q quantity, i, n int) (quantity, int) {
	switch r.text(i + n) {
	case "am", "pm":
		return r.zone(q.at(r.text(i+n)), i, n+1)
	case "in":
		if half := halves[r.text(i+n+2)]; half != "" && r.text(i+n+1) == "the" {
			return r.zone(q.at(half), i, n+3)
		}
	case "at":
		if r.text(i+n+1) == "night" && q.value >= 360 {
			return r.zone(q.at("pm"), i, n+2)
		}
	}
	return r.zone(q, i, n)
}

// weekdayOf is the day of the week of a date with a year, by Sakamoto's method,
// empty for one without.
func weekdayOf(ymd int) string {
	y, m, d := ymd/10000, ymd/100%100, ymd%100
	if y == 0 || m == 0 || d == 0 {
		return ""
	}
	if m < 3 {
		y--
	}
	shift := [...]int{0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4}[m-1]
	return [...]string{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"}[(y+y/4-y/100+y/400+shift+d)%7]
}

// isWhen reports a weekday or a month.
func isWhen(w string) bool {
	w = strings.ToLower(w)
	return isWeekday(w) || months()[w] > 0
}

var halves = map[string]string{"morning": "am", "afternoon": "pm", "evening": "pm"}

// zone moves a time to UTC when a zone is named behind it.
func (r *reader) zone(q quantity, i, n int) (quantity, int) {
	if i+n >= len(r.pieces) {
		return q, n
	}
	p := &r.pieces[i+n]
	offset, ok := zones[p.text]
	if !ok || p.cased != strings.ToUpper(p.cased) || p.clause {
		return q, n
	}
	q.zoned = true
	q.value -= float64(offset)
	if q.value < 0 {
		q.value += 1440
	} else if q.value >= 1440 {
		q.value -= 1440
	}
	return q, n + 1
}
