package classifier

// phaseOf says how far the attempt had come. A trace is believed before the
// error, but for a dial: net/http detaches dials from requests, so that the
// hooks of one may belong to another.
func (c *chain) phaseOf(ev *Evidence) Phase {
	switch {
	case c.code == RedirectLoop:
		return PhaseAnswered
	case ev.Answered:
		return PhaseReadBody
	case !ev.Traced:
		return c.statedPhase()
	case !ev.hooked():
		return c.firstPhase()
	case ev.GotConn:
		return c.sentPhase(ev)
	}
	return c.dialPhase(ev)
}

// statedPhase is the phase that the error itself states. A failed read does
// not tell: it may be the handshake's, the head's or the body's.
func (c *chain) statedPhase() Phase {
	switch {
	case c.dns != nil:
		return PhaseResolve
	case c.proxy && !c.dial:
		return PhaseProxy
	case c.dial:
		return PhaseConnect
	case c.phase != "":
		return c.phase
	case c.write || c.nothingWritten:
		return PhaseWrite
	case c.connectStatus != 0 && c.client != nil:
		return PhaseProxy
	}
	return PhaseUnknown
}

// firstPhase: the context had ended before the request was handed over, and no
// connection was asked for; unless the error tells of one, because whatever
// made it looks at no context and calls no hooks.
func (c *chain) firstPhase() Phase {
	phase := c.statedPhase()
	ended := c.code == "" || c.code == Timeout || c.code == Canceled
	if phase == PhaseUnknown && ended && c.errno == "" && !c.read {
		return PhasePrepare
	}
	return phase
}

// dialPhase: a connection was asked for and never given, so nothing of the
// request was sent on it.
func (c *chain) dialPhase(ev *Evidence) Phase {
	switch {
	case c.dns != nil:
		return PhaseResolve
	case refusedTunnel(ev) || c.proxy && !c.dial:
		return PhaseProxy
	case c.dial:
		return PhaseConnect
	case ev.TLSStarted && !ev.TLSDone || c.phase == PhaseTLS:
		return PhaseTLS
	case ev.ConnectDone && ev.ProxyConnect && ev.ProxyStatus == 0:
		return PhaseProxy
	case ev.ConnectDone && ev.TLSExpected:
		return PhaseTLS
	case ev.ConnectStarted:
		return PhaseConnect
	case ev.DNSStarted:
		return PhaseResolve
	}
	return PhasePool
}

// sentPhase: the request had a connection. The hooks fire when the bytes reach
// net/http's buffer, which is before the kernel has them.
func (c *chain) sentPhase(ev *Evidence) Phase {
	switch {
	case headNotSent(c, ev):
		return PhaseWrite
	case c.http2(ev) && c.proof == notSent:
		return PhaseAwait
	case ev.FirstByte:
		return PhaseReadHead
	case ev.Wait100 && !ev.Got100 && ev.BodyRead == 0:
		return PhaseAwait
	case c.http2(ev) && !ev.WroteHead:
		return PhaseAwait // the hooks of HTTP/2 come after the return
	case !ev.WroteRequest || ev.BodyRead < ev.BodySize:
		return PhaseWrite
	}
	return PhaseAwait
}

// headNotSent is the proof that no server can have begun: over HTTP/1 the
// kernel took nothing, or not yet the whole head. (The writer has ended when
// RoundTrip returns, so both are settled. Not so over HTTP/2, whose
// connection is shared besides; and without a counter nothing tells that a
// plain connection does not speak it.)
func headNotSent(c *chain, ev *Evidence) bool {
	if c.http2(ev) || !ev.Counted && !ev.TLSExpected {
		return false
	}
	return ev.Counted && ev.BytesOut == 0 || !ev.WroteHead
}

// http2 tells whether the connection spoke HTTP/2, or may have: over plain
// TCP only the request can tell, or the error.
func (c *chain) http2(ev *Evidence) bool {
	return ev.HTTP2 || c.overHTTP2 || ev.Request != nil && ev.Request.HTTP2 && !ev.TLSExpected
}
