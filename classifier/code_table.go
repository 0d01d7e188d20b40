package classifier

import "strings"

// codeRow is one failure that is not an answer.
type codeRow struct {
	code Code
	rule

	// phase is the one this code certainly means where nothing else tells the
	// phase; empty where it can happen in several.
	phase Phase

	// refused: the protocol promises that the request was not processed, in
	// whatever phase it comes.
	refused bool

	source string
}

// codeTable is sorted by code (rowOfCode searches it). An errno's kind holds
// for the call that failed; how far the request had come is the phase's
// business, not the table's.
var codeTable = [...]codeRow{
	{BodyConsumed, fails(BodyGone), "", false, "net/http/transport.go"},
	{Canceled, rule{caller, Decision{Verdict: Stop, Reason: CallerCanceled}}, "", false, "context.Canceled"},
	{ConnClosed, passes(NotSent), "", false, "net.ErrClosed"},
	{"EACCES", unsure(Forbidden), "", false, "connect(2)"},
	{"EADDRINUSE", unsure(Forbidden), "", false, "bind(2)"},
	{"EADDRNOTAVAIL", passes(LocalResource), "", false, "connect(2)"},
	{"EAFNOSUPPORT", unsure(Forbidden), "", false, "socket(2)"},
	{"EAGAIN", passes(LocalResource), "", false, "errno(3)"},
	{EAIAgain, passes(NotSent), PhaseResolve, false, "getaddrinfo(3)"},
	{EAIFail, passes(NotSent), PhaseResolve, false, "getaddrinfo(3)"},
	{"EBADF", unsure(NotRecognised), "", false, "errno(3)"},
	{"ECONNABORTED", passes(NotSent), "", false, "errno(3)"},
	{"ECONNREFUSED", passes(NotSent), "", false, "connect(2), tcp(7)"},
	{"ECONNRESET", passes(NotSent), "", false, "errno(3), tcp(7)"},
	{"EHOSTDOWN", passes(NotSent), "", false, "errno(3)"},
	{"EHOSTUNREACH", passes(NotSent), "", false, "ip(7)"},
	{"EINTR", passes(NotSent), "", false, "errno(3)"},
	{"EINVAL", unsure(Forbidden), "", false, "connect(2)"},
	{"EMFILE", passes(LocalResource), "", false, "socket(2)"},
	{"ENETDOWN", passes(NotSent), "", false, "errno(3)"},
	{"ENETRESET", passes(NotSent), "", false, "errno(3)"},
	{"ENETUNREACH", passes(NotSent), "", false, "connect(2), ip(7)"},
	{"ENFILE", passes(LocalResource), "", false, "socket(2)"},
	{"ENOBUFS", passes(LocalResource), "", false, "socket(2)"},
	{"ENOENT", unsure(Forbidden), "", false, "unix(7)"},
	{"ENOMEM", passes(LocalResource), "", false, "socket(2)"},
	{"ENOTCONN", passes(NotSent), "", false, "errno(3)"},
	{NotFound, fails(NoSuchName), PhaseResolve, false, "getaddrinfo(3)"},
	{EOF, passes(NotSent), "", false, "io.EOF"},
	{"EPERM", unsure(Forbidden), "", false, "connect(2)"},
	{"EPIPE", passes(NotSent), "", false, "send(2)"},
	{"EPROTO", passes(NotSent), "", false, "errno(3)"},
	{"ESHUTDOWN", passes(NotSent), "", false, "errno(3)"},
	{"ETIMEDOUT", passes(NotSent), "", false, "connect(2), tcp(7)"},
	{"H2_CANCEL", passes(NotSent), "", false, "RFC 9113 section 7"},
	{"H2_COMPRESSION_ERROR", passes(NotSent), "", false, "RFC 9113 section 7"},
	{"H2_CONNECT_ERROR", passes(NotSent), "", false, "RFC 9113 section 7"},
	{"H2_ENHANCE_YOUR_CALM", passes(NotSent), "", false, "RFC 9113 section 7"},
	{"H2_FLOW_CONTROL_ERROR", passes(NotSent), "", false, "RFC 9113 section 7"},
	{"H2_FRAME_SIZE_ERROR", passes(NotSent), "", false, "RFC 9113 section 7"},
	{h2GoAway, passes(ProtocolPromise), "", false, "RFC 9113 sections 6.8 and 8.7"},
	{"H2_HTTP_1_1_REQUIRED", changes(ModifyHTTP1, NeedsHTTP1), "", false, "RFC 9113 section 7"},
	{"H2_INADEQUATE_SECURITY", fails(HandshakeRefused), "", false, "RFC 9113 section 7"},
	{"H2_INTERNAL_ERROR", passes(NotSent), "", false, "RFC 9113 section 7"},
	{"H2_NO_ERROR", passes(NotSent), "", false, "RFC 9113 sections 7 and 8.1"},
	{"H2_PROTOCOL_ERROR", passes(NotSent), "", false, "RFC 9113 section 7"},
	{h2RefusedStream, passes(ProtocolPromise), PhaseAwait, true, "RFC 9113 section 8.7"},
	{"H2_SETTINGS_TIMEOUT", passes(NotSent), "", false, "RFC 9113 section 7"},
	{"H2_STREAM_CLOSED", passes(NotSent), "", false, "RFC 9113 section 7"},
	{"H3_EXCESSIVE_LOAD", passes(NotSent), "", false, "RFC 9114 section 8.1"},
	{"H3_INTERNAL_ERROR", passes(NotSent), "", false, "RFC 9114 section 8.1"},
	{"H3_NO_ERROR", passes(NotSent), "", false, "RFC 9114 section 8.1"},
	{"H3_REQUEST_CANCELLED", passes(NotSent), "", false, "RFC 9114 sections 4.1.1 and 8.1"},
	{"H3_REQUEST_INCOMPLETE", passes(NotSent), "", false, "RFC 9114 section 8.1"},
	{"H3_REQUEST_REJECTED", passes(ProtocolPromise), PhaseAwait, true, "RFC 9114 section 4.1.1"},
	{"H3_VERSION_FALLBACK", changes(ModifyHTTP1, NeedsHTTP1), "", false, "RFC 9114 section 8.1"},
	{InvalidRequest, fails(BadRequest), "", false, "net/http"},
	{Malformed, unsure(BadAnswer), "", false, "RFC 9112 section 2.2"},
	{NotTLS, unsure(WrongProtocol), "", false, "RFC 9110 section 4.2.2"},
	{PoolTimeout, passes(LocalResource), PhasePool, false, "the client's own pool"},
	{Proxy, passes(NotSent), PhaseProxy, false, "RFC 9110 section 9.3.6"},
	{RedirectLoop, fails(RedirectLimit), PhaseAnswered, false, "RFC 9110 section 15.4"},
	{Timeout, passes(NotSent), "", false, "context.DeadlineExceeded, os.ErrDeadlineExceeded"},
	{TLSAlert, unsure(HandshakeRefused), "", false, "RFC 8446 section 6.2"},
	{TLSCert, fails(Certificate), PhaseTLS, false, "RFC 5280 section 6"},
	{TLSEOF, passes(NotSent), PhaseTLS, false, "RFC 8446 section 6.1"},
	{TLSTimeout, passes(NotSent), PhaseTLS, false, "net/http Transport.TLSHandshakeTimeout"},
	{Truncated, passes(NotSent), "", false, "RFC 9112 section 8"},
	{Unknown, unsure(NotRecognised), "", false, "not recognised"},
}

const (
	h2RefusedStream Code = HTTP2Prefix + "REFUSED_STREAM"
	h2GoAway        Code = HTTP2Prefix + "GOAWAY"
)

// PoolTimeout is a wait for a connection of the pool that ended, where a
// client names its pool. net/http does not: there it is Timeout in PhasePool.
const PoolTimeout Code = "POOL_TIMEOUT"

// unknownRow answers for a code that is in no table.
var unknownRow = &codeTable[len(codeTable)-1]

// rowOfCode finds the row of a code, nil where there is none.
func rowOfCode(c Code) *codeRow {
	lo, hi := 0, len(codeTable)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		switch order := strings.Compare(string(codeTable[mid].code), string(c)); {
		case order == 0:
			return &codeTable[mid]
		case order < 0:
			lo = mid + 1
		default:
			hi = mid
		}
	}
	return nil
}
