package explain

import (
	"bytes"
	"strconv"
	"time"
)

// timeOf is the time that the first line of a record begins with or has in a
// field, zero where there is none. A time without a zone is taken as UTC.
func timeOf(text []byte, now time.Time) time.Time {
	line := text[:min(len(text), 256)]
	if i := bytes.IndexByte(line, '\n'); i >= 0 {
		line = line[:i]
	}
	for _, key := range timeKeys {
		if i := bytes.Index(line, []byte(key)); i >= 0 {
			if t := timeValue(bytes.TrimLeft(line[i+len(key):], " \":="), now); !t.IsZero() {
				return t
			}
		}
	}
	for i := 0; i < min(len(line), 120); i++ {
		if i > 0 && isWord(line[i-1]) {
			continue
		}
		if t := timeAt(line[i:], now); !t.IsZero() {
			return t
		}
	}
	return time.Time{}
}

// timeKeys are the fields of structured logs: slog, logrus, pino, zap,
// Serilog, Logback, Docker.
var timeKeys = [...]string{"\"time\"", "\"ts\"", "\"timestamp\"", "\"@timestamp\"", "\"@t\"", "time=", "ts=", "\"Timestamp\""}

// timeValue reads the value of a field: a time, or seconds, milliseconds or
// nanoseconds since 1970.
func timeValue(b []byte, now time.Time) time.Time {
	if t := timeAt(b, now); !t.IsZero() {
		return t
	}
	end := 0
	for end < len(b) && end < 30 && (b[end] >= '0' && b[end] <= '9' || b[end] == '.' || b[end] == 'e' || b[end] == '+') {
		end++
	}
	f, err := strconv.ParseFloat(string(b[:end]), 64)
	switch {
	case err != nil || f < 1e8 || f > 1e19:
		return time.Time{}
	case f > 1e17:
		return time.Unix(0, int64(f)).UTC()
	case f > 1e11:
		return time.UnixMilli(int64(f)).UTC()
	}
	return time.UnixMilli(int64(f * 1000)).UTC()
}

// timeAt reads a time that b begins with.
func timeAt(b []byte, now time.Time) time.Time {
	switch {
	case len(b) >= 19 && digits(b[:4]) && (b[4] == '-' || b[4] == '/') && digits(b[5:7]) && b[7] == b[4]:
		return dateTime(b)
	case len(b) >= 15 && b[3] == ' ' && b[6] == ' ' && b[9] == ':': // Jan _2 15:04:05
		if t, err := time.Parse(time.Stamp, string(b[:15])); err == nil {
			return withYear(t, now)
		}
	case len(b) >= 20 && b[2] == '/' && b[6] == '/' && b[11] == ':': // 02/Jan/2006:15:04:05
		if t, err := time.Parse("02/Jan/2006:15:04:05", string(b[:20])); err == nil {
			return t
		}
	case len(b) >= 18 && b[2] == '-' && b[5] == ' ' && b[8] == ':' && digits(b[:2]): // 01-02 15:04:05.000
		if t, err := time.Parse("01-02 15:04:05.000", string(b[:18])); err == nil {
			return withYear(t, now)
		}
	}
	return time.Time{}
}

// dateTime reads year, month, day, hour, minute, second, with a fraction and a
// zone where there are.
func dateTime(b []byte) time.Time {
	if b[10] != ' ' && b[10] != 'T' || b[13] != ':' || b[16] != ':' || !digits(b[11:13]) || !digits(b[14:16]) || !digits(b[17:19]) || !digits(b[8:10]) {
		return time.Time{}
	}
	num := func(from, to int) int { n, _, _ := number(b[:to], from); return n }
	nanos, end := 0, 19
	if end < len(b) && (b[end] == '.' || b[end] == ',') {
		scale := 100_000_000
		for end++; end < len(b) && b[end] >= '0' && b[end] <= '9'; end++ {
			nanos += int(b[end]-'0') * scale
			scale /= 10
		}
	}
	t := time.Date(num(0, 4), time.Month(num(5, 7)), num(8, 10), num(11, 13), num(14, 16), num(17, 19), nanos, time.UTC)
	return t.Add(-zone(b[end:]))
}

// zone reads an offset such as +02:00 or -0700, 0 for any other.
func zone(b []byte) time.Duration {
	if len(b) < 5 || b[0] != '+' && b[0] != '-' || !digits(b[1:3]) {
		return 0
	}
	minutes := b[3:5]
	if b[3] == ':' {
		if len(b) < 6 {
			return 0
		}
		minutes = b[4:6]
	}
	if !digits(minutes) {
		return 0
	}
	h, _, _ := number(b[:3], 1)
	m, _, _ := number(minutes, 0)
	d := time.Duration(h)*time.Hour + time.Duration(m)*time.Minute
	if b[0] == '-' {
		return -d
	}
	return d
}

// withYear gives a time without a year the latest one that is not after now.
func withYear(t, now time.Time) time.Time {
	if now.IsZero() {
		return t
	}
	dated := t.AddDate(now.Year()-t.Year(), 0, 0)
	if dated.After(now.Add(24 * time.Hour)) {
		dated = dated.AddDate(-1, 0, 0)
	}
	return dated
}

func digits(b []byte) bool {
	for _, c := range b {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}
