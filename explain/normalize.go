package explain

import (
	"bytes"
	"unicode/utf8"
)

// normalize appends text to dst as the literals expect it: escapes undone
// (JSON, Go, HTML), terminal sequences and NULs gone, typographic quotes plain,
// every run of white space one blank.
func normalize(dst, text []byte) []byte {
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == '\\':
			dst, i = unescape(dst, text, i)
		case c == '&':
			dst, i = entity(dst, text, i)
		case c == 0x1b:
			i = skipSequence(text, i)
		case c == 0:
			i++
		case c <= ' ' || c == 0x7f:
			dst = blank(dst)
			i++
		case c < utf8.RuneSelf:
			dst = append(dst, c)
			i++
		default:
			r, n := utf8.DecodeRune(text[i:])
			dst = appendPlain(dst, r, text[i:i+n])
			i += n
		}
	}
	return dst
}

// blank appends a blank, unless there is one.
func blank(dst []byte) []byte {
	if len(dst) == 0 || dst[len(dst)-1] == ' ' {
		return dst
	}
	return append(dst, ' ')
}

// unescape reads a run of backslashes and what it escapes. Text that was
// escaped twice has more of them; one is as good as three.
func unescape(dst, text []byte, i int) ([]byte, int) {
	for i < len(text) && text[i] == '\\' {
		i++
	}
	if i == len(text) {
		return append(dst, '\\'), i
	}
	switch c := text[i]; c {
	case 'n', 'r', 't':
		return blank(dst), i + 1
	case '"', '\'', '/', '`':
		return append(dst, c), i + 1
	case 'u':
		if r, ok := hex4(text[i+1:]); ok {
			if r <= ' ' {
				return blank(dst), i + 5
			}
			return appendPlain(dst, r, nil), i + 5
		}
	}
	return append(dst, '\\'), i
}

// hex4 reads four hexadecimal digits.
func hex4(b []byte) (rune, bool) {
	if len(b) < 4 {
		return 0, false
	}
	var r rune
	for _, c := range b[:4] {
		switch {
		case c >= '0' && c <= '9':
			r = r<<4 | rune(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return r, true
}

// entities are the character references that pages and bug trackers leave.
var entities = [...]struct {
	name string
	is   byte
}{
	{"&quot;", '"'}, {"&#34;", '"'}, {"&#39;", '\''}, {"&#039;", '\''}, {"&#x27;", '\''}, {"&apos;", '\''},
	{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&#47;", '/'}, {"&nbsp;", ' '},
}

func entity(dst, text []byte, i int) ([]byte, int) {
	for _, e := range entities {
		if bytes.HasPrefix(text[i:], []byte(e.name)) {
			if e.is == ' ' {
				return blank(dst), i + len(e.name)
			}
			return append(dst, e.is), i + len(e.name)
		}
	}
	return append(dst, '&'), i + 1
}

// maxSequence bounds a terminal sequence that never ends.
const maxSequence = 256

// skipSequence is the place after a terminal's control sequence (ECMA-48
// section 5.4), or after the escape alone where none follows.
func skipSequence(text []byte, i int) int {
	i++
	if i >= len(text) {
		return i
	}
	end := min(len(text), i+maxSequence)
	switch text[i] {
	case '[':
		for j := i + 1; j < end; j++ {
			if text[j] >= 0x40 && text[j] <= 0x7e {
				return j + 1
			}
		}
	case ']', 'P', '_', '^':
		for j := i + 1; j < end; j++ {
			if text[j] == 0x07 {
				return j + 1
			}
			if text[j] == 0x1b && j+1 < end && text[j+1] == '\\' {
				return j + 2
			}
		}
	}
	return i
}

// appendPlain appends a rune with its typographic forms made plain. raw is
// its bytes, nil where it was an escape.
func appendPlain(dst []byte, r rune, raw []byte) []byte {
	switch r {
	case '‘', '’', '‚', '′', '´':
		return append(dst, '\'')
	case '“', '”', '„', '″', '«', '»':
		return append(dst, '"')
	case '–', '—', '‐', '‑':
		return append(dst, '-')
	case '\u00a0', '\u2007', '\u202f', '\u3000', '\u2028', '\u2029':
		return blank(dst)
	case '\u200b', '\u200c', '\u200d', '\ufeff', '\u00ad', 0:
		return dst
	case '…':
		return append(dst, "..."...)
	case utf8.RuneError:
		return append(dst, '?')
	}
	if raw != nil {
		return append(dst, raw...)
	}
	return utf8.AppendRune(dst, r)
}

// lower appends text with its ASCII letters in lower case.
func lower(dst, text []byte) []byte {
	for _, c := range text {
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		dst = append(dst, c)
	}
	return dst
}
