package explain

import (
	"bytes"
	"strings"
)

// readBeside reads what stands beside the literal norm[at:stop]: a status, an
// attempt's number, one more than the place in h2Names, or one more than a
// number of milliseconds. 0 where there is no such thing.
func readBeside(norm []byte, what Reading, at, stop int) int {
	switch what {
	case statusAfter, proxyAfter:
		return statusIn3(norm, skip(norm, stop, " :=\"'([`#{-", 4))
	case statusAlone:
		return statusAloneIn(norm, skip(norm, stop, " :=\"'([`#{-", 4))
	case statusBefore:
		return statusBehind(norm, at)
	case statusIn:
		return statusIn3(norm, at)
	case statusTimed:
		return statusTimedIn(norm, stop)
	case h2After:
		return h2Name(norm, skip(norm, stop, " :=\"'(.`<", 4))
	case cutName:
		return brokenName(norm[stop:])
	case handshakeLine:
		if n, _, ok := number(norm, stop); ok && n < handshakeLines {
			return n
		}
	case countAfter:
		if n, _, ok := number(norm, skip(norm, stop, " :=\"'(#,", 4)); ok && n >= 2 {
			return n
		}
	case countBefore:
		return countBehind(norm, at)
	case timeAfter:
		return duration(norm, stop, 1000)
	case millisAfter:
		return duration(norm, stop, 1)
	case errorNumber:
		return boolean(calledError(norm, at, stop))
	case lookedUp:
		return boolean(looksUp(norm, at, stop))
	case happened:
		return boolean(!isSetting(norm, at, stop))
	}
	return 0
}

// handshakeLines: in every CPython from 2.7 to 3.13 do_handshake ends before
// this line of _ssl.c, and read and write begin after it.
const handshakeLines = 1400

// skip is the place after at most most bytes of those in set.
func skip(norm []byte, at int, set string, most int) int {
	for n := 0; n < most && at < len(norm) && strings.IndexByte(set, norm[at]) >= 0; n++ {
		at++
	}
	return at
}

// number reads digits, up to nine of them.
func number(norm []byte, at int) (n, end int, ok bool) {
	end = at
	for end < len(norm) && end-at < 9 && norm[end] >= '0' && norm[end] <= '9' {
		n = n*10 + int(norm[end]-'0')
		end++
	}
	return n, end, end > at
}

// statusIn3 reads a status of three digits that stands alone and says that something is wrong.
func statusIn3(norm []byte, at int) int {
	n, end, ok := number(norm, at)
	if !ok || end-at != 3 || n < 400 || n > 599 || end < len(norm) && isWord(norm[end]) {
		return 0
	}
	return n
}

// statusTimedIn reads a status that follows three times in a row, of which
// some are -1, within the next few fields.
func statusTimedIn(norm []byte, at int) int {
	fields := bytes.Fields(norm[at:min(len(norm), at+closely)])
	times := 0
	for _, f := range fields {
		switch _, end, ok := number(f, 0); {
		case times == 3 && ok && end == len(f):
			return statusIn3(f, 0)
		case string(f) == "-1" || ok && end < len(f) && f[end] == '.' && bytes.IndexByte(f[end+1:], '.') < 0 && bytes.IndexByte(f, ':') < 0:
			times++
		default:
			times = 0
		}
	}
	return 0
}

// statusAloneIn reads a status that ends a sentence or a member.
func statusAloneIn(norm []byte, at int) int {
	if end := at + 3; end >= len(norm) || strings.IndexByte(".,;)]}'\"", norm[end]) >= 0 && (end+1 == len(norm) || !isWord(norm[end+1])) {
		return statusIn3(norm, at)
	}
	return 0
}

// statusBehind reads a status that ends before at, but for a few marks.
func statusBehind(norm []byte, at int) int {
	for n := 0; n < 3 && at > 0 && strings.IndexByte(" :\"'(-,", norm[at-1]) >= 0; n++ {
		at--
	}
	if at < 3 || at > 3 && isWord(norm[at-4]) {
		return 0
	}
	return statusIn3(norm[:at], at-3)
}

