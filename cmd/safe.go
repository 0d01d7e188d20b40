package cmd

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// safe returns s without the names and passwords of URLs, and with everything
// escaped, in the notation of Go, that could move a cursor, hide or reorder
// text, or break a line: control characters, what has no width, bidirectional
// controls, bytes that are not UTF-8. Every text that came from outside passes
// through it on its way out, but for JSON, which has [safeJSON].
func safe(s string) string {
	s = maskURLs(s)
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case !hidden(r):
			b.WriteRune(r)
		case r < utf8.RuneSelf:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		i += size
	}
	return b.String()
}

// hidden reports whether r must not reach a terminal raw.
func hidden(r rune) bool {
	return !unicode.IsPrint(r) || unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// safeJSON does the same for a JSON text, where such characters stand only
// inside strings: encoding/json leaves those above U+007E raw.
func safeJSON(text string) string {
	var b strings.Builder
	for _, r := range maskURLs(text) {
		switch {
		case r == '\n' || !hidden(r):
			b.WriteRune(r)
		case r > 0xffff:
			r -= 0x10000
			fmt.Fprintf(&b, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// userinfo is the name and password of a URL. It matches in a JSON text what it
// matches in the string there, and never over the end of one.
var userinfo = regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.-]*://)[^/?#\s"'<>]*@`)

// maskURLs hides the name and password of every URL in s.
func maskURLs(s string) string {
	if !strings.Contains(s, "@") {
		return s
	}
	return userinfo.ReplaceAllString(s, "${1}…@")
}

// What a message shows of others' text, in runes.
const (
	mostQuoted = 100
	mostWord   = 256 // a path or flag, which is not quoted
	mostSaid   = 1000
)

var (
	quotedText = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)
	wordText   = regexp.MustCompile(`\S+`)
)

// brief cuts the quoted texts of a safe message, its words, and at last itself:
// an argument of a hundred kilobytes need not be read again.
func brief(message string) string {
	if len(message) <= mostQuoted {
		return message
	}
	message = quotedText.ReplaceAllStringFunc(message, func(q string) string {
		return `"` + upTo(q[1:len(q)-1], mostQuoted) + `"`
	})
	message = wordText.ReplaceAllStringFunc(message, func(w string) string { return upTo(w, mostWord) })
	return upTo(message, mostSaid)
}

// upTo cuts s to so many runes, the last of which is then an ellipsis.
func upTo(s string, most int) string {
	at := 0
	for i := range s {
		if at++; at == most && utf8.RuneCountInString(s[i:]) > 1 {
			return s[:i] + "…"
		}
	}
	return s
}
