package classifier

// Reason is the rule that decided, one short kebab-case word. Every value has
// a sentence and a source; the list is closed (see [Reasons]).
type Reason string

// The rules of [Decide], in the order of the verdicts they lead to.
const (
	// Done.
	Success          Reason = "success"
	RedirectAnswered Reason = "redirect-answered"

	// Retry.
	NotSent           Reason = "not-sent"
	LocalResource     Reason = "local-resource"
	ProtocolPromise   Reason = "protocol-promise"
	ServerSaidWait    Reason = "server-said-wait"
	RateLimited       Reason = "rate-limited"
	ServerDidNoWork   Reason = "server-did-no-work"
	ProxyNotForwarded Reason = "proxy-not-forwarded"
	TooEarly          Reason = "too-early"
	KeyInFlight       Reason = "key-in-flight"
	IdempotentMethod  Reason = "idempotent-method"
	IdempotencyKey    Reason = "idempotency-key"

	// RetryModified.
	LengthRequired    Reason = "length-required"
	ExpectationFailed Reason = "expectation-failed"
	MisdirectedAnswer Reason = "misdirected"
	NeedsHTTP1        Reason = "needs-http-1.1"

	// Ambiguous.
	MayHaveBeenProcessed Reason = "may-have-been-processed"
	PossiblyApplied      Reason = "possibly-applied"

	// Fail.
	Deterministic     Reason = "deterministic"
	Credentials       Reason = "credentials"
	Conflict          Reason = "conflict"
	NotSupported      Reason = "not-supported"
	UserAction        Reason = "user-action"
	NetworkLogin      Reason = "network-login"
	RedirectElsewhere Reason = "redirect-elsewhere"
	RedirectLimit     Reason = "redirect-limit"
	NoSuchName        Reason = "no-such-name"
	Forbidden         Reason = "forbidden-locally"
	Certificate       Reason = "certificate"
	HandshakeRefused  Reason = "handshake-refused"
	WrongProtocol     Reason = "wrong-protocol"
	ProxyRefused      Reason = "proxy-refused"
	BadAnswer         Reason = "bad-answer"
	BadRequest        Reason = "invalid-request"
	AnswerLost        Reason = "answer-lost"
	BodyGone          Reason = "body-not-replayable"
	ServerVeto        Reason = "server-veto"
	AlreadyModified   Reason = "already-modified"
	NotRecognised     Reason = "not-recognised"

	// Stop.
	WaitTooLong    Reason = "wait-too-long"
	CallerCanceled Reason = "caller-canceled"
)

// Sentence says in one plain English sentence, without a full stop, what the
// rule means. Empty for a word that is no reason.
func (r Reason) Sentence() string { return r.row().sentence }

// Source names where the rule comes from: an RFC section, a manual page, a Go
// source file. Empty for a word that is no reason. What happened has a source
// of its own, see [Failure.Source].
func (r Reason) Source() string { return r.row().source }

func (r Reason) row() reasonRow {
	for i := range reasonRows {
		if reasonRows[i].reason == r {
			return reasonRows[i]
		}
	}
	return reasonRow{}
}

type reasonRow struct {
	reason           Reason
	sentence, source string
}

