package classifier

// Code is the canonical name of what went wrong: an errno (ECONNRESET), a
// resolver result (ENOTFOUND), a response (HTTP_503), an HTTP/2 error code
// (H2_REFUSED_STREAM), or one of the lab's own names below for what has no
// errno. The zero value means that nothing failed and nothing was answered.
type Code string

// Codes that are not an errno, a status or an HTTP/2 error code.
const (
	EOF            Code = "EOF"             // clean close before a response
	ConnClosed     Code = "CONN_CLOSED"     // our side had closed the connection, usually because the peer did: net.ErrClosed
	Truncated      Code = "TRUNCATED"       // the response began, then broke
	Malformed      Code = "MALFORMED"       // what came back is not HTTP
	Timeout        Code = "TIMEOUT"         // a client-side timer; the phase says which wait
	TLSCert        Code = "TLS_CERT"        // the peer's certificate was refused here
	TLSAlert       Code = "TLS_ALERT"       // the peer refused the handshake
	TLSTimeout     Code = "TLS_TIMEOUT"     // the handshake's own timer
	TLSEOF         Code = "TLS_EOF"         // clean close inside the handshake
	NotTLS         Code = "NOT_TLS"         // one side speaks TLS, the other does not
	Proxy          Code = "PROXY"           // the proxy refused the tunnel
	RedirectLoop   Code = "REDIRECT_LOOP"   // the client stopped following
	InvalidRequest Code = "INVALID_REQUEST" // never sendable; also: the request body's own Reader failed
	BodyConsumed   Code = "BODY_CONSUMED"   // cannot be sent again: the body is gone
	Canceled       Code = "CANCELED"        // by the caller
	Unknown        Code = "UNKNOWN"         // not recognised: never a guess
)

// Resolver results, named as getaddrinfo(3) names them, whichever resolver
// answered.
const (
	NotFound Code = "ENOTFOUND" // NXDOMAIN or NODATA: no such name, or no address of it
	EAIAgain Code = "EAI_AGAIN" // temporary failure
	EAIFail  Code = "EAI_FAIL"  // the resolver refuses to answer
)

// How the codes begin that have a name or a number of their own behind it.
const (
	HTTP2Prefix = "H2_"   // H2_ + the RFC 9113 section 7 name
	HTTPPrefix  = "HTTP_" // HTTP_ + the status
)

// Syscall is the call that failed, or empty where none did. Every resolver
// failure counts as getaddrinfo, also of Go's own resolver.
type Syscall string

// The calls, as their manual pages name them; read and write stand for their
// relatives too (readv, sendto, WSARecv).
const (
	Getaddrinfo Syscall = "getaddrinfo"
	Socket      Syscall = "socket"
	Connect     Syscall = "connect"
	Write       Syscall = "write"
	Read        Syscall = "read"
)

// Phase is how far the call had come.
type Phase string

const (
	PhasePrepare  Phase = "prepare"   // nothing was tried: the request itself is unusable
	PhaseResolve  Phase = "resolve"   // asking for the address
	PhaseConnect  Phase = "connect"   // dialling
	PhaseProxy    Phase = "proxy"     // asking a proxy for a tunnel
	PhaseTLS      Phase = "tls"       // the handshake
	PhasePool     Phase = "pool"      // waiting for a connection of the pool
	PhaseWrite    Phase = "write"     // sending head or body
	PhaseAwait    Phase = "await"     // sent, nothing of an answer yet
	PhaseReadHead Phase = "read-head" // the answer's head had begun
	PhaseReadBody Phase = "read-body" // the answer's head was complete
	PhaseAnswered Phase = "answered"  // a complete answer
	PhaseUnknown  Phase = "unknown"   // without a trace the error does not tell
)

// Processed says whether a server may have acted on the request.
type Processed string

const (
	Never Processed = "never" // no server application can have acted on it
	Maybe Processed = "maybe" // nobody on this side can know
	Yes   Processed = "yes"   // a final answer about the work exists
)

// Worse returns the one of p and q that promises less: yes, then maybe, then
// never. An operation's outcome is the worst of its attempts.
func (p Processed) Worse(q Processed) Processed {
	switch {
	case p == Yes || q == Yes:
		return Yes
	case p == Maybe || q == Maybe:
		return Maybe
	case p == "":
		return q
	}
	return p
}

// Basis is what a Processed rests on.
type Basis string

const (
	Guaranteed Basis = "guaranteed" // nothing was sent, or the protocol promises it
	Claimed    Basis = "claimed"    // the server says so
	Assumed    Basis = "assumed"    // neither
)

// Verdict is what may be done with the request.
type Verdict string

const (
	Done          Verdict = "done"           // a success: nothing to send again
	Retry         Verdict = "retry"          // the same bytes, after Decision.Wait
	RetryModified Verdict = "retry-modified" // once, with Decision.Modify changed
	Ambiguous     Verdict = "ambiguous"      // may have worked: do not resend, reconcile
	Fail          Verdict = "fail"           // will never work
	Stop          Verdict = "stop"           // would retry, but the wait, the deadline, the budget or the caller forbid it
)

// Modification is the one thing on the wire to change before sending again.
type Modification string

const (
	ModifyNothing    Modification = ""                 // the same bytes
	ModifyLength     Modification = "content-length"   // 411: buffer the body, send its length
	ModifyExpect     Modification = "without-expect"   // 417
	ModifyConnection Modification = "other-connection" // 421
	ModifyHTTP1      Modification = "http-1.1"         // H2_HTTP_1_1_REQUIRED
	ModifyNotEarly   Modification = "after-handshake"  // 425: never in early data
)
