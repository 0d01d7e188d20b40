package classifier

import (
	"net/http"
	"strings"
)

// text names an error by its message, and tells whether it could.
func (c *chain) text(s string) bool {
	if c.http2Text(s) {
		return true
	}
	for i := range textTable {
		if row := &textTable[i]; row.matches(s) {
			c.is(row.code, row.phase, row.proof)
			c.overHTTP2 = c.overHTTP2 || strings.HasPrefix(row.text, "http2: ")
			return true
		}
	}
	c.connectStatus = statusOfText(s)
	return false
}

func (r *textRow) matches(s string) bool {
	switch r.match {
	case prefix:
		return strings.HasPrefix(s, r.text)
	case suffix:
		return strings.HasSuffix(s, r.text)
	}
	return s == r.text
}

// The messages of HTTP/2 that carry the name of an error code:
//
//	stream error: stream ID 1; REFUSED_STREAM; received from peer
//	connection error: PROTOCOL_ERROR
//	http2: connection error: PROTOCOL_ERROR: why
//	http2: Transport: cannot retry err [one of these] after Request.Body was written; …
const (
	streamError      = "stream error: stream ID "
	connectionError  = "connection error: "
	connectionError2 = "http2: connection error: "
	fromPeer         = "received from peer"
	cannotRetry      = "http2: Transport: cannot retry err ["
	cannotRetryEnd   = "] after Request.Body was written; define Request.GetBody to avoid this error"
)

// http2Text names a message that carries a HTTP/2 error code.
func (c *chain) http2Text(s string) bool {
	if inner, ok := strings.CutPrefix(s, cannotRetry); ok {
		if inner, ok = strings.CutSuffix(inner, cannotRetryEnd); ok {
			c.cannotResend = true
			return c.text(inner)
		}
	}
	if rest, ok := strings.CutPrefix(s, streamError); ok {
		_, rest, _ = strings.Cut(rest, "; ")
		name, cause, _ := strings.Cut(rest, "; ")
		c.overHTTP2 = true
		if cause != "" && cause != fromPeer && c.text(cause) {
			return true // our own side broke the stream, for that reason
		}
		return c.http2Code(name, cause == fromPeer)
	}
	if name, ok := strings.CutPrefix(s, connectionError); ok {
		return c.http2Code(name, false)
	}
	if rest, ok := strings.CutPrefix(s, connectionError2); ok {
		name, _, _ := strings.Cut(rest, ": ")
		return c.http2Code(name, false)
	}
	return false
}

// http2Code notes the code of that name. REFUSED_STREAM from the peer is the
// protocol's promise; an unknown name must not trigger special behaviour and
// counts as INTERNAL_ERROR (RFC 9113 section 7).
func (c *chain) http2Code(name string, peer bool) bool {
	code := HTTP2Prefix + Code(name)
	c.overHTTP2 = true
	switch {
	case rowOfCode(code) == nil || code == h2GoAway:
		c.is("H2_INTERNAL_ERROR", "", outcome{})
	case code == h2RefusedStream && peer:
		c.is(code, PhaseAwait, notSent)
	default:
		c.is(code, "", outcome{})
	}
	return true
}

// statusOfText is the 4xx or 5xx status whose standard text this is, else 0.
// net/http reports what a proxy answered to CONNECT by its text alone.
func statusOfText(s string) int {
	for status := 400; status < len(statusTable); status++ {
		if s != "" && s == http.StatusText(status) {
			return status
		}
	}
	return 0
}
