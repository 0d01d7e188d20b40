package explain

import (
	"strconv"
	"strings"

	"github.com/retry-lab/retry-lab/classifier"
)

// curlRow is one result code of libcurl, where no words say more.
type curlRow struct {
	number         int
	name           string
	code           classifier.Code
	phase, usually classifier.Phase
	processed      classifier.Processed
	why            string
}

var curlRows = [...]curlRow{
	{1, "CURLE_UNSUPPORTED_PROTOCOL", "INVALID_REQUEST", "prepare", "", "", "the URL's scheme is not supported: nothing left, and the same every time"},
	{3, "CURLE_URL_MALFORMAT", "INVALID_REQUEST", "prepare", "", "", "the URL is malformed: nothing left, and the same every time"},
	{5, "CURLE_COULDNT_RESOLVE_PROXY", "ENOTFOUND", "resolve", "", "", "the proxy's name was not resolved: nothing was sent"},
	{6, "CURLE_COULDNT_RESOLVE_HOST", "ENOTFOUND", "resolve", "", "", "the name was not resolved: nothing was sent"},
	{7, "CURLE_COULDNT_CONNECT", "ECONNREFUSED", "connect", "", "", "no connection was made: nothing was sent"},
	{8, "CURLE_WEIRD_SERVER_REPLY", "MALFORMED", "read-head", "", "", "what came back is not HTTP"},
	{16, "CURLE_HTTP2", "H2_PROTOCOL_ERROR", "", "await", "", "the HTTP/2 connection broke; the request may have been processed"},
	{18, "CURLE_PARTIAL_FILE", "TRUNCATED", "read-body", "", "", "the head had arrived and the body was cut: the work is done"},
	{23, "CURLE_WRITE_ERROR", "CANCELED", "read-body", "", "", "the program could not take the answer's body: the work is done"},
	{26, "CURLE_READ_ERROR", "INVALID_REQUEST", "write", "", "", "the program could not read the body that it was to send"},
	{28, "CURLE_OPERATION_TIMEDOUT", "TIMEOUT", "", "unknown", "", "a timer ran out: 28 is a connect, a silent server and a stalled body alike"},
	{35, "CURLE_SSL_CONNECT_ERROR", "TLS_ALERT", "tls", "", "", "the handshake failed: nothing was sent"},
	{42, "CURLE_ABORTED_BY_CALLBACK", "CANCELED", "", "unknown", "", "the program gave up"},
	{47, "CURLE_TOO_MANY_REDIRECTS", "REDIRECT_LOOP", "answered", "", "", "every hop was answered with a redirect; the loop is the same next time"},
	{51, "CURLE_PEER_FAILED_VERIFICATION", "TLS_CERT", "tls", "", "", "the certificate was refused here: nothing was sent"},
	{52, "CURLE_GOT_NOTHING", "EOF", "await", "", "", "the request was sent and the server closed without a byte of an answer"},
	{55, "CURLE_SEND_ERROR", "EPIPE", "write", "", "", "writing failed; a part of the request may have arrived"},
	{56, "CURLE_RECV_ERROR", "ECONNRESET", "", "await", "", "reading failed on an established connection; the request may have been processed"},
	{58, "CURLE_SSL_CERTPROBLEM", "TLS_CERT", "tls", "", "", "the client's own certificate could not be used: nothing was sent"},
	{60, "CURLE_SSL_CACERT", "TLS_CERT", "tls", "", "", "the certificate was refused here: nothing was sent"},
	{65, "CURLE_SEND_FAIL_REWIND", "BODY_CONSUMED", "prepare", "", "maybe", "the body was sent once and cannot be read again"},
	{77, "CURLE_SSL_CACERT_BADFILE", "TLS_CERT", "tls", "", "", "the file of trusted certificates could not be read: nothing was sent"},
	{92, "CURLE_HTTP2_STREAM", "H2_PROTOCOL_ERROR", "", "await", "", "the stream was reset; the request may have been processed"},
	{95, "CURLE_HTTP3", "H2_PROTOCOL_ERROR", "", "await", "", "the HTTP/3 connection broke; the request may have been processed"},
	{97, "CURLE_PROXY", "PROXY", "proxy", "", "", "the proxy refused; the target was not contacted"},
}

