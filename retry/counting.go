package retry

import (
	"net"
	"net/http"
	"sync"

	"github.com/retry-lab/retry-lab/trace"
)

// Counting returns a copy of t whose connections count their bytes, and which
// notes what a proxy answers: what it takes to prove that nothing of a request
// was sent. It speaks the same protocols as t, and has connections of its own.
func Counting(t *http.Transport) *http.Transport {
	//lint:ignore SA1019 deprecated or not, whoever has set one wants it
	dial, dialTLS := t.Dial != nil, t.DialTLS != nil
	plain := t.DialContext == nil && !dial && !dialTLS && t.DialTLSContext == nil && t.TLSClientConfig == nil
	c := t.Clone()
	switch {
	case c.DialContext != nil:
		c.DialContext = trace.Dial(c.DialContext)
	case !dial:
		c.DialContext = trace.Dial((&net.Dialer{}).DialContext)
	}
	if plain && t.TLSNextProto == nil && t.Protocols == nil {
		c.ForceAttemptHTTP2 = true // a dialer of its own would switch HTTP/2 off
	}
	if c.GetProxyConnectHeader == nil && c.ProxyConnectHeader == nil {
		c.GetProxyConnectHeader = trace.GetProxyConnectHeader
	}
	if c.OnProxyConnectResponse == nil {
		c.OnProxyConnectResponse = trace.OnProxyConnectResponse
	}
	return c
}

// standard is the base of the Transports that have none: a program that makes
// one for every request must not get a pool of connections with each.
var standard struct {
	sync.Mutex
	of, counting *http.Transport
}

// standardBase is the counting copy of http.DefaultTransport, whatever that is
// now.
func standardBase(now http.RoundTripper) http.RoundTripper {
	tr, ok := now.(*http.Transport)
	if !ok {
		return now
	}
	standard.Lock()
	defer standard.Unlock()
	if standard.of != tr {
		standard.of, standard.counting = tr, Counting(tr)
	}
	return standard.counting
}

// overHTTP1 is a copy of t that speaks nothing else.
func overHTTP1(t *http.Transport) *http.Transport {
	c := t.Clone()
	c.ForceAttemptHTTP2 = false
	c.Protocols = new(http.Protocols)
	c.Protocols.SetHTTP1(true)
	return c
}
