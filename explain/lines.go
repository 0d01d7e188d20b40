package explain

import (
	"bytes"
	"strings"
)

// line is one line of the input.
type line struct {
	from, to  int // bytes of the input, without the end of line
	norm      int // where its normal form begins
	continues bool
}

// continues tells whether a line carries on with what the one before it began:
// it is indented, or begins with what only a continuation begins with, after
// the prefix that a log puts before every line.
func continues(text []byte) bool {
	var room [headBytes]byte
	body := headOf(room[:0], text)
	body = body[prefixOf(body):]
	if len(body) == 0 || body[0] == ' ' || body[0] == '\t' || body[0] == '\r' {
		return true
	}
	for _, w := range continuations {
		if len(body) >= len(w) && string(body[:len(w)]) == w {
			return true
		}
	}
	return false
}

const headBytes = 192

// headOf is the beginning of a line without terminal sequences, NULs and
// escapes; its indent is kept. room is where it is put if it has any.
func headOf(room, text []byte) []byte {
	text = text[:min(len(text), headBytes-1)]
	if !bytes.ContainsAny(text[:min(len(text), 48)], "\x1b\x00\\") {
		return text
	}
	if indented(text) {
		room = append(room, ' ')
	}
	return normalize(room, text)
}

// indented tells whether a line begins with white space, or with a tab that is
// written as an escape.
func indented(text []byte) bool {
	if len(text) > 0 && (text[0] == ' ' || text[0] == '\t') {
		return true
	}
	at := 0
	for at < len(text) && text[at] == '\\' {
		at++
	}
	return at > 0 && at < len(text) && text[at] == 't'
}

// unfinished tells whether a line ends so that the next one has to go on.
func unfinished(text []byte) bool {
	text = bytes.TrimRight(text, "\r")
	n := len(text)
	if n < leastWrap {
		return false
	}
	if text[n-1] == ':' {
		return isLetter(text[n-2]) // and not "file.c:12:"
	}
	return strings.IndexByte(" ,([{=", text[n-1]) >= 0
}

// continuations are the beginnings of lines that never begin a record.
var continuations = [...]string{
	"at ", "... ", "Caused by", "caused by", "Suppressed:", "--->", "---", "===", "}", "]", ")", "[cause]", "[errors]",
	"File \"", "Traceback (", "During handling of", "The above exception", "Inner Exception", "Emitted 'error'",
	"from /", "^", "nested exception", "Reason:", "Message:", "errno:", "code:", "syscall:", "address:", "port:", "type:",
	"name:", "stack:", "config:", "request:", "response:", "headers:", "goroutine ", "\"", "'", "Cause:", "cause:",
}

// prefixOf is the length of what a log, a pager or a quotation put before the
// line: time, host, process, container, level of quoting. One blank after it
// belongs to it, a second is an indent.
func prefixOf(text []byte) int {
	at := quotation(text)
	if at == len(text) || text[at] == ' ' || text[at] == '\t' {
		return at
	}
	head := text[at:min(len(text), at+160)]
	if i := bytes.Index(head, []byte(" | ")); i > 0 && i < 48 && !strings.ContainsAny(string(head[:i]), "\"'():=") {
		return at + i + 3 // docker compose: "app_1  | "
	}
	for _, cut := range [...]string{" stderr F ", " stdout F ", " stderr P ", " stdout P "} {
		if i := bytes.Index(head, []byte(cut)); i > 0 && i < 48 {
			return at + i + len(cut) // a container runtime's own file
		}
	}
	if i := bytes.Index(head, []byte("]: ")); i > 0 && bytes.IndexByte(head[:i], '[') > 0 && startsWithTime(head) {
		return at + i + 3 // syslog: "Jan 02 03:04:05 host app[1]: "
	}
	if i := bytes.Index(head, []byte("W/System.err: ")); i > 0 {
		return at + i + len("W/System.err: ")
	}
	return at
}

// quotation is the length of the marks by which a mail or a chat quotes a line.
func quotation(text []byte) int {
	at := 0
	for {
		switch rest := text[at:]; {
		case bytes.HasPrefix(rest, []byte(">")):
			at++
		case bytes.HasPrefix(rest, []byte("&gt;")):
			at += len("&gt;")
		default:
			return at
		}
		if at < len(text) && text[at] == ' ' {
			at++
		}
	}
}

// startsWithTime tells whether a line begins like a time: a digit, a bracket
// with one, or a month's name.
func startsWithTime(text []byte) bool {
	if len(text) < 8 {
		return false
	}
	if text[0] == '[' {
		text = text[1:]
	}
	if text[0] >= '0' && text[0] <= '9' && (text[2] == ':' || text[4] == '-' || text[4] == '/' || text[2] == '-' || text[2] == '/') {
		return true
	}
	return strings.Contains(" Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec ", " "+string(text[:3])+" ") && text[3] == ' '
}