// curlTable is libcurl, whoever calls it, and the curl and wget commands.
func curlTable() Table {
	t := Table{
		Runtime: "curl", Title: "libcurl, curl, wget", SaidBy: ByClient,
		Retries: "libcurl sends a request again once where a reused connection breaks before an answer; curl --retry and wget repeat every method",
		Marks:   []string{"curl:|cURL error|CURLE_*|[curl]|libcurl|curl_easy*|wget|HTTP request sent, awaiting response"},
	}
	for _, r := range curlRows {
		n := strconv.Itoa(r.number)
		e := Entry{
			ID: "curl/" + strings.ToLower(strings.TrimPrefix(r.name, "CURLE_")), Rank: rankName + 1,
			Match: []string{"curl: (" + n + ")|cURL error " + n + ":|cURL error " + n + "|[curl] " + n + ":|" + r.name + "|Curl error (" + n + "):|curl error: " + n + "|CURLcode " + n + "|curl_errno: " + n + "|curl error " + n + curlSpellings(n)},
			Code:  r.code, Phase: r.phase, Usually: r.usually, Processed: r.processed, Why: r.why, Source: "libcurl-errors(3)", Example: "curl: (" + n + ") odd",
		}
		if r.phase == classifier.PhaseResolve {
			e.Syscall = classifier.Getaddrinfo
		}
		t.Entries = append(t.Entries, e)
	}
	t.Entries = append(t.Entries, curlEntries...)
	t.Entries = append(t.Entries, wgetEntries...)
	return t
}

// curlSpellings are the ways in which libraries and scripts name a number.
func curlSpellings(n string) string {
	return "|curl error (" + n + ")|curl error: (" + n + ")|curl errno " + n + "|curl errno: " + n + "|curl error code " + n + "|curl exit code " + n +
		"|curl exited with " + n + "|curl finished with exit code " + n + "|curl failed with error " + n + "|curl error no " + n + "|Network error [errno " + n + "]"
}

