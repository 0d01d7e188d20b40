package trace

import (
	"context"
	"crypto/tls"
	"net"
	"net/http/httptrace"
	"net/textproto"
	"strconv"

	"github.com/retry-lab/retry-lab/classifier"
)

// attach sets the hooks of a request on a connection that is at hand, or all of
// them. Dials are detached from the request, so any
// hook may fire late or for a connection that another request will use; what
// it says is entered until End.
func (a *Attempt) attach(all bool) {
	a.trace.GetConn, a.trace.GotConn = a.getConn, a.gotConn
	a.trace.WroteHeaders, a.trace.WroteRequest = a.wroteHeaders, a.wroteRequest
	a.trace.GotFirstResponseByte = a.gotFirstByte
	if all {
		a.allHooks = true
		a.attachNet(&a.trace)
		a.attachTLS()
		a.attachWait()
		a.attachInterim()
	}
}

// attachNet sets the hooks of a lookup and a dial.
func (a *Attempt) attachNet(t *httptrace.ClientTrace) {
	t.DNSStart = func(i httptrace.DNSStartInfo) {
		a.on("resolve ", i.Host, func(e *classifier.Evidence) { e.DNSStarted = true })
	}
	t.DNSDone = func(i httptrace.DNSDoneInfo) {
		a.on("resolved", failed(i.Err), func(e *classifier.Evidence) { e.DNSDone = i.Err == nil })
	}
	t.ConnectStart = func(_, addr string) {
		a.on("connect ", addr, func(e *classifier.Evidence) { e.ConnectStarted = true })
	}
	t.ConnectDone = func(_, addr string, err error) {
		a.on("connected", failed(err), func(e *classifier.Evidence) { e.ConnectDone = e.ConnectDone || err == nil })
	}
}

// attachTLS sets the hooks of a handshake.
func (a *Attempt) attachTLS() {
	a.trace.TLSHandshakeStart = func() {
		a.on("tls handshake", "", func(e *classifier.Evidence) { e.TLSStarted = true })
	}
	a.trace.TLSHandshakeDone = func(_ tls.ConnectionState, err error) {
		a.on("tls handshake done", failed(err), func(e *classifier.Evidence) { e.TLSDone = err == nil })
	}
}

// attachWait sets the hooks of a body that is held back.
func (a *Attempt) attachWait() {
	a.trace.Wait100Continue = func() {
		a.on("wait for 100", "", func(e *classifier.Evidence) { e.Wait100 = true })
	}
	a.trace.Got100Continue = func() {
		a.on("got 100", "", func(e *classifier.Evidence) { e.Got100 = true })
	}
}

// attachInterim sets the hook of interim answers.
func (a *Attempt) attachInterim() {
	a.trace.Got1xxResponse = func(int, textproto.MIMEHeader) error {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.early = true
		return nil
	}
}

// dialing returns a context for a dial on behalf of the attempt, with its
// hooks. Most requests find a connection and never pay for them. net/http
// looks for the hooks of the handshake after the dial, in the same goroutine.
func (a *Attempt) dialing(ctx context.Context) context.Context {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.allHooks {
		return ctx
	}
	if !a.tlsHooks {
		a.tlsHooks = true
		a.attachTLS()
	}
	t := &httptrace.ClientTrace{}
	a.attachNet(t)
	return httptrace.WithClientTrace(ctx, t)
}

func failed(err error) string {
	if err == nil {
		return ""
	}
	return ": " + err.Error()
}

// on enters an event and what it changes.
func (a *Attempt) on(what, detail string, change func(*classifier.Evidence)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.ended {
		return
	}
	if a.replay == nil {
		change(&a.ev)
	}
	a.note(what, detail)
}

func (a *Attempt) wroteHeaders() {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.ended:
	case a.replay != nil:
		a.replay.wroteHead = true
	default:
		a.ev.WroteHead = true
		a.note("wrote head", "")
	}
}

func (a *Attempt) wroteRequest(i httptrace.WroteRequestInfo) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.ended && a.replay == nil {
		a.ev.WroteRequest = i.Err == nil
		if a.timeline != nil {
			a.note("wrote request", failed(i.Err))
		}
	}
}

func (a *Attempt) gotFirstByte() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.ended && a.replay == nil {
		a.ev.FirstByte = true
		a.note("first byte of the answer", "")
	}
}

// getConn enters that the transport asks for a connection.
func (a *Attempt) getConn(addr string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.ended || a.replay != nil {
		return
	}
	if a.isReplay() {
		a.stopReplay()
		return
	}
	a.acquire()
	a.note("get connection ", addr)
}

// acquire begins a new connection acquisition: the fields of the last one
// start again, what it may have delivered stays. No hook says why net/http
// tries again. Over HTTP/2 it may be the protocol's promise or a mere
// PROTOCOL_ERROR, so only a connection that took nothing has delivered
// nothing; by now the last writer has ended. Called under mu.
func (a *Attempt) acquire() {
	a.count()
	e := &a.ev
	exposed := e.Exposed || !a.moved && e.GotConn && (a.conn == nil || e.BytesOut > 0)
	*e = classifier.Evidence{
		Traced: true, EndedBefore: e.EndedBefore, Request: e.Request, TLSExpected: e.TLSExpected,
		Acquisitions: e.Acquisitions + 1, Exposed: exposed, ExposedYes: e.ExposedYes, Moved: e.Moved,
	}
	a.conn, a.in0, a.out0, a.moved = nil, 0, 0, false
}

// gotConn enters the acquired connection and its counters as they stand. Over
// HTTP/2 it may be another one that was never asked for.
func (a *Attempt) gotConn(i httptrace.GotConnInfo) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.ended {
		return
	}
	if a.ev.GotConn && a.replay == nil {
		if a.isReplay() {
			a.stopReplay()
		} else {
			a.acquire()
		}
	}
	if a.replay != nil {
		a.gotAnother(i)
		return
	}
	a.ev.GotConn, a.ev.Reused = true, i.Reused
	a.seeConn(i.Conn)
	if a.StopReplays && a.ev.HTTP2 && !a.allHooks {
		a.attachInterim() // over HTTP/1 nothing is sent again after any answer
	}
	if i.Reused {
		a.note("got connection, reused", "")
	} else {
		a.note("got connection", "")
	}
}

// seeConn looks at the acquired connection, which a transport that is not
// net/http's may not show. One that ought to be TLS and shows neither its
// protocol nor its bytes may speak any: its hooks may come late, or never.
func (a *Attempt) seeConn(c net.Conn) {
	overTLS, isTLS := c.(*tls.Conn)
	if a.conn = counterOf(c); a.conn != nil {
		a.ev.Counted = true
		a.ev.HTTP2 = a.conn.prefaced()
		a.in0, a.out0 = a.conn.bytes()
	}
	switch {
	case isTLS:
		a.ev.HTTP2 = a.ev.HTTP2 || overTLS.ConnectionState().NegotiatedProtocol == "h2"
	case a.ev.TLSExpected && !a.ev.Counted:
		a.ev.HTTP2 = true
	}
	if c != nil {
		a.port = portOf(c.LocalAddr())
	}
}

func portOf(addr net.Addr) int {
	switch t := addr.(type) {
	case nil:
		return 0
	case *net.TCPAddr:
		return t.Port
	}
	_, port, err := net.SplitHostPort(addr.String())
	if err != nil {
		return 0
	}
	n, err := strconv.Atoi(port)
	if err != nil {
		return 0
	}
	return n
}
