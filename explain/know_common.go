package explain

// commonTable is what many runtimes say in the same words: the call that
// failed, earlier attempts, how long to wait.
func commonTable() Table {
	return Table{Title: "words that many runtimes share", SaidBy: ByClient, Entries: append(clueEntries, vagueEntries...)}
}

// clueEntries tell how far the call had come.
var clueEntries = []Entry{
	{ID: "clue/connect-call", Role: Clue, Rank: clueDial,
		Match: []string{"connect E*|connect() failed|connect() to|connect(2)|connect failed|tcp connect error|connect call failed|syscall: 'connect'|" +
			"\"syscall\":\"connect\"|\"syscall\": \"connect\"|erroredSysCall: 'connect'|while connecting to upstream|connectex|TCPConnectWrap"},
		Syscall: "connect", Phase: "connect", Source: "connect(2)",
		Example: "connect ETIMEDOUT 192.0.2.1:443"},
	{ID: "clue/connect-new", Role: Clue, Rank: clueDial,
		Match:   []string{"failed to open tcp connection|failed to establish a new connection"},
		Syscall: "connect", Phase: "connect", Source: "urllib3 connection.py, Ruby net/http.rb",
		Example: "Failed to establish a new connection: [Errno 110] Connection timed out"},
	{ID: "clue/connect-words", Role: Clue, Rank: clueWeak,
		Match: []string{"failed to connect|could not connect|couldn't connect|unable to connect|cannot connect|can't connect|" +
			"error trying to connect|error connecting|connect to|" +
			"connecting to|unable to reach|connect error"},
		Syscall: "connect", Phase: "connect", Source: "words of many libraries",
		Example: "failed to connect: connection timed out"},
	{ID: "clue/read-call", Role: Clue, Rank: clueRead,
		Match: []string{"read E*|recv failure|recv() failed|recv failed|recvfrom failed|recvmsg() failed|syscall: 'read'|\"syscall\":\"read\"|\"syscall\": \"read\"|" +
			"erroredSysCall: 'read'|read failed|read error|error reading|failed to read|while reading|wsarecv|reading from socket|read:"},
		Syscall: "read", Phase: "await", Source: "read(2), recv(2)",
		Example: "recv() failed: Connection reset by peer"},
	{ID: "clue/write-call", Role: Clue, Rank: clueWrite,
		Match: []string{"write E*|send failure|send() failed|sendto failed|sendmsg() failed|writev() failed|write failed|socket write error|error writing|" +
			"failed to write|while sending request body|while writing request|sending request body|syscall: 'write'|\"syscall\":\"write\"|\"syscall\": \"write\"|erroredSysCall: 'write'|wsasend|writing to socket|write:"},
		Syscall: "write", Phase: "write", Source: "write(2), send(2)",
		Example: "send() failed: Connection reset by peer"},
	{ID: "clue/handshake", Role: Clue, Rank: clueTLS,
		Match: []string{"SSL_connect|SSL_do_handshake|do_handshake|ssl handshake|tls handshake|tls connect error|handshake failed|handshake failure|" +
			"during handshake|bad handshake|during the handshake|gnutls_handshake|while ssl handshaking|ssl_connect_*|startHandshake|" +
			"handshake operation|unable to establish ssl connection", "!websocket handshake|opening handshake"},
		Phase: "tls", Source: "RFC 8446 section 4",
		Example: "Connection reset by peer - SSL_connect"},
	{ID: "clue/tunnel", Role: Clue, Rank: clueProxy,
		Match: []string{"tunneling socket could not be established|establishing a connect tunnel|while connecting to proxy|proxy tunnel"},
		Phase: "proxy", Source: "RFC 9110 section 9.3.6, tunnel-agent",
		Example: "tunneling socket could not be established, cause=socket hang up"},
	{ID: "clue/lookup-call", Role: Clue, Rank: clueLookup, Timed: true,
		Match:   []string{"getaddrinfo|gethostbyname|failed to lookup address|dns error"},
		Syscall: "getaddrinfo", Phase: "resolve", Source: "getaddrinfo(3)",
		Example: "getaddrinfo: Connection timed out"},
	{ID: "clue/body", Role: Clue, Rank: clueBody,
		Match: []string{"while reading response body|while reading body|reading the response body|error reading response body|failed to read response body|" +
			"reading body|response body|bytes remaining to read|error decoding response body|while sending to client"},
		Syscall: "read", Phase: "read-body", Source: "RFC 9112 section 8",
		Example: "Connection reset by peer while reading response body"},
}