var curlEntries = []Entry{
	{ID: "curl/resolve",
		Match: []string{"could not resolve host|couldn't resolve host|could not resolve:|could not resolve proxy|" +
			"couldn't resolve proxy"},
		Code: "ENOTFOUND", Syscall: "getaddrinfo", Phase: "resolve", Source: "curl lib/hostip.c",
		Why:  "the name was not resolved: nothing was sent",
		Open: "whether it does not exist or the resolver failed: curl prints the same", Settle: "dig the name",
		Example: "curl: (6) Could not resolve host: host.example"},
	{ID: "curl/connect", Rank: rankTimer,
		Match: []string{"couldn't connect to server|failed to connect to*"},
		Code:  "ECONNREFUSED", Syscall: "connect", Phase: "connect", Source: "curl lib/connect.c",
		Why:     "no connection was made: nothing was sent",
		Example: "curl: (7) Failed to connect to host.example port 80 after 2 ms: Couldn't connect to server"},
	{ID: "curl/connect-timeout", Rank: rankBroken,
		Match: []string{"connection timed out after|connection timeout after|connect() timed out", "milliseconds|connection timeout after|curl*|connect() timed out"},
		Code:  "TIMEOUT", Phase: "connect", Source: "curl lib/multi.c",
		Why:     "curl's own timer ran out while it connected: nothing was sent",
		Example: "curl: (28) Connection timed out after 5001 milliseconds"},
	{ID: "curl/connect-timeout-reached", Rank: rankBroken,
		Match: []string{"failed to connect to", "~timeout was reached"},
		Code:  "TIMEOUT", Phase: "connect", Source: "curl lib/connect.c",
		Why:     "curl's own timer ran out while it connected: nothing was sent",
		Example: "curl: (28) Failed to connect to host.example port 443 after 5001 ms: Timeout was reached"},
	{ID: "curl/connect-kernel", Rank: rankBroken + 1,
		Match: []string{"failed to connect to", "~operation timed out|: timed out| ms: connection timed out"},
		Code:  "ETIMEDOUT", Syscall: "connect", Phase: "connect", Source: "curl lib/connect.c, strerror(3)",
		Why:     "'Connection timed out' and macOS' 'Operation timed out' are the kernel's words for ETIMEDOUT: nothing was sent",
		Example: "curl: (28) Failed to connect to host.example port 443 after 75001 ms: Operation timed out"},
	{ID: "curl/timeout-nothing", Rank: rankBroken,
		Match: []string{"operation timed out after|timed out after", "~with 0 out of|with 0 bytes received"},
		Code:  "TIMEOUT", Phase: "await", Source: "curl lib/multi.c",
		Why:     "connected, and 0 bytes received: sent and waiting; the server may well have done it",
		Example: "cURL error 28: Operation timed out after 8002 milliseconds with 0 out of -1 bytes received"},
	{ID: "curl/timeout-body", Rank: rankCause + 2,
		Match: []string{"operation timed out after|timed out after", "~bytes received", "!with 0 out of|with 0 bytes received"},
		Code:  "TIMEOUT", Phase: "read-body", Source: "curl lib/multi.c",
		Why:     "bytes of an answer had arrived: the work is done",
		Example: "cURL error 28: Operation timed out after 8002 milliseconds with 512 out of 1024 bytes received"},
	{ID: "curl/too-slow",
		Match: []string{"operation too slow"},
		Code:  "TIMEOUT", Phase: "unknown", Source: "curl lib/speedcheck.c",
		Why:     "too few bytes moved, of the request or of the answer",
		Example: "curl: (28) Operation too slow. Less than 1 bytes/sec transferred the last 30 seconds"},
	{ID: "curl/empty",
		Match: []string{"empty reply from server"},
		Code:  "EOF", Phase: "await", Source: "curl lib/multi.c",
		Why:     "the request was sent and the server closed without a byte of an answer; whatever class wraps it",
		Example: "curl: (52) Empty reply from server"},
	{ID: "curl/partial", Rank: rankBroken,
		Match: []string{"transfer closed with|bytes remaining to read|outstanding read data remaining|end of response with*"},
		Code:  "TRUNCATED", Phase: "read-body", Source: "curl lib/transfer.c",
		Why:     "the head had arrived and the body was cut: the work is done",
		Example: "curl: (18) transfer closed with 904 bytes remaining to read"},
	{ID: "curl/number-tls", Role: Clue, Rank: clueTLS,
		Match: []string{"curl: (35)|cURL error 35|[curl] 35:|RPC failed; curl 35|CURLE_SSL_CONNECT_ERROR|Curl error (35)|curl error: 35|CURLcode 35"},
		Phase: "tls", Source: "libcurl-errors(3) CURLE_SSL_CONNECT_ERROR",
		Example: "curl: (35) Recv failure: Connection reset by peer"},
	{ID: "curl/number-connect", Role: Clue, Rank: clueDial,
		Match:   []string{"curl: (7)|cURL error 7|[curl] 7:|RPC failed; curl 7|CURLE_COULDNT_CONNECT|Curl error (7)|curl error: 7|CURLcode 7"},
		Syscall: "connect", Phase: "connect", Source: "libcurl-errors(3) CURLE_COULDNT_CONNECT",
		Example: "curl: (7) Connection timed out"},
	{ID: "curl/recv", Role: Clue, Rank: clueRead,
		Match:   []string{"ssl_read|ssl read:|gnutls recv error|Recv failure"},
		Syscall: "read", Phase: "await", Source: "curl lib/vtls/openssl.c",
		Example: "OpenSSL SSL_read: Connection reset by peer, errno 104"},
	{ID: "curl/recv-eof",
		Match: []string{"ssl_read: ssl_error_syscall, errno 0|reason(0), errno 0|ssl_read: ssl_error_syscall|gnutls recv error (-110)|gnutls recv error (-9)|SSL_read: error:0A000126|SSL_read: (null)",
			"!errno 104|errno 54|errno 10054|errno 110|errno 60|errno 32"},
		Code: "EOF", Usually: "await", Source: "curl lib/vtls/openssl.c",
		Why:     "the peer closed an established TLS connection; the request may have been processed",
		Example: "curl: (56) OpenSSL SSL_read: SSL_ERROR_SYSCALL, errno 0"},
	{ID: "curl/gnutls-reset", Rank: rankCause,
		Match: []string{"error in the pull function"},
		Code:  "ECONNRESET", Syscall: "read", Usually: "await", Source: "gnutls E_PULL_ERROR",
		Why:     "a read on an established TLS connection failed",
		Example: "GnuTLS recv error (-54): Error in the pull function."},
	{ID: "curl/write", Role: Clue, Rank: clueWrite,
		Match:   []string{"ssl_write|ssl write:|error in the push function"},
		Syscall: "write", Phase: "write", Source: "curl lib/vtls/openssl.c",
		Example: "SSL_write() returned SYSCALL, errno = 104"},
	{ID: "curl/answer-began", Role: Clue, Rank: clueBody,
		Match: []string{"< HTTP/1.1 200|< HTTP/1.1 201|< HTTP/1.1 202|< HTTP/2 200|< HTTP/2 201|< HTTP/2 202", "!Re-using existing*|Connection died*"},
		Phase: "read-body", Source: "curl -v",
		Example: "< HTTP/1.1 200 OK * Recv failure: Connection reset by peer"},
	{ID: "curl/proxy-aborted", Rank: rankBroken,
		Match: []string{"proxy connect aborted|Proxy CONNECT aborted|connect tunnel failed|can't complete socks*|failed to receive socks*|proxy handshake error"},
		Code:  "PROXY", Phase: "proxy", Source: "curl lib/http_proxy.c",
		Why:     "the proxy hung up or refused during CONNECT; the target was not contacted",
		Example: "curl: (56) Proxy CONNECT aborted"},
	{ID: "curl/socks-refused", Rank: rankBroken + 1,
		Match: []string{"rejected by the SOCKS5 server|No authentication method was acceptable|request rejected or failed|Proxy tunneling failed: Forbidden|" +
			"Proxy tunneling failed: Proxy Authentication Required*"},
		Code: "PROXY", Phase: "proxy", Like: "INVALID_REQUEST", Source: "curl lib/socks.c, wget src/http.c",
		Why:     "the proxy does not allow it, nor will it next time; the target was not contacted",
		Example: "curl: (97) User was rejected by the SOCKS5 server (5 5)."},
	{ID: "curl/encoding", Rank: rankBroken,
		Match: []string{"Unrecognized content encoding type|Error while processing content unencoding"},
		Code:  "MALFORMED", Phase: "read-body", Source: "curl lib/content_encoding.c",
		Why:     "the head had arrived, so the work is done; the body cannot be read",
		Example: "curl: (61) Unrecognized content encoding type. libcurl understands deflate, gzip content encodings."},
	{ID: "curl/proxy-code", Rank: rankStatus + 1, Reads: proxyAfter,
		Match: []string{"received http code|connect tunnel failed, response", "proxy after connect|connect tunnel failed"},
		Code:  "PROXY", Phase: "proxy", Source: "curl lib/http_proxy.c",
		Why:     "the proxy refused the tunnel; the target saw nothing",
		Example: "curl: (56) Received HTTP code 407 from proxy after CONNECT"},
	{ID: "curl/returned", Rank: rankStatus, Reads: statusAfter,
		Match:   []string{"the requested url returned error:"},
		Source:  "curl lib/http.c --fail",
		Why:     "an answer came; its status decides",
		Example: "curl: (22) The requested URL returned error: 404 Not Found"},
	{ID: "curl/http09",
		Match: []string{"received http/0.9 when not allowed|unsupported http version|weird server reply"},
		Code:  "MALFORMED", Phase: "read-head", Source: "curl lib/http.c",
		Why:     "what came back is not HTTP/1; it will not be next time",
		Example: "curl: (1) Received HTTP/0.9 when not allowed"},
	{ID: "curl/rewind", Rank: rankCause + 1,
		Match: []string{"necessary data rewind wasn't possible|cannot rewind mime/post data"},
		Code:  "BODY_CONSUMED", Phase: "prepare", Processed: "maybe", Source: "curl lib/sendf.c",
		Why:     "the body was sent once and cannot be read again",
		Example: "curl: (65) necessary data rewind wasn't possible"},
	{ID: "curl/url",
		Match: []string{"url using bad/illegal format or missing url|not supported or disabled in libcurl|url rejected|port number was not a decimal number|" +
			"no url specified|bad port number"},
		Code: "INVALID_REQUEST", Phase: "prepare", Source: "curl lib/url.c",
		Why:     "the URL cannot be used: nothing left, and the same every time",
		Example: "curl: (3) URL using bad/illegal format or missing URL"},
	{ID: "curl/sent-off", Role: Clue, Rank: clueWeak - 10,
		Match: []string{"upload completely sent off|we are completely uploaded and fine"},
		Phase: "await", Source: "curl lib/request.c",
		Example: "upload completely sent off: 148 out of 148 bytes ECONNRESET"},
	{ID: "curl/body-write",
		Match: []string{"failed writing body|failure writing output to destination"},
		Code:  "CANCELED", Phase: "read-body", Source: "curl lib/sendf.c",
		Why:     "the program could not take the answer's body: the work is done",
		Example: "curl: (23) Failed writing body (0 != 16384)"},
}

