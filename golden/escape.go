package golden

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// lineBreak is a newline inside a cell, where Markdown has no other.
const lineBreak = "<br>"

// encodeValue writes one value of a cell so that decodeValue gives it back and
// nothing in it can be taken for the notation.
func encodeValue(v string) string {
	text := encodeText(v)
	switch {
	case text == "":
		return "-"
	case text == "*", text == "-", rangeText.MatchString(text):
		return `\` + text
	}
	// A word "or" could be taken for the one between two values.
	words := strings.Split(text, " ")
	for i, w := range words {
		if w == "or" {
			words[i] = `\or`
		}
	}
	return strings.Join(words, " ")
}

// encodeText writes text for one line of Markdown.
func encodeText(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == ' ' && (i == 0 || i == len(s)-1):
			b.WriteString(`\ `)
		case r == '\n':
			b.WriteString(lineBreak)
		case r == '\\', r == '|', r == '<':
			b.WriteByte('\\')
			b.WriteRune(r)
		default:
			writePrintable(&b, r, s[i:i+size])
		}
		i += size
	}
	return b.String()
}

// writePrintable writes r, or its escape where it must not reach a terminal
// raw. encoded is what it was decoded from.
func writePrintable(b *strings.Builder, r rune, encoded string) {
	switch {
	case r == utf8.RuneError && len(encoded) == 1: // not U+FFFD, but a byte that is not UTF-8
		fmt.Fprintf(b, `\x{%02x}`, encoded[0])
	case !unicode.IsPrint(r):
		fmt.Fprintf(b, `\u{%x}`, r)
	default:
		b.WriteRune(r)
	}
}

// decodeValue reads one value of a cell.
func decodeValue(text string) (string, error) {
	text = trimPadding(text)
	switch {
	case text == "":
		return "", errors.New("nothing beside an \"or\": an empty value is written -")
	case text == "-":
		return "", nil
	case text == "*", rangeText.MatchString(text):
		return "", fmt.Errorf("%s cannot be one of several values", quote(text))
	case slices.Contains(strings.Split(text, " "), "or"):
		return "", fmt.Errorf(`"or" without a value on both sides in %s: as a part of a value it is written \or`, quote(text))
	}
	return decodeText(text)
}

// decodeText undoes encodeText. An escape that encodeText does not write is an
// error, so that a stray backslash is found and not guessed at.
func decodeText(text string) (string, error) {
	var b strings.Builder
	for text != "" {
		if rest, ok := strings.CutPrefix(text, lineBreak); ok {
			b.WriteByte('\n')
			text = rest
			continue
		}
		if text[0] != '\\' {
			b.WriteByte(text[0])
			text = text[1:]
			continue
		}
		rest, err := decodeEscape(&b, text[1:])
		if err != nil {
			return "", err
		}
		text = rest
	}
	return b.String(), nil
}

// decodeEscape reads what follows a backslash and returns what is left.
func decodeEscape(b *strings.Builder, text string) (string, error) {
	if text == "" {
		return "", errors.New("a backslash at the end")
	}
	c := text[0]
	switch {
	case strings.IndexByte(`\|<*- o0123456789`, c) >= 0:
		b.WriteByte(c)
		return text[1:], nil
	case c != 'u' && c != 'x':
		r, _ := utf8.DecodeRuneInString(text)
		return "", fmt.Errorf("unknown escape %s", quote(`\`+string(r)))
	}
	digits, rest, ok := strings.Cut(strings.TrimPrefix(text[1:], "{"), "}")
	n, err := strconv.ParseUint(digits, 16, 32)
	switch {
	case !ok || err != nil || text[1] != '{':
		return "", fmt.Errorf(`an escape \%c is written \%c{hex}`, c, c)
	case c == 'x' && n <= 0xFF:
		b.WriteByte(byte(n))
	case c == 'u' && n <= unicode.MaxRune && utf8.ValidRune(rune(n)):
		b.WriteRune(rune(n))
	default:
		return "", fmt.Errorf(`\%c{%x} is out of range`, c, n)
	}
	return rest, nil
}

// trimPadding removes the spaces around a cell, but not one that a backslash
// makes part of the value.
func trimPadding(s string) string {
	s = strings.TrimLeft(s, " ")
	trimmed := strings.TrimRight(s, " ")
	backslashes := len(trimmed) - len(strings.TrimRight(trimmed, `\`))
	if backslashes%2 == 1 && len(trimmed) < len(s) {
		return s[:len(trimmed)+1]
	}
	return trimmed
}

// printable returns s with everything escaped that could move a cursor, for
// messages that quote a file name, a golden file or the network.
func printable(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		writePrintable(&b, r, s[i:i+size])
		i += size
	}
	return b.String()
}

// quote quotes a piece of a file for a message, cut where it would not help.
func quote(s string) string {
	const most = 60
	if utf8.RuneCountInString(s) > most {
		s = string([]rune(s)[:most]) + "…"
	}
	return `"` + printable(s) + `"`
}