// vagueEntries say that something failed, or how often, or for how long.
var vagueEntries = []Entry{
	{ID: "vague/timeout", Reads: happened, Rank: rankName, Quiet: true,
		Match: []string{"request timed out|request timeout|operation timed out|operation has timed out|timed out|TimeoutError|timeout expired|" +
			"timeout was reached|timeout exceeded|deadline exceeded|timeout error|TimeoutException|timeout|ETIME"},
		Code: "TIMEOUT", Phase: "", Usually: "", Source: "a client's own timer",
		Why:     "a timer of the client ran out, and the text does not say in which wait",
		Example: "timeout exceeded"},
	{ID: "vague/read-timeout", Reads: happened, Rank: rankTimer,
		Match: []string{"read timed out|read timeout|ReadTimeout|receive timeout|response timeout|ReadTimeoutError|read operation timed out"},
		Code:  "TIMEOUT", Usually: "await", Source: "a client's own timer",
		Why:     "the request was sent, and no answer came in time; the server may still be working on it",
		Example: "read timeout"},
	{ID: "vague/write-timeout", Reads: happened, Rank: rankTimer,
		Match: []string{"write timed out|write timeout|WriteTimeout|send timeout|WriteTimeoutError|write operation timed out"},
		Code:  "TIMEOUT", Phase: "write", Source: "a client's own timer",
		Why:     "the request could not be written in time; a part of it may have arrived",
		Example: "write timeout"},
	{ID: "vague/connect-timeout", Reads: happened, Rank: rankTimer,
		Match: []string{"connect timed out|connect timeout|connection timeout|ConnectTimeout|ConnectTimeoutError|connecttimeout|connecting timed out|" +
			"timeout connecting|timed out connecting|timed out while connecting|connection attempt timed out"},
		Code: "TIMEOUT", Phase: "", Usually: "connect", Source: "a client's own timer",
		Why:     "the client's own timer ran out before there was a connection; nothing was sent",
		Example: "connect timeout"},
	{ID: "vague/canceled", Rank: rankName, Quiet: true,
		Match: []string{"operation was aborted|request was aborted|request aborted|operation was canceled|operation was cancelled|request canceled|" +
			"request cancelled|context canceled|AbortError"},
		Code: "CANCELED", Usually: "unknown", Source: "the caller's own cancellation",
		Why:     "the caller gave up; that is never overruled, and the request may have been sent",
		Example: "request was aborted"},
	{ID: "vague/eof", Rank: rankName, Quiet: true,
		Match: []string{"connection closed|connection was closed|closed the connection|closed connection|connection has been closed|connection terminated|" +
			"connection lost|server disconnected|socket closed|closed by remote host|closed by peer|closed by the server|disconnected|connection unexpectedly closed", "!gracefully|normally"},
		Code: "EOF", Usually: "unknown", Source: "RFC 9112 section 9.6",
		Why:     "the connection ended, and the text does not say before what",
		Example: "connection closed"},

	{ID: "earlier/number", Role: Earlier, Reads: countAfter, Quiet: true,
		Match: []string{"giving up after|attempt|attempts: |attempt number|retry count|retry attempt|failed after|attempt count|retrycount|attemptnumber|" +
			"attempt_number|retries: |max retries:|retries exhausted: |attempts made: |try #*|" +
			"retrying (|[retry|retry #*|(retry|maximum number of attempts"},
		Source:  "the text's own counter",
		Example: "giving up after 3 attempts: connect ECONNREFUSED 127.0.0.1:80"},
	{ID: "earlier/count", Role: Earlier, Reads: countBefore, Quiet: true,
		Match:   []string{"attempts|retries|tries|attempt(s)|times", "!tries remaining|tries left|retries remaining|retries left|attempts remaining|attempts left"},
		Source:  "the text's own counter",
		Example: "failed 3 times: connect ECONNREFUSED 127.0.0.1:80"},

	{ID: "earlier/exhausted", Role: Earlier, Quiet: true,
		Match: []string{"all retries failed|all retries exhausted|all attempts failed|retries have been exhausted|retry exhausted|exhausted all retries|" +
			"exhausted all attempts|after multiple retries|after several retries|after several attempts|after multiple attempts|out of retries|" +
			"max retries reached|maximum retries reached|no more retries|retries were exhausted|after retries|retry limit reached|retry limit exceeded|*NumberOfRetriesExceeded"},
		Source:  "the text's own words",
		Example: "all retries failed: connect ECONNREFUSED 127.0.0.1:80"},
	{ID: "earlier/resent", Role: Earlier, Quiet: true,
		Match:   []string{"retrying a fresh connect|Issue another request to this URL", "!REFUSED_STREAM, retrying*"},
		Source:  "curl lib/transfer.c Curl_retry_request, redirects",
		Example: "* Connection died, retrying a fresh connect (retry count: 1)"},
	{ID: "earlier/answered", Role: Earlier, Quiet: true,
		Match: []string{"Result: '500'|Result: '502'|Result: '503'|Result: '504'|Result: '408'|Result: 'InternalServerError'|Result: 'BadGateway'|" +
			"Result: 'GatewayTimeout'|Result: 'ServiceUnavailable'", "Execution attempt*"},
		Source:  "Polly telemetry",
		Example: "Execution attempt. Source: 'api', Result: '502', Handled: 'True', Attempt: '0'"},

	{ID: "pause/retry-after", Role: Pause, Reads: timeAfter, Quiet: true,
		Match: []string{"retry-after|retry_after|retry after|try again in|try again after|retry in|retryDelay|retry your request after|wait for|retryafter|" +
			"available in|reset in|x-ratelimit-reset-after|retry again in|resets in"},
		Source:  "RFC 9110 section 10.2.3",
		Example: "429 Too Many Requests, please try again in 20s"},
	{ID: "pause/millis", Role: Pause, Reads: millisAfter, Quiet: true,
		Match:   []string{"retry-after-ms|retry_after_ms|x-ms-retry-after-ms|retryafterms"},
		Source:  "Azure and OpenAI SDKs",
		Example: "429 Too Many Requests retry-after-ms: 1500"},

	{ID: "mark/gateway", Role: Mark, Quiet: true,
		Match: []string{"cloudflare|cf-ray|server: nginx|<center>nginx*|openresty|awselb|x-envoy-*|envoy|varnish|haproxy|ray id|akamaighost|via: 1*|" +
			"x-amz-cf-id|fly-request-id"},
		Source:  "RFC 9110 section 7.6.3",
		Example: "503 Service Unavailable server: cloudflare"},
}
