package explain

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Escape makes text safe to print: what is not printable, and what a terminal
// could take as a command, is written as Go writes it in a string. More than
// most bytes of text are cut, and the cut is marked. most of 0 or less cuts
// nothing.
func Escape(text []byte, most int) string {
	cut := most > 0 && len(text) > most
	if cut {
		for most > 0 && !utf8.RuneStart(text[most]) {
			most--
		}
		text = text[:most]
	}
	var b strings.Builder
	b.Grow(len(text) + 3)
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		switch {
		case r == utf8.RuneError && n == 1:
			b.WriteString(`\x`)
			b.WriteByte(hexDigits[text[0]>>4])
			b.WriteByte(hexDigits[text[0]&15])
		case r < utf8.RuneSelf && r >= ' ' && r != 0x7f, r >= utf8.RuneSelf && unicode.IsPrint(r):
			b.Write(text[:n])
		default:
			q := strconv.QuoteRuneToASCII(r)
			b.WriteString(q[1 : len(q)-1])
		}
		text = text[n:]
	}
	if cut {
		b.WriteString("...")
	}
	return b.String()
}

const hexDigits = "0123456789abcdef"