// countBehind reads a number of two or more that ends before at, and a blank.
func countBehind(norm []byte, at int) int {
	if at > 0 && norm[at-1] == ' ' {
		at--
	}
	from := at
	for from > 0 && at-from < 4 && norm[from-1] >= '0' && norm[from-1] <= '9' {
		from--
	}
	if n, _, ok := number(norm[:at], from); ok && n >= 2 {
		return n
	}
	return 0
}

// h2Names are the error codes of HTTP/2 by number (RFC 9113 section 7).
var h2Names = [...]string{
	"NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED",
	"FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM",
	"INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
}

// h2Name reads the name of an error code, with or without NGHTTP2_ or h2 style
// prefixes, or its number.
func h2Name(norm []byte, at int) int {
	if _, end, ok := number(norm, at); ok && bytes.HasPrefix(norm[end:], []byte("; ")) {
		at = end + 2 // "stream ID 5; INTERNAL_ERROR"
	}
	rest := norm[min(at, len(norm)):]
	for _, prefix := range [...]string{"ErrorCodes.", "Http2ErrorCode.", "NGHTTP2_", "HTTP2_ERROR_", "0x"} {
		rest = bytes.TrimPrefix(rest, []byte(prefix))
	}
	word := rest
	for i, c := range rest {
		if !isWord(c) {
			word = rest[:i]
			break
		}
	}
	for i, name := range h2Names {
		if strings.EqualFold(string(word), name) {
			return i + 1
		}
	}
	if n, end, ok := number(rest, 0); ok && end == len(word) && n < len(h2Names) {
		return n + 1
	}
	return 0
}

// brokenName tells whether rest begins with a quoted word that can be the
// beginning of a field name: the line broke off in it.
func brokenName(rest []byte) int {
	end := bytes.IndexByte(rest, '"')
	if end <= 0 {
		return 0
	}
	for _, c := range rest[:end] {
		if !isWord(c) && c != '-' {
			return 0
		}
	}
	return 1
}

// units are the units of time, the longer names first.
var units = [...]struct {
	name   string
	millis float64
}{
	{"milliseconds", 1}, {"millis", 1}, {"msec", 1}, {"ms", 1},
	{"seconds", 1e3}, {"second", 1e3}, {"secs", 1e3}, {"sec", 1e3},
	{"minutes", 6e4}, {"minute", 6e4}, {"mins", 6e4}, {"min", 6e4},
	{"hours", 36e5}, {"hour", 36e5}, {"s", 1e3}, {"m", 6e4}, {"h", 36e5},
}

// duration reads a time such as 20, 1.5s, 2 minutes or 1m30s; unit is the
// milliseconds of a number without one. One more than the milliseconds, 0
// where there is no number, and no more than a day.
func duration(norm []byte, at int, unit float64) int {
	const day = 864e5
	at = skip(norm, at, " :=\"'(>", 4)
	total, found := 0.0, false
	for {
		n, end, ok := decimal(norm, at)
		if !ok {
			break
		}
		millis, next := unit, end
		at = skip(norm, end, " ", 1)
		named := false
		for _, u := range units {
			if hasFold(norm[at:], u.name) && (at+len(u.name) == len(norm) || !isLetter(norm[at+len(u.name)])) {
				millis, next, named = u.millis, at+len(u.name), true
				break
			}
		}
		if found && !named {
			break
		}
		total, found, at = total+n*millis, true, next
		if !named {
			break
		}
	}
	if !found {
		return 0
	}
	return int(min(total, day)) + 1
}

// decimal reads a number with an optional fraction.
func decimal(norm []byte, at int) (f float64, end int, ok bool) {
	n, end, ok := number(norm, at)
	f = float64(n)
	if ok && end+1 < len(norm) && norm[end] == '.' && norm[end+1] >= '0' && norm[end+1] <= '9' {
		scale := 0.1
		for end++; end < len(norm) && norm[end] >= '0' && norm[end] <= '9'; end++ {
			f += float64(norm[end]-'0') * scale
			scale /= 10
		}
	}
	return f, end, ok
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// hasFold tells whether b begins with the lower-case word, in any case.
func hasFold(b []byte, word string) bool {
	return len(b) >= len(word) && strings.EqualFold(string(b[:len(word)]), word)
}