var reasonRows = [...]reasonRow{
	{Success, "the work is done, there is nothing to send again", "RFC 9110 section 15.3"},
	{RedirectAnswered, "the request was answered with another resource, which the client did not fetch", "RFC 9110 section 15.4"},

	{NotSent, "nothing of the request was sent, so nothing can have acted on it", "RFC 9110 section 9.2.2"},
	{LocalResource, "this machine or this client ran out of something before anything was sent; a quick retry makes it worse", "connect(2), socket(2)"},
	{ProtocolPromise, "the protocol promises that the request was not processed", "RFC 9113 section 8.7, RFC 9114 section 4.1.1"},
	{ServerSaidWait, "the server refused the work for now and said how long to wait", "RFC 9110 section 10.2.3"},
	{RateLimited, "the server refused the work because of a rate limit and did not say how long to wait", "RFC 6585 section 4"},
	{ServerDidNoWork, "the server says that it did no work on the request, and that this may pass", "RFC 9110 sections 15.5.9 and 15.6.4"},
	{ProxyNotForwarded, "the gateway says that it never forwarded the request", "RFC 9209 section 2.3"},
	{TooEarly, "the server refused to act on early data; once, after the handshake", "RFC 8470 section 5.2"},
	{KeyInFlight, "the first request with this key is still running; wait and send the same key", "draft-ietf-httpapi-idempotency-key-header, Error Handling"},
	{IdempotentMethod, "the method is idempotent, so a second delivery has the same effect as one", "RFC 9110 section 9.2.2"},
	{IdempotencyKey, "the server honours the idempotency key, so a second delivery is recognised", "draft-ietf-httpapi-idempotency-key-header"},

	{LengthRequired, "the server wants a Content-Length; buffer the body and send it once more", "RFC 9110 section 15.5.12"},
	{ExpectationFailed, "the server does not take Expect; send it once more without", "RFC 9110 section 10.1.1"},
	{MisdirectedAnswer, "the server is not the authority on this connection; once more over another one", "RFC 9110 section 15.5.20"},
	{NeedsHTTP1, "the server wants HTTP/1.1 for this request; once more over that", "RFC 9113 section 7, RFC 9114 section 8.1"},

	{MayHaveBeenProcessed, "the server may have acted on it, and a second delivery could do the work twice; find out first", "RFC 9110 section 9.2.2"},
	{PossiblyApplied, "this answer may be the echo of an earlier attempt that worked; find out first", "RFC 9110 section 9.2.2"},

	{Deterministic, "the same request will get the same answer", "RFC 9110 section 15.5"},
	{Credentials, "the request needs fresh credentials; that is a new call, not a retry", "RFC 9110 section 15.5.2"},
	{Conflict, "the request conflicts with the state of the resource; read it again and decide anew", "RFC 9110 section 15.5.10"},
	{NotSupported, "the server does not support what is asked, now or later", "RFC 9110 sections 15.6.2 and 15.6.6"},
	{UserAction, "must not be repeated unless a user asks for it again", "RFC 4918 section 11.5"},
	{NetworkLogin, "the network wants a login, every answer on it is suspect", "RFC 6585 section 6"},
	{RedirectElsewhere, "the request belongs at another URL; sending it there is a new call", "RFC 9110 section 15.4"},
	{RedirectLimit, "the client stopped following redirects; a hop may have acted on the request", "RFC 9110 section 15.4"},
	{NoSuchName, "the name does not exist, or has no address", "getaddrinfo(3), RFC 2308 section 2"},
	{Forbidden, "this machine does not allow or cannot make the connection", "connect(2)"},
	{Certificate, "the certificate of the peer was refused here", "RFC 5280 section 6, RFC 9110 section 4.3.4"},
	{HandshakeRefused, "the peer refused the TLS handshake, or broke the connection with a TLS alert", "RFC 8446 section 6.2"},
	{WrongProtocol, "one side speaks TLS and the other does not", "RFC 9110 section 4.2.2"},
	{ProxyRefused, "the proxy refused the tunnel", "RFC 9110 section 9.3.6"},
	{BadAnswer, "what came back cannot be read as an answer, and would not be next time", "RFC 9112 section 2.2"},
	{BadRequest, "the request cannot be sent as it is, or its own body failed", "RFC 9110 section 7"},
	{AnswerLost, "the server has answered, only the answer is lost; sending again would do the work again", "RFC 9110 section 9.2.2"},
	{BodyGone, "the body cannot be sent again from its first byte", "RFC 9110 section 9.2.2"},
	{ServerVeto, "the server says that sending it again will not help", "grpc proposal A6, docs.stripe.com/api/idempotent_requests"},
	{AlreadyModified, "the one change that this answer asks for has been made already", "RFC 9110 section 15.5"},
	{NotRecognised, "not recognised, and nothing is guessed", "RFC 9110 section 9.2.2"},

	{WaitTooLong, "the server asks for a longer wait than the caller allows; a server's wait is never shortened", "RFC 9110 section 10.2.3"},
	{CallerCanceled, "the caller gave up, and that is never overruled", "context.Context"},
}
