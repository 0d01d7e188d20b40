package classifier

import "strings"

// maxField bounds the length of a header field that is parsed; a longer one is
// ignored.
const maxField = 8 << 10

// A structured field (RFC 9651) of the two shapes read here: a list of items,
// each with parameters. Nothing is allocated: items and values are parts of
// the field, strings with their quotes and escapes.
type fieldList struct{ rest string }

// param is one parameter. A key without a value means the Boolean true, "?1".
type param struct{ key, value string }

// item cuts the next item off the list; its parameters are to be read with
// param before comma. ok is false where the list is malformed, here and below,
// and then the whole field must be ignored (RFC 9651 section 4.2).
func (l *fieldList) item() (item string, ok bool) {
	l.rest = strings.TrimLeft(l.rest, " \t")
	return l.bare()
}

// param cuts the next parameter of the current item off the list. more is
// false at the end.
func (l *fieldList) param() (p param, more, ok bool) {
	if !strings.HasPrefix(l.rest, ";") {
		return param{}, false, true
	}
	l.rest = strings.TrimLeft(l.rest[1:], " ")
	n := 0
	for n < len(l.rest) && isKeyChar(l.rest[n], n == 0) {
		n++
	}
	if n == 0 {
		return param{}, false, false
	}
	p = param{key: l.rest[:n], value: "?1"}
	l.rest = l.rest[n:]
	if strings.HasPrefix(l.rest, "=") {
		l.rest = l.rest[1:]
		if p.value, ok = l.bare(); !ok {
			return param{}, false, false
		}
	}
	return p, true, true
}

// comma steps over the comma before the next item. more is false at the end.
func (l *fieldList) comma() (more, ok bool) {
	l.rest = strings.TrimLeft(l.rest, " \t")
	if l.rest == "" {
		return false, true
	}
	if l.rest[0] != ',' {
		return false, false
	}
	l.rest = strings.TrimLeft(l.rest[1:], " \t")
	return true, l.rest != ""
}

// bare cuts a bare item off: a quoted string, or a token, number, Boolean,
// byte sequence or date, whose characters are taken together.
func (l *fieldList) bare() (string, bool) {
	if strings.HasPrefix(l.rest, `"`) {
		return l.quoted()
	}
	n := 0
	for n < len(l.rest) && isBareChar(l.rest[n]) {
		n++
	}
	item := l.rest[:n]
	l.rest = l.rest[n:]
	return item, n > 0
}

// quoted cuts a string off, with its quotes.
func (l *fieldList) quoted() (string, bool) {
	for i := 1; i < len(l.rest); i++ {
		switch c := l.rest[i]; {
		case c == '\\':
			i++
			if i >= len(l.rest) || l.rest[i] != '"' && l.rest[i] != '\\' {
				return "", false
			}
		case c == '"':
			item := l.rest[:i+1]
			l.rest = l.rest[i+1:]
			return item, true
		case c < 0x20 || c > 0x7e:
			return "", false
		}
	}
	return "", false
}

func isKeyChar(c byte, first bool) bool {
	switch {
	case 'a' <= c && c <= 'z' || c == '*':
		return true
	case first:
		return false
	}
	return '0' <= c && c <= '9' || c == '_' || c == '-' || c == '.'
}

// isBareChar: token characters of RFC 9651 section 3.3.4, and what the other
// bare items add: = of byte sequences, ? of Booleans, @ of dates.
func isBareChar(c byte) bool {
	switch {
	case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		return true
	}
	return strings.IndexByte("!#$%&'*+-.^_`|~:/=?@", c) >= 0
}
