package trace

import (
	"net/http"
	"strconv"

	"github.com/retry-lab/retry-lab/classifier"
)

// Redirect notes that the request was answered with a redirect, which a
// http.Client follows by itself. After 301, 302 and 303 the request was acted
// on, whatever becomes of the next one; with 307 and 308 the server says that
// it was not, and belongs elsewhere (RFC 9110 section 15.4). Other statuses
// note nothing.
func (a *Attempt) Redirect(status int) {
	change := func(e *classifier.Evidence) { e.ExposedYes = true }
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther:
	case http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		change = func(e *classifier.Evidence) { e.Moved, a.moved = true, true }
	default:
		return
	}
	a.on("redirect ", strconv.Itoa(status), change)
}

// Hops tells the attempt that a request is part of about every redirect on its
// way. Without it a client that follows one shows how the last request ended,
// and nothing of the first:
//
//	client := &http.Client{Transport: trace.Hops(transport)}
func Hops(next http.RoundTripper) http.RoundTripper { return hops{next} }

type hops struct{ next http.RoundTripper }

func (h hops) RoundTrip(r *http.Request) (*http.Response, error) {
	a := FromContext(r.Context())
	if a == nil {
		return h.next.RoundTrip(r)
	}
	if r.Response != nil { // which redirected to here
		a.follow(r)
	}
	resp, err := h.next.RoundTrip(r)
	if err == nil && resp.Header.Get("Location") != "" {
		a.Redirect(resp.StatusCode)
	}
	return resp, err
}

// CloseIdleConnections is what http.Client.CloseIdleConnections calls.
func (h hops) CloseIdleConnections() {
	if c, ok := h.next.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

// follow enters what the request after a redirect does not share with the
// first one.
func (a *Attempt) follow(r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ev.TLSExpected = r.URL.Scheme == "https"
	if r.Body == nil {
		a.body.size = 0
		a.body.read.Store(0)
	}
}