var wgetEntries = []Entry{
	{ID: "wget/no-data",
		Match: []string{"no data received."},
		Code:  "EOF", Phase: "await", Source: "wget src/http.c",
		Why:     "the request was sent and the server closed without a byte of an answer",
		Example: "HTTP request sent, awaiting response... No data received."},
	{ID: "wget/resolve", Rank: rankName,
		Match: []string{"unable to resolve host address"},
		Code:  "ENOTFOUND", Syscall: "getaddrinfo", Phase: "resolve", Source: "wget src/host.c",
		Why:     "the name was not resolved: nothing was sent. The line before it says whether for the moment",
		Example: "wget: unable to resolve host address 'host.example'"},
	{ID: "wget/tls-reset", Rank: rankCause + 1,
		Match: []string{"error in the pull function", "~unable to establish ssl connection"},
		Code:  "ECONNRESET", Phase: "tls", Source: "wget src/gnutls.c",
		Why:     "the handshake's read failed: no byte of the request left",
		Example: "GnuTLS: Error in the pull function. Unable to establish SSL connection."},
	{ID: "wget/headers", Role: Clue, Rank: clueRead + 3,
		Match:   []string{"in headers."},
		Syscall: "read", Phase: "await", Source: "wget src/http.c",
		Example: "Read error (Connection reset by peer) in headers."},
	{ID: "wget/body", Role: Clue, Rank: clueBody + 1,
		Match:   []string{"Read error at byte"},
		Syscall: "read", Phase: "read-body", Source: "wget src/retr.c",
		Example: "Read error at byte 4096/10000 (Connection reset by peer)."},
	{ID: "wget/closed-at",
		Match: []string{"connection closed at byte"},
		Code:  "TRUNCATED", Phase: "read-body", Source: "wget src/retr.c",
		Why:     "the head had arrived and the body was cut: the work is done",
		Example: "2024-01-02 03:04:05 (1 MB/s) - Connection closed at byte 4096. Retrying."},
	{ID: "wget/status", Rank: rankStatus, Reads: statusAfter, Quiet: true,
		Match:   []string{"ERROR|awaiting response..."},
		Source:  "wget src/http.c",
		Why:     "an answer came; its status decides",
		Example: "2024-01-02 03:04:05 ERROR 404: Not Found."},
}
