package trace

import (
	"context"
	"crypto/tls"
	"net"
	"net/http/httptrace"
	"strconv"

	"github.com/retry-lab/retry-lab/classifier"
)

// hooks attaches the recorder to a context. Dials are detached from the
// request, so any hook may fire late or for a connection that another request
// will use; what it says is entered until End.
func (a *Attempt) hooks(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(addr string) { a.on("get connection "+addr, a.acquire) },
		GotConn: func(i httptrace.GotConnInfo) { a.got(i) },
		DNSStart: func(i httptrace.DNSStartInfo) {
			a.on("resolve "+i.Host, func(e *classifier.Evidence) { e.DNSStarted = true })
		},
		DNSDone: func(i httptrace.DNSDoneInfo) {
			a.on("resolved"+failed(i.Err), func(e *classifier.Evidence) { e.DNSDone = i.Err == nil })
		},
		ConnectStart: func(_, addr string) {
			a.on("connect "+addr, func(e *classifier.Evidence) { e.ConnectStarted = true })
		},
		ConnectDone: func(_, addr string, err error) {
			a.on("connected"+failed(err), func(e *classifier.Evidence) { e.ConnectDone = e.ConnectDone || err == nil })
		},
		TLSHandshakeStart: func() {
			a.on("tls handshake", func(e *classifier.Evidence) { e.TLSStarted = true })
		},
		TLSHandshakeDone: func(_ tls.ConnectionState, err error) {
			a.on("tls handshake done"+failed(err), func(e *classifier.Evidence) { e.TLSDone = err == nil })
		},
		WroteHeaders:    func() { a.on("wrote head", func(e *classifier.Evidence) { e.WroteHead = true }) },
		Wait100Continue: func() { a.on("wait for 100", func(e *classifier.Evidence) { e.Wait100 = true }) },
		Got100Continue:  func() { a.on("got 100", func(e *classifier.Evidence) { e.Got100 = true }) },
		WroteRequest: func(i httptrace.WroteRequestInfo) {
			a.on("wrote request"+failed(i.Err), func(e *classifier.Evidence) { e.WroteRequest = i.Err == nil })
		},
		GotFirstResponseByte: func() {
			a.on("first byte of the answer", func(e *classifier.Evidence) { e.FirstByte = true })
		},
	})
}

func failed(err error) string {
	if err == nil {
		return ""
	}
	return ": " + err.Error()
}

// on enters an event and what it changes.
func (a *Attempt) on(what string, change func(*classifier.Evidence)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.ended {
		return
	}
	change(&a.ev)
	a.note(what)
}

// acquire begins a new connection acquisition: the fields of the last one
// start again, what it may have delivered stays. No hook says why net/http
// tries again. Over HTTP/2 it may be the protocol's promise or a mere
// PROTOCOL_ERROR, so only a connection that took nothing has delivered
// nothing; by now the last writer has ended. Called under mu.
func (a *Attempt) acquire(e *classifier.Evidence) {
	a.count()
	exposed := e.Exposed || !a.moved && e.GotConn && (a.conn == nil || e.BytesOut > 0)
	*e = classifier.Evidence{
		Traced: true, Request: e.Request, TLSExpected: e.TLSExpected,
		Acquisitions: e.Acquisitions + 1, Exposed: exposed, ExposedYes: e.ExposedYes, Moved: e.Moved,
	}
	a.conn, a.in0, a.out0, a.moved = nil, 0, 0, false
}

// got enters the acquired connection and its counters as they stand.
func (a *Attempt) got(i httptrace.GotConnInfo) {
	what := "got connection"
	if i.Reused {
		what = "got connection, reused"
	}
	a.on(what, func(e *classifier.Evidence) {
		e.GotConn, e.Reused = true, i.Reused
		if t, ok := i.Conn.(*tls.Conn); ok {
			e.HTTP2 = t.ConnectionState().NegotiatedProtocol == "h2"
		}
		a.port = portOf(i.Conn.LocalAddr())
		if a.conn = counterOf(i.Conn); a.conn != nil {
			e.Counted = true
			e.HTTP2 = e.HTTP2 || a.conn.prefaced()
			a.in0, a.out0 = a.conn.bytes()
		}
	})
}

func portOf(addr net.Addr) int {
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
