package explain

import (
	"strings"

	"github.com/retry-lab/retry-lab/classifier"
)

// answer puts a finding into words.
func (f *finding) answer() Answer {
	o := &f.outcome
	a := Answer{
		Range: [2]int{f.from, f.to}, Runtime: f.table.Runtime, Version: f.entry.Version, SaidBy: f.table.SaidBy,
		Host: f.host, Method: f.method,
		Code: f.code, Syscall: f.call, Phase: f.phase, Processed: o.failure.Processed, Basis: o.failure.Basis,
		Certainty: f.certainty, Get: o.get, Post: o.post, PostKey: o.postKey, WaitMS: f.waitMS, Reason: o.reason,
		Why: f.entry.Why, Open: f.entry.Open, Settle: f.entry.Settle, OwnRetries: f.table.Retries,
		LabCase: labCase(f), Nearest: []string{}, Entry: f.entry.ID,
	}
	if f.gateway && f.status != 0 {
		a.SaidBy = ByGateway
	}
	if a.Why == "" {
		a.Why = o.reason.Sentence()
	}
	f.leaves(&a)
	return a
}

// leaves fills in what the text leaves open, where the entry does not say it.
func (f *finding) leaves(a *Answer) {
	for i := range openRows {
		row := &openRows[i]
		if a.Open != "" || row.code != "" && row.code != f.code || row.phase != "" && row.phase != f.phase {
			continue
		}
		a.Open, a.Settle = row.open, row.settle
	}
	if f.earlier && !strings.Contains(a.Open, "earlier") {
		a.Open = join2(a.Open, "what became of the earlier attempts that the text mentions")
		a.Settle = join2(a.Settle, "the error of each attempt, logged")
	}
	if f.call == classifier.Getaddrinfo && suspicious(f.host) {
		a.Open = join2(a.Open, "whether the name is meant: \""+f.host+"\" looks like a mangled URL")
		a.Settle = join2(a.Settle, "the URL as the program built it")
	}
}

func join2(a, b string) string {
	if a == "" {
		return b
	}
	return a + "; " + b
}

// suspicious tells whether a host looks like a part of a URL that was put
// together wrongly: a scheme, two URLs glued together, a port without a colon.
func suspicious(host string) bool {
	if host == "" {
		return false
	}
	if !strings.Contains(host, ".") {
		digit := host[len(host)-1] >= '0' && host[len(host)-1] <= '9'
		return host == "http" || host == "https" || strings.HasPrefix(host, "localhost") && digit
	}
	return strings.HasSuffix(host, "http") || strings.HasSuffix(host, "https")
}

// openRow says what a code in a phase usually leaves open.
type openRow struct {
	code         classifier.Code
	phase        classifier.Phase
	open, settle string
}

var openRows = [...]openRow{
	{"TIMEOUT", "unknown", "which wait ran out: the same words are printed for a hung dial and for a silent server", "log the phase: a hook for connected and for request written"},
	{"TIMEOUT", "await", "whether the server still works on it", "ask the server for the outcome, or send a key"},
	{"TIMEOUT", "read-body", "", ""},
	{"UNKNOWN", "", "what failed", "the whole error with its causes, unshortened"},
	{"NOT_CLIENT_SIDE", "", "what the caller saw", "the client's own error for the same call"},
	{"H2_GOAWAY", "await", "our stream's number: above the last id it was not processed", "log the stream id beside the GOAWAY"},
	{"", "unknown", "how far the request had come", "the failed call or the stack frames"},
	{"", "write", "whether the server answered before it stopped reading", "read the answer while writing, or send Expect: 100-continue"},
	{"", "await", "whether the server acted on the request", "ask the server for the outcome, or send a key"},
	{"", "read-head", "what the answer was", "ask the server for the outcome"},
	{"", "read-body", "the rest of the answer; the work is done", "fetch the outcome with a GET"},
}

// labRow names the lab's case that makes such a failure.
type labRow struct {
	code      classifier.Code
	phase     classifier.Phase
	processed classifier.Processed
	lab       string
}

