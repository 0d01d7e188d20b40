package classifier

import (
	"math"
	"strings"
	"time"
)

// statedWait is the longest wait that the response states in so many words:
// Retry-After in either form, or a vendor's milliseconds. The milliseconds
// say the same thing more finely; they never shorten Retry-After.
func statedWait(h *heard) (wait time.Duration, said bool) {
	for _, line := range h.retryAfter {
		if d, ok := h.after(line); ok {
			wait, said = max(wait, d), true
		}
	}
	for _, lines := range h.millis {
		for _, line := range lines {
			if d, ok := millis(line); ok {
				wait, said = max(wait, d), true
			}
		}
	}
	for _, line := range h.pushback {
		if d, ok := millis(line); ok {
			wait, said = max(wait, d), true
		}
	}
	return wait, said
}

// after reads one Retry-After line: seconds, or a date in any of the
// three forms (RFC 9110 sections 10.2.3 and 5.6.7). Several values in a line
// are against the grammar; the longest that is a number counts, and a date is
// never cut at its comma.
//
// A number counts at any length: it is read in one pass, and to ignore the wait
// of a server that asks for the longest of all would be to send at once.
func (h *heard) after(line string) (time.Duration, bool) {
	s := trimOWS(line)
	if n, ok := number(s); ok {
		return seconds(n), true
	}
	if len(line) > maxField {
		return 0, false
	}
	if len(s) > 0 && s[0] > '9' { // a weekday
		clock := h.clock()
		if at, ok := parseDate(s, clock.now); ok {
			return clock.until(at)
		}
	}
	var most int64
	found := false
	for part := range strings.SplitSeq(s, ",") {
		if n, ok := number(trimOWS(part)); ok {
			most, found = max(most, n), true
		}
	}
	return seconds(most), found
}

// millis reads milliseconds, a fraction rounded up to a whole one, at any
// length as in after.
func millis(line string) (time.Duration, bool) {
	n, ok := number(trimOWS(line))
	if n > int64(math.MaxInt64/time.Millisecond) {
		return math.MaxInt64, ok
	}
	return time.Duration(n) * time.Millisecond, ok
}

// badPushback: gRPC's pushback asks for no retry at all by a value that is no
// number, or a negative one (gRPC proposal A6).
func badPushback(lines []string) bool {
	for _, line := range lines {
		if _, ok := millis(line); !ok {
			return true
		}
	}
	return false
}

// number reads digits, the sum saturated, and rounds a decimal fraction up: a
// wait is never shortened. No sign, no exponent, no other base.
func number(s string) (n int64, ok bool) {
	i := 0
	for ; i < len(s) && '0' <= s[i] && s[i] <= '9'; i++ {
		n = addDigit(n, s[i])
	}
	if i == 0 || i == len(s) {
		return n, i > 0
	}
	if s[i] != '.' || i+1 == len(s) {
		return 0, false
	}
	some := false
	for _, c := range []byte(s[i+1:]) {
		if c < '0' || c > '9' {
			return 0, false
		}
		some = some || c != '0'
	}
	if some && n < math.MaxInt64 {
		n++
	}
	return n, true
}

// addDigit is n*10 + the digit, at most MaxInt64.
func addDigit(n int64, digit byte) int64 {
	d := int64(digit - '0')
	if n > (math.MaxInt64-d)/10 {
		return math.MaxInt64
	}
	return n*10 + d
}

// trimOWS trims spaces and tabs (RFC 9110 section 5.6.3).
func trimOWS(s string) string { return strings.Trim(s, " \t") }
