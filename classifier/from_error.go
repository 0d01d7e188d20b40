package classifier

import (
	"context"
	"errors"
)

// FromError says what an error means for the attempt that it ended. ev is what
// the client's instruments counted; its zero value means that there were none,
// and the error is then judged by its value alone, more cautiously. A nil error
// is the zero Failure.
//
// An error that came through a http.Client (a *url.Error is in it) is judged
// with its request, ev.Request: net/http may have sent the request before, or
// followed a redirect, and then failed to connect. Without a trace and without
// the request such an error never proves that nothing was sent. What cannot be
// told without a trace is a redirect that led back to the request's own URL.
//
// With ev.Answered the error is one of the response's body: the phase is
// read-body, and the work is done. That holds for a success; where the status
// is 400 or more, the status is the failure, see [FromResponse].
func FromError(err error, ev Evidence) Failure {
	if err == nil {
		return Failure{}
	}
	ev.Traced = ev.Traced && (ev.hooked() || ev.EndedBefore) // else its hooks have told nothing
	var c chain
	c.walk(err)
	f := Failure{Syscall: c.call(), Phase: c.phaseOf(&ev)}
	f.Code = c.name(f.Phase, &ev)
	if f.Code == Proxy {
		f.Status = c.proxyStatus(&ev)
	}
	o := c.outcome(f.Phase, &ev)
	f.Processed, f.Basis = o.processed, o.basis
	return f
}

// name picks the code, the most certain source first. Contexts are asked
// before the error: one that was cancelled with a cause hides it.
func (c *chain) name(phase Phase, ev *Evidence) Code {
	switch {
	case canceled(ev.CallerErr) || canceled(ev.ContextErr):
		return Canceled
	case c.canceled && !outOfTime(ev):
		return Canceled
	case ev.BodyErr:
		return InvalidRequest
	case c.dns != nil:
		return codeOfDNS(c.dns)
	case c.errno != "" && c.errno != Unknown:
		return c.errno
	case refusedTunnel(ev):
		return Proxy
	}
	if code := c.plainName(phase, ev); code != "" {
		return code
	}
	switch {
	case outOfTime(ev):
		return Timeout
	case c.proxy || phase == PhaseProxy || c.throughClient(ev) && c.connectStatus != 0:
		return Proxy
	}
	return Unknown
}

// plainName is the code of the values that are neither a resolver's nor an
// errno, with the one name that each phase gives to a connection's end.
func (c *chain) plainName(phase Phase, ev *Evidence) Code {
	end := c.code == EOF || c.code == Truncated
	switch {
	case end && phase == PhaseTLS:
		return TLSEOF
	case end && (phase == PhaseReadHead || phase == PhaseReadBody):
		return Truncated
	case c.code == Malformed && phase == PhaseReadHead && ev.PeerEnded:
		return Truncated // net/http parses what there was of the last line
	case end && ev.Traced && phase == PhaseAwait:
		return EOF // over HTTP/2 "unexpected EOF", even for a reset
	case c.code == ConnClosed && outOfTime(ev):
		return Timeout // we closed it because time was up
	}
	return c.code
}

// canceled tells whether a context ended otherwise than by its deadline.
func canceled(err error) bool {
	return err != nil && !errors.Is(err, context.DeadlineExceeded)
}

// outOfTime tells whether a context ended by its deadline.
func outOfTime(ev *Evidence) bool {
	return ev.ContextErr != nil || ev.CallerErr != nil // canceled was asked before
}

// refusedTunnel: the proxy answered CONNECT, and not with a tunnel.
func refusedTunnel(ev *Evidence) bool {
	return ev.Traced && !ev.GotConn && ev.ProxyStatus != 0 && (ev.ProxyStatus < 200 || ev.ProxyStatus > 299)
}

// throughClient: net/http made the error, not a dialer of the caller's own.
func (c *chain) throughClient(ev *Evidence) bool {
	return c.client != nil || ev.Request != nil
}

// proxyStatus is what the proxy answered to CONNECT, 0 where nothing tells.
func (c *chain) proxyStatus(ev *Evidence) int {
	if refusedTunnel(ev) {
		return ev.ProxyStatus
	}
	return c.connectStatus
}
