package retry

import (
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"

	"github.com/retry-lab/retry-lab/classifier"
	"github.com/retry-lab/retry-lab/trace"
)

// methodAs is the method that stands for the request's where it is judged: a
// caller may know better whether a second delivery has the effect of one. said:
// it has because the policy says so.
func (p *Policy) methodAs(r *http.Request) (method string, said bool) {
	if p.Idempotent != nil {
		if !p.Idempotent(r) {
			return http.MethodPost, false
		}
		said = true
	} else {
		said = slices.Contains(p.Methods.Add, methodOf(r.Method))
	}
	if said && !repeatable(r.Method) {
		return http.MethodPut, true
	}
	return r.Method, false
}

// withAttempt is a header with the attempt's number.
func withAttempt(h http.Header, name string, n int) http.Header {
	if h = h.Clone(); h == nil {
		h = http.Header{}
	}
	h.Set(name, strconv.Itoa(n))
	return h
}

// modify puts in the header of our own, and makes the changes that answers have
// asked for; they stay for the attempts after. The length is the body's
// business.
func (c *call) modify(out *http.Request) {
	if c.header != nil {
		out.Header = c.header
	}
	out.Header = c.rest.header(out.Header)
	for _, m := range c.tried {
		switch m {
		case classifier.ModifyExpect:
			out.Header = out.Header.Clone()
			out.Header.Del("Expect")
		case classifier.ModifyConnection:
			out.Close = true // which also gets a connection of its own
		}
	}
}

// base is what the next attempt is sent through.
func (c *call) base() http.RoundTripper {
	if c.history != nil && slices.Contains(c.tried, classifier.ModifyHTTP1) {
		return c.t.http1
	}
	return c.t.base
}

// bodyError is a body that could not be sent again: the caller's own failure.
type bodyError struct{ err error }

func (e *bodyError) Error() string { return e.err.Error() }
func (e *bodyError) Unwrap() error { return e.err }

// connectionLost is the error of an attempt that net/http was about to make a
// second one of: it has swallowed the first one's, which the connection may
// have kept.
func connectionLost(r trace.Replay) error {
	if r.Cause == nil {
		r.Cause = errAgain
	}
	return &lostError{err: r.Cause, unsent: r.Unsent}
}

// errAgain stands for what nobody has kept: over HTTP/2, and on a connection
// that is sound, net/http sends a request again after REFUSED_STREAM, after a
// GOAWAY, and after PROTOCOL_ERROR.
var errAgain error = again{}

type again struct{}

func (again) Error() string { return "refused or reset by the server" }
func (again) Unwrap() error { return net.ErrClosed }

type lostError struct {
	err    error
	unsent bool
}

func (e *lostError) Error() string {
	if e.err == io.EOF {
		return "not answered: the connection was closed"
	}
	return "not answered: " + e.err.Error()
}

func (e *lostError) Unwrap() error { return e.err }

// Timeout is as in net.Error.
func (e *lostError) Timeout() bool {
	t, ok := e.err.(interface{ Timeout() bool })
	return ok && t.Timeout()
}
