package memory

// ValidDate reports whether s is a date of the format: "YYYY-MM-DD" or
// "YYYY-MM-DDThh:mm:ssZ", a real calendar date of year 0100 or later, second
// 60 allowed. Such dates compare as strings.
func ValidDate(s string) bool {
	switch {
	case len(s) == len("2006-01-02"):
		return validDay(s)
	case len(s) == len("2006-01-02T15:04:05Z"):
		return s[10] == 'T' && s[19] == 'Z' && validDay(s[:10]) && validClock(s[11:19])
	}
	return false
}

func validDay(s string) bool {
	year, month, day := digits(s[:4]), digits(s[5:7]), digits(s[8:])
	return s[4] == '-' && s[7] == '-' && year >= 100 && 1 <= month && month <= 12 &&
		1 <= day && day <= daysIn(year, month)
}

func validClock(s string) bool {
	hour, minute, second := digits(s[:2]), digits(s[3:5]), digits(s[6:])
	return s[2] == ':' && s[5] == ':' && 0 <= hour && hour <= 23 &&
		0 <= minute && minute <= 59 && 0 <= second && second <= 60
}

// digits returns the number s writes in ASCII digits alone, or -1.
func digits(s string) int {
	n := 0
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return -1
		}
		n = 10*n + int(s[i]-'0')
	}
	return n
}

func daysIn(year, month int) int {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}
