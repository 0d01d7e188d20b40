package scenarios

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/retry-lab/retry-lab/servers"
)

// http2Group is what HTTP/2 promises, what it does not, and what net/http
// resends without a word either way.
func http2Group() Group {
	return Group{
		ID: "http2", Title: "HTTP/2: two promises, many errors that look alike, and net/http's own replays",
		Source: "RFC 9113 sections 6.8, 7 and 8.7; net/http",
		Columns: columns("code", "syscall", "phase", "processed", "basis", "saw", "deliveries", "replays", "charges",
			"get", "post", "post_key", "untraced", "message"),
		Rows: rows(http2Cases()...),
	}
}

// replayLimit is how many deliveries the server fails where net/http would go
// on for ever.
const replayLimit = 20

func http2Cases() []*Case {
	var cases []*Case
	for _, c := range http2Faults() {
		cases = append(cases, c.onto(c.secure))
	}
	return cases
}

// http2Faults are the faults of a connection over TLS, with the protocol
// agreed upon by ALPN, and those of a stream over plain TCP (h2c).
func http2Faults() []http2Fault {
	return []http2Fault{
		{id: "goaway-above", fault: "goaway-above", secure: true, oneWay: true, pair: "goaway-below", source: "RFC 9113 sections 6.8 and 8.7",
			title: "GOAWAY names an earlier stream as the last: the protocol promises that nothing was processed"},
		{id: "goaway-below", fault: "goaway-below", secure: true, pair: "goaway-above", source: "RFC 9113 section 6.8",
			title: "GOAWAY names this very stream as the last, then the connection ends: the server has acted on it"},
		{id: "goaway-above-resent", fault: "goaway-above", first: 1, secure: true, source: "RFC 9113 section 8.7; net/http Request.GetBody",
			title: "the same GOAWAY, and a body that net/http can take again: it resends, and the caller never knows"},
		{id: "goaway-always", fault: "goaway-above", first: replayLimit, secure: true, source: "net/http: no limit, no backoff",
			title: "a server that sends GOAWAY on every connection gets a new one at once, as often as it likes"},
		{id: "connection-lost", fault: "connection-lost", secure: true, source: "RFC 9113 section 6.8",
			title: "the connection ends without GOAWAY: every stream may have been processed"},

		{id: "refused-stream", fault: "refused-stream", oneWay: true, source: "RFC 9113 section 8.7",
			title: "RST_STREAM with REFUSED_STREAM: the protocol promises that nothing was processed"},
		{id: "refused-stream-resent", fault: "refused-stream", first: 1, source: "RFC 9113 section 8.7; net/http Request.GetBody",
			title: "the same refusal, and a body that net/http can take again: it resends on the same connection"},
		{id: "protocol-error", fault: "protocol-error", first: replayLimit, source: "RFC 9113 section 7; golang/go#42777",
			title: "the server acts on each delivery and resets it with PROTOCOL_ERROR, which promises nothing: net/http resends a bare POST"},
		{id: "internal-error", fault: "internal-error", source: "RFC 9113 section 7",
			title: "RST_STREAM with INTERNAL_ERROR, after the server has acted on it"},
		{id: "cancel", fault: "cancel", source: "RFC 9113 section 7",
			title: "RST_STREAM with CANCEL, the server's own: no cancellation of the caller's"},
		{id: "enhance-your-calm", fault: "enhance-your-calm", source: "RFC 9113 section 7",
			title: "RST_STREAM with ENHANCE_YOUR_CALM: too much load, and no promise that nothing was done"},
		{id: "http11-required", fault: "http11-required", source: "RFC 9113 section 7",
			title: "RST_STREAM with HTTP_1_1_REQUIRED: once more over HTTP/1.1, if the request may be repeated at all"},
	}
}

// An http2Fault is a fault of servers.NewHTTP2Fault and the POST that meets it.
type http2Fault struct {
	id, title, source string
	pair              string // in this group
	fault             string
	first             int  // deliveries that fail, before the next is answered 200; 0: all
	secure            bool // over TLS
	oneWay            bool // the body cannot be taken again
}

// onto is the case on one of the two carriers.
func (f http2Fault) onto(secure bool) *Case {
	c := &Case{
		ID: "http2/" + f.id, Title: f.title + carrier(secure), Source: f.source,
		Run: func(ctx context.Context, e *Env) (Run, error) { return f.run(ctx, e, secure) },
	}
	if f.pair != "" {
		c.Pair = "http2/" + f.pair
	}
	return c
}

func carrier(secure bool) string {
	if secure {
		return " (over TLS)"
	}
	return " (over plain TCP)"
}

func (f http2Fault) run(ctx context.Context, e *Env, secure bool) (Run, error) {
	o := servers.HTTP2FaultOptions{Fault: f.fault, First: f.first}
	c := newClient(e, nil)
	if secure {
		config, pool, err := loopbackTLS()
		if err != nil {
			return Run{}, err
		}
		o.TLS, c.transport.TLSClientConfig = config, &tls.Config{RootCAs: pool}
	} else {
		c.transport.Protocols = new(http.Protocols)
		c.transport.Protocols.SetUnencryptedHTTP2(true)
	}
	srv, err := servers.NewHTTP2Fault(o)
	if err != nil {
		return Run{}, fmt.Errorf("start server: %w", err)
	}
	k := call{}
	if f.oneWay {
		k.Body, k.Size = oneWay(defaultBody), int64(len(defaultBody))
	}
	run, err := byHTTP(ctx, c, srv, srv.URL(), k)
	if err != nil {
		return Run{}, err
	}
	if a := run.Attempts[0]; a.Step == nil && a.connected() && !a.Evidence.HTTP2 {
		return Run{}, &Skip{Why: "the client did not speak HTTP/2: " + a.Message}
	}
	run.Cells = map[string]string{"charges": strconv.Itoa(run.Record.Committed())}
	return run, nil
}

// oneWay is a body that net/http cannot take again by itself.
func oneWay(s string) io.Reader { return struct{ io.Reader }{strings.NewReader(s)} }

// loopbackTLS is a server's side of TLS on this machine, and whom a client has
// to trust for it.
func loopbackTLS() (*tls.Config, *x509.CertPool, error) {
	cert, pool, err := certified(servers.CertOptions{})
	if err != nil {
		return nil, nil, err
	}
	return &tls.Config{Certificates: []tls.Certificate{cert}}, pool, nil
}
