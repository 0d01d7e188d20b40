package explain

import (
	"bytes"
	"strings"
	"sync"
)

// signposts are the words by which a text tells the method and the host.
type signposts struct {
	scanner *scanner
	method  []string // by literal: the method that it tells
	host    []int8   // by literal: how surely a host follows, 0 for none
	exact   []string // by literal: the spelling that counts, empty where any does
}

var signs = sync.OnceValue(func() *signposts {
	var s signposts
	var literals []string
	add := func(spelling, method string, host int8) {
		literals = append(literals, strings.ToLower(spelling))
		exact := spelling
		if method == "" {
			exact = ""
		}
		s.method, s.host, s.exact = append(s.method, method), append(s.host, host), append(s.exact, exact)
	}
	for _, m := range methods {
		titled, small := m[:1]+strings.ToLower(m[1:]), strings.ToLower(m)
		for _, form := range [...]string{
			m + " /", m + " http", m + " request", m + " to ", "[" + m + "]", titled + " \"http", titled + " http", titled + ": ",
			"method: '" + small + "'", "\"method\": \"" + small + "\"", "\"method\":\"" + small + "\"",
			"method: '" + m + "'", "\"method\": \"" + m + "\"", "\"method\":\"" + m + "\"", "method=" + m,
		} {
			add(form, m, 0)
		}
	}
	for i, word := range hostAfter {
		add(word, "", int8(len(hostAfter)-i))
	}
	s.scanner = newScanner(literals, 1)
	return &s
})

// methods are those that a text may name.
var methods = [...]string{"POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "CONNECT", "QUERY", "GET"}

// hostAfter are the words that a host follows, the surest first.
var hostAfter = [...]string{
	"http://", "https://", "dial tcp ", "getaddrinfo enotfound ", "getaddrinfo eai_again ", "econnrefused ", "host='", "host: '",
	"lookup ", "could not resolve host: ", "failed to connect to ", "cannot connect to host ", "unknownhostexception: ",
}

// locate reads the host and the method that the text names, empty where it
// names none.
func locate(norm, low []byte) (host, method string) {
	s := signs()
	var room [32]hit
	surest, first := int8(0), len(norm)
	for _, h := range s.scanner.scan(low, room[:0]) {
		at, end := int(h.at), int(h.at)+len(s.scanner.literals[h.lit])
		if m := s.method[h.lit]; m != "" {
			if at < first && string(norm[at:end]) == s.exact[h.lit] && (at == 0 || !isWord(norm[at-1])) {
				method, first = m, at
			}
			continue
		}
		if s.host[h.lit] > surest && (at == 0 || !isWord(norm[at-1])) {
			if name := hostAt(norm[end:]); name != "" {
				host, surest = name, s.host[h.lit]
			}
		}
	}
	return host, method
}

// longestHost bounds a name (RFC 1035 section 2.3.4).
const longestHost = 253

// hostAt is the host that text begins with. Credentials before it are never
// repeated.
func hostAt(rest []byte) string {
	if i := bytes.IndexAny(rest[:min(len(rest), 128)], "@/ \"'"); i >= 0 && rest[i] == '@' {
		rest = rest[i+1:]
	}
	if len(rest) > 0 && rest[0] == '[' {
		if end := bytes.IndexByte(rest[:min(len(rest), 48)], ']'); end > 0 && plainAddress(rest[1:end]) {
			return string(rest[1:end])
		}
		return ""
	}
	end := 0
	for end < len(rest) && end < longestHost && (isWord(rest[end]) || rest[end] == '.' || rest[end] == '-') {
		end++
	}
	for end > 0 && (rest[end-1] == '.' || rest[end-1] == '-') {
		end--
	}
	return string(rest[:end])
}

// plainAddress tells whether what stands in brackets is an address.
func plainAddress(b []byte) bool {
	for _, c := range b {
		if !isWord(c) && c != ':' && c != '.' && c != '%' {
			return false
		}
	}
	return len(b) > 0
}
