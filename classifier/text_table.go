package classifier

// match is how much of a message a row's text is.
type match uint8

const (
	exact match = iota
	prefix
	suffix
)

// textRow is a message that net/http makes without a type to go with it.
type textRow struct {
	text  string
	match match
	code  Code
	phase Phase // empty: the text does not tell
	proof outcome
}

// textTable has the messages of net/http, HTTP/2 included, that no type and no
// sentinel stands for. Each is compared with the innermost error only, and
// anchored, so that what a server sends cannot pose as one.
//
// A text may name the code. It proves that nothing was processed in two cases
// only: net/http refused the request before it asked for a connection, or HTTP/2
// promises it.
var textTable = [...]textRow{
	// Before a connection was asked for.
	{`unsupported protocol scheme "`, prefix, InvalidRequest, PhasePrepare, notSent},
	{"http: no Host in request URL", exact, InvalidRequest, PhasePrepare, notSent},
	{"http: nil Request.URL", exact, InvalidRequest, PhasePrepare, notSent},
	{"http: nil Request.Header", exact, InvalidRequest, PhasePrepare, notSent},
	{"http: Request.RequestURI can't be set in client requests", exact, InvalidRequest, PhasePrepare, notSent},
	{"net/http: nil Context", exact, InvalidRequest, PhasePrepare, notSent},
	{"net/http: invalid method ", prefix, InvalidRequest, PhasePrepare, notSent},
	{"net/http: invalid header ", prefix, InvalidRequest, PhasePrepare, notSent},
	{"net/http: invalid trailer ", prefix, InvalidRequest, PhasePrepare, notSent},

	// On a connection, while the request was written.
	{"http: Request.ContentLength=", prefix, InvalidRequest, PhaseWrite, outcome{}},
	{"http: ContentLength=", prefix, InvalidRequest, PhaseWrite, outcome{}},
	{"http: invalid Host header", exact, InvalidRequest, PhaseWrite, outcome{}},
	{"net/http: can't write control character in Request.URL", exact, InvalidRequest, PhaseWrite, outcome{}},
	{"http2: request body larger than specified content length", exact, InvalidRequest, PhaseWrite, outcome{}},
	{"request header list larger than peer's advertised limit", exact, InvalidRequest, PhaseWrite, outcome{}},
	{"net/http: cannot rewind body after connection loss", exact, BodyConsumed, "", outcome{}},

	// Redirects.
	{"stopped after 10 redirects", exact, RedirectLoop, PhaseAnswered, outcome{}},

	// Timers. One text stands for every wait before the response head.
	{" (Client.Timeout exceeded while awaiting headers)", suffix, Timeout, "", outcome{}},
	{" (Client.Timeout or context cancellation while reading body)", suffix, Timeout, PhaseReadBody, outcome{}},
	{"net/http: timeout awaiting response headers", exact, Timeout, PhaseAwait, outcome{}},
	{"http2: timeout awaiting response headers", exact, Timeout, PhaseAwait, outcome{}},
	{"net/http: request canceled", prefix, Canceled, "", outcome{}},

	// The connection.
	{"http: server closed idle connection", exact, EOF, PhaseAwait, outcome{}},

	// The response head.
	{`malformed HTTP response "\x15\x03`, prefix, NotTLS, PhaseReadHead, outcome{}},
	{`malformed HTTP response "HTTP/`, prefix, Malformed, PhaseReadHead, outcome{Yes, Assumed}},
	{`malformed HTTP response "`, prefix, Malformed, PhaseReadHead, outcome{}},
	{`malformed HTTP status code "`, prefix, Malformed, PhaseReadHead, outcome{}}, // before the version is looked at: "220 lab ESMTP"
	{`malformed HTTP version "`, prefix, Malformed, PhaseReadHead, outcome{}},
	{`bad Content-Length "`, prefix, Malformed, PhaseReadHead, outcome{Yes, Assumed}},
	{"http: message cannot contain multiple Content-Length headers", prefix, Malformed, PhaseReadHead, outcome{Yes, Assumed}},
	{"unsupported transfer encoding: ", prefix, Malformed, PhaseReadHead, outcome{Yes, Assumed}},
	{"too many transfer encodings: ", prefix, Malformed, PhaseReadHead, outcome{Yes, Assumed}},
	{"net/http: server response headers exceeded ", prefix, Malformed, PhaseReadHead, outcome{}},
	{"malformed response from server: ", prefix, Malformed, PhaseReadHead, outcome{}},
	{"http2: response header list larger than advertised limit", exact, Malformed, PhaseReadHead, outcome{}},

	// The response body.
	{"http: unexpected EOF reading trailer", exact, Truncated, PhaseReadBody, outcome{}},
	{"http: suspiciously long trailer after chunked body", exact, Truncated, PhaseReadBody, outcome{}}, // or it broke off
	{"malformed chunked encoding", exact, Malformed, PhaseReadBody, outcome{}},
	{"invalid byte in chunk length", exact, Malformed, PhaseReadBody, outcome{}},
	{"empty hex number for chunk length", exact, Malformed, PhaseReadBody, outcome{}},
	{"http chunk length too large", exact, Malformed, PhaseReadBody, outcome{}},
	{"chunked encoding contains too much non-data", exact, Malformed, PhaseReadBody, outcome{}},
	{"chunked line ends with bare LF", exact, Malformed, PhaseReadBody, outcome{}},
	{"invalid CR in chunked line", exact, Malformed, PhaseReadBody, outcome{}},
	{"header line too long", exact, Malformed, PhaseReadBody, outcome{}},
	{"net/http: server replied with more than declared Content-Length; truncated", exact, Malformed, PhaseReadBody, outcome{}},

	// HTTP/2: the request was never given to the server (RFC 9113 section 8.7).
	{"http2: Transport received GOAWAY from server ErrCode:", prefix, h2GoAway, PhaseAwait, notSent},
	{"http2: Transport received Server's graceful shutdown GOAWAY", exact, h2GoAway, PhaseAwait, notSent},
	{"http2: client conn not usable", exact, ConnClosed, PhaseAwait, notSent},
	{"http2: client conn could not be established", exact, ConnClosed, PhaseAwait, notSent},
	{"http2: no cached connection was available", exact, ConnClosed, PhaseAwait, notSent},

	// HTTP/2: it may have been.
	{"http2: server sent GOAWAY and closed the connection; ", prefix, h2GoAway, "", outcome{}},
	{"http2: client connection lost", exact, Timeout, PhaseAwait, outcome{}}, // its ping was not answered
	{"http2: client conn is closed", exact, ConnClosed, "", outcome{}},
	{"http2: client connection force closed via ClientConn.Close", exact, ConnClosed, "", outcome{}},
}
