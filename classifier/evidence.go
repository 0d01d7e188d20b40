package classifier

// Evidence is what the client's own instruments counted during one attempt.
// Package trace fills it in; it is a plain value, so a test can write it down.
// The zero value means that nothing was measured.
//
// All fields but EndedBefore, Exposed, ExposedYes, Moved, Acquisitions,
// ContextErr and CallerErr describe the last connection acquisition of the
// attempt: net/http may make several (a replay on a dead keep-alive connection,
// a redirect), each beginning with GetConn.
type Evidence struct {
	// Traced: the hooks were set. A transport that called none of them has told
	// nothing, and may have sent the request.
	Traced bool `json:"traced"`

	// EndedBefore: the attempt's context had ended before the request was handed
	// to the transport, which then asks for no connection.
	EndedBefore bool `json:"ended_before"`

	// Request is what was asked. Without a trace it is what tells a connect
	// failure that net/http may have caused by a replay from one that nothing
	// was sent before. Nil: unknown, and judged like the most exposed one.
	Request *SentRequest `json:"-"`

	// Acquisitions counts GetConn. More than one means that the transport
	// resent the request by itself, or that a redirect was followed.
	Acquisitions int `json:"acquisitions"`

	// Exposed: an earlier acquisition of this attempt may have delivered the
	// request. A late "never" does not erase it. ExposedYes: it was answered
	// (a redirect was followed), so the first request was processed.
	Exposed    bool `json:"exposed"`
	ExposedYes bool `json:"exposed_yes"`

	// Moved: an earlier request of this attempt was answered 307 or 308, with
	// which the server says that it did not act on it. What the last request
	// alone guarantees then rests on that word too.
	Moved bool `json:"moved"`

	// Resolving and dialling, as seen by the hooks of this attempt.
	DNSStarted, DNSDone         bool
	ConnectStarted, ConnectDone bool // Done: with a nil error
	TLSStarted, TLSDone         bool // Done: with a nil error
	TLSExpected                 bool // the URL is https
	ProxyConnect                bool // a CONNECT is part of the dial
	ProxyStatus                 int  // what CONNECT was answered; 0: nothing, or no CONNECT

	// The connection. HTTP2: it speaks that, or may: under TLS that is not of
	// crypto/tls and not Counted. False means that it does not where TLS has
	// agreed on the protocol, or the connection is Counted.
	GotConn bool
	Reused  bool
	HTTP2   bool

	// Counted: the connection counts its bytes. Without it BytesOut and BytesIn
	// are 0 and prove nothing.
	Counted bool

	// BytesOut counts what the kernel took from us on this connection since it
	// was acquired; exact for HTTP/1. Under TLS it counts ciphertext, close_notify
	// included, so more than zero proves nothing; zero proves that nothing was
	// sent. Over HTTP/2 the connection is shared: only zero means something.
	// BytesIn is the same for what came back.
	BytesOut, BytesIn int64

	// PeerEnded: this connection was read to its end. A head that does not
	// parse was then cut, and may be good next time. Under TLS the peer's
	// goodbye can hide it.
	PeerEnded bool

	// What net/http reported. Its hooks fire when the bytes reach its own
	// buffer, before the kernel has them.
	WroteHead    bool
	WroteRequest bool // with a nil error
	Wait100      bool // Expect: 100-continue, body held back
	Got100       bool
	FirstByte    bool // of the response head

	// BodyRead counts the request body's bytes that the transport has taken,
	// BodySize is the whole size (-1: unknown). BodyErr: the body's own Reader
	// failed.
	BodyRead, BodySize int64
	BodyErr            bool

	// Answered: RoundTrip returned a response; a later error is one of its body.
	Answered bool

	// ContextErr is why the attempt's context had ended (nil: it had not),
	// CallerErr the same for the caller's. Test these, not the error: a
	// cancellation with a cause hides context.Canceled.
	ContextErr, CallerErr error
}

// hooked tells whether the transport called any of the hooks.
func (ev *Evidence) hooked() bool {
	return ev.Acquisitions > 0 || ev.GotConn || ev.DNSStarted || ev.ConnectStarted
}

// Earlier is what became of the requests that this attempt sent before its
// last one, which is the one that a response answers: Yes where one was
// answered, Maybe where one may have been delivered, else empty.
func (ev *Evidence) Earlier() Processed {
	switch {
	case ev.ExposedYes:
		return Yes
	case ev.Exposed:
		return Maybe
	}
	return ""
}

// SentRequest is the request that an untraced error is judged with.
type SentRequest struct {
	Method string
	URL    string
	Key    bool // Idempotency-Key or X-Idempotency-Key is in the header map
	Body   bool // has a body
	// Rewindable: the transport can take the body again by itself (GetBody),
	// or there is none.
	Rewindable bool
	// HTTP2: it may go over HTTP/2, as https does, and http where the transport
	// is set to (net/http Protocols.SetUnencryptedHTTP2).
	HTTP2 bool
}
