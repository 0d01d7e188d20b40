package classifier

import (
	"net/url"
	"strings"
)

var (
	perhaps  = outcome{Maybe, Assumed}
	answered = outcome{Yes, Assumed}
)

// outcome says whether a server may have acted on the request. "Never" comes
// from nothing having been sent or from a promise of the protocol, not from
// the lack of a sign that something was.
func (c *chain) outcome(phase Phase, ev *Evidence) outcome {
	o := c.lastOutcome(phase, ev)
	switch {
	case ev.ExposedYes:
		return answered
	case o.processed == Never && (ev.Exposed || !ev.Traced && c.mayBeResent(phase, ev.Request)):
		return perhaps
	case o == notSent && ev.Moved:
		return outcome{Never, Claimed}
	}
	return o
}

// lastOutcome is outcome for the last connection alone.
func (c *chain) lastOutcome(phase Phase, ev *Evidence) outcome {
	switch phase {
	case PhaseReadBody:
		return answered
	case PhasePrepare, PhaseResolve, PhaseConnect, PhaseProxy, PhaseTLS, PhasePool:
		if ev.Traced || !c.mixed && (c.dns != nil || c.dial || c.proxy) {
			return notSent
		}
	case PhaseWrite:
		if ev.Traced && ev.GotConn && headNotSent(c, ev) {
			return notSent
		}
	}
	switch {
	case c.mixed:
		return perhaps
	case c.nothingWritten && !ev.Traced:
		return notSent
	case c.proof == notSent && (!ev.GotConn || c.http2(ev)):
		return notSent
	case c.proof.processed == Never && c.proof.basis == Claimed && !ev.FirstByte:
		return c.proof
	case c.proof.processed == Yes && (phase == PhaseReadHead || phase == PhaseUnknown):
		return c.proof
	}
	return perhaps
}

// mayBeResent tells whether net/http can have sent the request before the
// attempt whose error this is, without a word: it followed a redirect, or it
// resends this kind of request by itself when a connection breaks (net/http
// Request.isReplayable; over HTTP/2 any request whose body it can take
// again). A request that net/http refused to send was not resent.
func (c *chain) mayBeResent(phase Phase, r *SentRequest) bool {
	switch {
	case c.cannotResend:
		return false
	case r == nil:
		return c.client != nil
	case c.client != nil && !sameURL(c.client.URL, r.URL):
		return true
	case phase == PhasePrepare || !r.Rewindable:
		return false
	case r.HTTP2 || r.Key:
		return true
	}
	switch r.Method {
	case "", "GET", "HEAD", "OPTIONS", "TRACE":
		return true
	}
	return false
}

// sameURL compares the URL in a *url.Error, where net/http has put *** for
// the password, with that of a request.
func sameURL(inError, requested string) bool {
	if inError == requested {
		return true
	}
	u, err := url.Parse(requested)
	if err != nil || u.User == nil {
		return false
	}
	if _, has := u.User.Password(); !has {
		return false
	}
	masked := strings.Replace(u.String(), u.User.String()+"@", u.User.Username()+":***@", 1)
	return inError == masked
}