var labRows = [...]labRow{
	{"ECONNREFUSED", "connect", "", "connect/refused"},
	{"ECONNREFUSED", "await", "", "connect/refused-after-processed"},
	{"ECONNRESET", "connect", "", "connect/reset-on-accept-connect"},
	{"ECONNRESET", "tls", "", "tls/reset-on-hello"},
	{"ECONNRESET", "write", "", "upload/unread"},
	{"ECONNRESET", "read-body", "", "response/reset-mid-body"},
	{"ECONNRESET", "", "", "response/reset"},
	{"EPIPE", "", "", "upload/drained"},
	{"ETIMEDOUT", "connect", "", "connect/backlog-full"},
	{"ETIMEDOUT", "", "", "connect/etimedout-established"},
	{"EHOSTUNREACH", "connect", "", "connect/host-unreachable"},
	{"ENETUNREACH", "connect", "", "connect/net-unreachable"},
	{"EADDRNOTAVAIL", "connect", "", "connect/no-ports"},
	{"EMFILE", "", "", "connect/no-files"},
	{"EACCES", "connect", "", "connect/prohibited"},
	{"EINVAL", "connect", "", "connect/blackhole"},
	{"TIMEOUT", "resolve", "", "resolve/silent"},
	{"TIMEOUT", "connect", "", "connect/dial-timeout"},
	{"TIMEOUT", "tls", "", "timeout/tls-client-timeout"},
	{"TIMEOUT", "pool", "", "pool/exhausted"},
	{"TIMEOUT", "read-body", "", "timeout/body"},
	{"TIMEOUT", "await", "", "timeout/await"},
	{"TIMEOUT", "", "", "timeout/await-client-timeout"},
	{"POOL_TIMEOUT", "", "", "pool/exhausted"},
	{"ENOTFOUND", "", "", "resolve/nxdomain"},
	{"EAI_AGAIN", "", "", "resolve/servfail"},
	{"EAI_FAIL", "", "", "resolve/refused-rcode"},
	{"EOF", "", "", "response/fin"},
	{"TRUNCATED", "read-head", "", "response/truncated-head"},
	{"TRUNCATED", "", "", "response/truncated-length"},
	{"MALFORMED", "", "", "response/garbage"},
	{"CONN_CLOSED", "write", "", "upload/half-close"},
	{"TLS_CERT", "", "", "tls/self-signed"},
	{"TLS_ALERT", "await", "", "tls/client-cert-required"},
	{"TLS_ALERT", "", "", "tls/version-alert"},
	{"TLS_TIMEOUT", "", "", "tls/handshake-stall"},
	{"TLS_EOF", "", "", "tls/fin-on-hello"},
	{"NOT_TLS", "tls", "", "tls/tls-to-plain"},
	{"NOT_TLS", "read-head", "", "tls/plain-to-tls"},
	{"REDIRECT_LOOP", "", "", "redirect/loop"},
	{"CANCELED", "prepare", "", "cancel/before-send"},
	{"CANCELED", "", "", "cancel/while-awaiting"},
	{"H2_GOAWAY", "", "never", "http2/goaway-above"},
	{"H2_GOAWAY", "", "", "http2/goaway-below"},
	{"H2_REFUSED_STREAM", "", "", "http2/refused-stream"},
	{"H2_INTERNAL_ERROR", "", "", "http2/internal-error"},
	{"H2_CANCEL", "", "", "http2/cancel"},
	{"H2_ENHANCE_YOUR_CALM", "", "", "http2/enhance-your-calm"},
	{"H2_HTTP_1_1_REQUIRED", "", "", "http2/http11-required"},
	{"H2_PROTOCOL_ERROR", "", "", "http2/protocol-error"},
	{"HTTP_502", "", "never", "gateway/upstream-refused-proxy-status"},
	{"HTTP_503", "", "maybe", "status/503-gateway"},
	{"HTTP_408", "", "maybe", "status/408-gateway"},
	{"HTTP_504", "", "maybe", "gateway/upstream-timeout"},
}

// labStatuses are the answers that have a case of their own.
const labStatuses = " 200 400 401 403 404 408 409 413 417 421 422 425 429 500 501 502 503 504 505 507 511 529 "

// labCase is the lab's case for the finding, empty where there is none.
func labCase(f *finding) string {
	if f.code == classifier.Proxy {
		if f.status == 407 {
			return "proxy/connect-407"
		}
		return "proxy/connect-502"
	}
	for i := range labRows {
		row := &labRows[i]
		if row.code == f.code && (row.phase == "" || row.phase == f.phase) &&
			(row.processed == "" || row.processed == f.outcome.failure.Processed) {
			return row.lab
		}
	}
	if digits, ok := strings.CutPrefix(string(f.code), classifier.HTTPPrefix); ok && strings.Contains(labStatuses, " "+digits+" ") {
		return "status/" + digits
	}
	return ""
}
