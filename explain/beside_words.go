package explain

import (
	"bytes"
	"strings"
)

// errorWords are what stands before a number that is an error.
var errorWords = [...]string{
	"error", "errno", "err", "error code", "errcode", "errorcode", "error_code", "winsock", "wsa", "wsagetlasterror()", "getlasterror()", "getlasterror",
	"failed", "failed with", "failure", "socket", "socketerror", "sockets", "oserror", "result", "returned", "exception", "hresult", "native",
}

// calledError tells whether the number norm[at:stop] is the whole text, or
// follows a word for an error closely: a number alone may be anything.
func calledError(norm []byte, at, stop int) bool {
	before := bytes.TrimRight(norm[max(0, at-32):at], " :=#([\"'-,")
	if len(before) == 0 && at < 8 {
		return len(bytes.TrimSpace(norm[stop:])) == 0
	}
	for _, w := range errorWords {
		if n := len(before) - len(w); n >= 0 && strings.EqualFold(string(before[n:]), w) && (n == 0 || !isWord(before[n-1])) {
			return true
		}
	}
	return false
}

// settingBefore and settingAfter are the words by which a text speaks of a
// timer without saying that it ran out.
var (
	settingBefore = [...]string{" a ", " the ", " default ", " set ", " const ", " let ", " var ", " your ", " longer ", " higher ", "--", "."}
	settingAfter  = [...]string{" of ", " is ", " are ", " to ", " should ", " can ", " may ", " must ", " value", " setting", " configur", " option", " param", " default", " set ",
		"(", "_", " for ", " between "}
	ranOut = [...]string{"timed out", "exceed", "elaps", "expire", "reached", "passed", "error", "fail"}
)

// isSetting tells whether the words norm[at:stop] name a timer's length, as
// configuration, code and prose do, and not its end.
func isSetting(norm []byte, at, stop int) bool {
	text := lower(nil, norm[at:min(len(norm), stop+48)])
	for _, w := range ranOut {
		if bytes.Contains(text, []byte(w)) {
			return false
		}
	}
	after := text[stop-at:]
	if i := skip(after, 0, " \"'", 2); i < len(after) && (after[i] == ':' || after[i] == '=') {
		if i = skip(after, i+1, " \"'", 2); i < len(after) && after[i] >= '0' && after[i] <= '9' {
			return true
		}
	}
	if stop < len(norm) && norm[stop] == '`' && at > 0 && norm[at-1] == '`' || isLength(after) {
		return true
	}
	for _, w := range settingAfter {
		if bytes.HasPrefix(after, []byte(w)) {
			return true
		}
	}
	before := lower(nil, append([]byte{' '}, norm[max(0, at-16):at]...))
	for _, w := range settingBefore {
		if bytes.HasSuffix(before, []byte(w)) {
			return true
		}
	}
	return false
}

// isLength tells whether what follows a timer's name is its length and a
// comma: one of a list of settings.
func isLength(after []byte) bool {
	_, end, ok := number(after, skip(after, 0, " ", 1))
	for n := 0; ok && n < 2 && end < len(after) && isWord(after[end]); n++ {
		end++
	}
	return ok && end < len(after) && (after[end] == ',' || after[end] == ';')
}

func boolean(b bool) int {
	if b {
		return 1
	}
	return 0
}

// looksUp tells whether "lookup " is Go's word for the resolver ("lookup NAME
// on SERVER: ", "lookup NAME: ") and not the program's ("price lookup failed: ").
func looksUp(norm []byte, at, stop int) bool {
	end := stop
	for end < len(norm) && (isWord(norm[end]) || norm[end] == '.' || norm[end] == '-') {
		end++
	}
	name, rest := norm[stop:end], norm[end:]
	switch {
	case len(name) == 0:
		return false
	case bytes.HasPrefix(rest, []byte(" on ")):
		return len(rest) > 4 && (rest[4] == '[' || rest[4] >= '0' && rest[4] <= '9')
	case !bytes.HasPrefix(rest, []byte(":")) || bytes.HasPrefix(rest, []byte("://")):
		return false
	}
	before := bytes.TrimRight(norm[:at], " ")
	alone := len(before) == 0 || strings.IndexByte(":\"'=([`|>", before[len(before)-1]) >= 0
	return bytes.IndexByte(name, '.') > 0 || alone && !failureWord[strings.ToLower(string(name))]
}

// failureWord are words that follow a program's own "lookup".
var failureWord = map[string]bool{"failed": true, "failure": true, "error": true, "timeout": true, "result": true}
