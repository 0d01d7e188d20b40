package trace

import (
	"crypto/tls"
	"net/http/httptrace"
)

// replay is what became of a request that the transport was about to send
// again by itself, and was stopped.
type replay struct {
	cause  error // what broke the first connection; nil: the counters do not tell
	unsent bool

	// The connection that it was given all the same, and what it took of it.
	conn      counted
	out0      int64
	given     bool
	wroteHead bool
}

// A Replay is a request that the transport was about to send again by itself,
// and was stopped.
type Replay struct {
	// Cause is what broke the first connection: an error of its Read or Write;
	// nil where its bytes do not tell, as over HTTP/2.
	Cause error

	// Unsent: nothing of the request was sent on that connection, or not its
	// whole head.
	Unsent bool
}

// Replay tells whether there was one to stop (see StopReplays). The Evidence is
// then that of the first connection.
func (a *Attempt) Replay() (r Replay, stopped bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.replay == nil {
		return Replay{}, false
	}
	return Replay{Cause: a.replay.cause, Unsent: a.replay.unsent}, true
}

// Single tells whether the transport asked for one connection at most: then
// what was answered is the one request that it was given.
func (a *Attempt) Single() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.ev.Acquisitions <= 1 && a.replay == nil
}

// isReplay tells, under mu, whether a request for another connection is a
// replay to stop. net/http makes none once the answer has begun, but for an
// interim one.
func (a *Attempt) isReplay() bool {
	return a.StopReplays && a.ev.GotConn && (!a.ev.FirstByte || a.early) && !a.below
}

// standBack leaves replays to an attempt below.
func (a *Attempt) standBack() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.below = true
}

// stopReplay is called, under mu, when the transport asks for another
// connection after it had one. The writer of the first has ended by then, over
// HTTP/2 too, so that no hook of it is still to come. Cancelling makes net/http give up, unless a
// connection is at hand: then it may draw either of the two.
func (a *Attempt) stopReplay() {
	a.count()
	a.replay = &replay{unsent: !a.ev.WroteHead || a.conn != nil && a.ev.BytesOut == 0}
	if a.conn != nil {
		a.replay.cause = a.conn.broken()
	}
	a.life.stop(errReplay)
	a.note("stopped: about to be sent again", "")
}

// gotAnother is called, under mu, with the connection for a replay. One of
// HTTP/1 is this request's alone, and once closed it takes nothing more; over
// HTTP/2 a cancelled request is looked at again before its head is written.
func (a *Attempt) gotAnother(i httptrace.GotConnInfo) {
	r := a.replay
	r.given = true
	if i.Conn == nil {
		return
	}
	overTLS, isTLS := i.Conn.(*tls.Conn)
	if r.conn = counterOf(i.Conn); r.conn != nil {
		_, r.out0 = r.conn.bytes()
	}
	if isTLS && overTLS.ConnectionState().NegotiatedProtocol != "h2" || !isTLS && r.conn != nil && !r.conn.prefaced() {
		i.Conn.Close() // its error is that of a connection nobody wants
	}
}

// slipped tells whether something of the replay may have been sent.
func (r *replay) slipped() bool {
	switch {
	case r == nil:
		return false
	case r.conn == nil:
		return r.given && r.wroteHead
	}
	_, out := r.conn.bytes()
	return r.wroteHead && out > r.out0
}
