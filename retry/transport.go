package retry

import (
	"fmt"
	"net/http"
	"sync"
)

// Transport is a http.RoundTripper that sends requests again by a Policy. The
// zero value is ready. It is safe for concurrent use, and must not be copied
// or changed once it is in use.
//
// It follows no redirect, which is http.Client's to do; a request that a
// redirect led to starts with what became of those before it. A policy in the
// request's context has precedence, see [WithPolicy] and [Off].
type Transport struct {
	// Base sends one request; nil means http.DefaultTransport, as a copy that
	// counts bytes, see [Counting]: one for all Transports, with connections of
	// its own. Without the count, less can be proved never to have been sent. Base
	// must not try again by itself.
	Base http.RoundTripper

	Policy Policy

	once    sync.Once
	base    http.RoundTripper
	http1   http.RoundTripper // nil: base cannot be told to speak nothing else
	budgets budgets
	counts  counts
}

var _ http.RoundTripper = (*Transport)(nil)

// RoundTrip sends r, and again as the policy has it. It does not change r, and
// closes its body. The response's body is unread, also that of the last failed
// one, and is to be closed by the caller.
//
// The error is a policy's that is not valid, or as described at [Error].
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	t.once.Do(t.start)
	p, off := policyIn(r.Context(), &t.Policy)
	if err := p.Validate(); err != nil {
		return nil, refuse(r, fmt.Errorf("retry: %w", err))
	}
	c := &call{t: t, off: off, in: r, body: body{in: r}}
	defer c.abandon()
	c.operation = newOperation(r.Context(), p)
	if err := c.begin(); err != nil {
		return nil, refuse(r, fmt.Errorf("retry: %w", err))
	}
	resp, err := c.run()
	c.over = true
	return resp, err
}

// refuse closes the body of a request that is not sent.
func refuse(r *http.Request, why error) error {
	if r.Body != nil {
		r.Body.Close()
	}
	return why
}

// start resolves Base.
func (t *Transport) start() {
	t.base = t.Base
	if t.base == nil {
		t.base = standardBase(http.DefaultTransport)
	}
	if tr, ok := t.base.(*http.Transport); ok {
		t.http1 = overHTTP1(tr)
	}
}

// CloseIdleConnections closes those of Base, if it can.
func (t *Transport) CloseIdleConnections() {
	t.once.Do(t.start)
	for _, rt := range []http.RoundTripper{t.base, t.http1} {
		if c, ok := rt.(interface{ CloseIdleConnections() }); ok {
			c.CloseIdleConnections()
		}
	}
}
