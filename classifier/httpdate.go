package classifier

import (
	"strings"
	"time"
)

// parseDate reads a HTTP-date in any of its three forms (RFC 9110 section
// 5.6.7), strictly: case-sensitive, GMT and no other zone. It returns seconds
// since 1970. now is where the 50 years are counted from that decide the
// century of a two-digit year.
//
// Not time.Parse or http.ParseTime: they take any zone's name for UTC, refuse
// a leap second, and let two-digit years end in 2068.
//
//	Sun, 06 Nov 1994 08:49:37 GMT   IMF-fixdate
//	Sunday, 06-Nov-94 08:49:37 GMT  RFC 850
//	Sun Nov  6 08:49:37 1994        asctime, in UTC
func parseDate(s string, now int64) (int64, bool) {
	day, rest, comma := strings.Cut(s, ", ")
	switch {
	case comma && isName(day, shortDays) && len(rest) == len("06 Nov 1994 08:49:37 GMT"):
		return imfDate(rest)
	case comma && isName(day, longDays) && len(rest) == len("06-Nov-94 08:49:37 GMT"):
		return rfc850Date(rest, now)
	case len(s) == len("Sun Nov  6 08:49:37 1994") && isName(s[:3], shortDays) && s[3] == ' ':
		return asctimeDate(s[4:])
	}
	return 0, false
}

const (
	shortDays = "Mon Tue Wed Thu Fri Sat Sun"
	longDays  = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday"
	months    = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec"
)

// isName tells whether s is one of the words.
func isName(s, words string) bool {
	i := strings.Index(words, s)
	end := i + len(s)
	return len(s) >= 3 && i >= 0 && (i == 0 || words[i-1] == ' ') && (end == len(words) || words[end] == ' ') &&
		strings.IndexByte(s, ' ') < 0
}

func imfDate(s string) (int64, bool) { // 06 Nov 1994 08:49:37 GMT
	year, ok := digits(s[7:11])
	if !ok || s[2] != ' ' || s[6] != ' ' || s[11] != ' ' || s[20:] != " GMT" {
		return 0, false
	}
	return moment(year, s[3:6], s[:2], s[12:20])
}

func rfc850Date(s string, now int64) (int64, bool) { // 06-Nov-94 08:49:37 GMT
	short, ok := digits(s[7:9])
	if !ok || s[2] != '-' || s[6] != '-' || s[9] != ' ' || s[18:] != " GMT" {
		return 0, false
	}
	ref := time.Unix(now, 0).UTC()
	limit := ref.AddDate(50, 0, 0).Unix()
	century := ref.Year() / 100 * 100
	for _, year := range [...]int{century + 100 + short, century + short, century - 100 + short} {
		if at, ok := moment(year, s[3:6], s[:2], s[10:18]); ok && at <= limit {
			return at, true
		}
	}
	return 0, false
}

func asctimeDate(s string) (int64, bool) { // Nov  6 08:49:37 1994
	year, ok := digits(s[16:])
	if !ok || s[3] != ' ' || s[6] != ' ' || s[15] != ' ' {
		return 0, false
	}
	day := s[4:6]
	if day[0] == ' ' {
		day = day[1:]
	}
	return moment(year, s[:3], day, s[7:15])
}

// moment puts a date together; day may have one digit, clock is 08:49:37. A
// leap second, :60, counts as :59.
func moment(year int, month, day, clock string) (int64, bool) {
	d, ok1 := digits(day)
	h, ok2 := digits(clock[:2])
	m, ok3 := digits(clock[3:5])
	s, ok4 := digits(clock[6:])
	if !ok1 || !ok2 || !ok3 || !ok4 || clock[2] != ':' || clock[5] != ':' ||
		!isName(month, months) || h > 23 || m > 59 || s > 60 {
		return 0, false
	}
	mon := time.Month(strings.Index(months, month)/len("Jan ") + 1)
	t := time.Date(year, mon, d, h, m, min(s, 59), 0, time.UTC)
	return t.Unix(), t.Day() == d && t.Month() == mon // no 30 Feb
}

// digits reads a number of nothing but digits.
func digits(s string) (int, bool) {
	n := 0
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, s != ""
}
