package servers

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
)

// GatewayName is what a [NewGateway] calls itself in Via and Proxy-Status.
const GatewayName = "lab-gateway"

// GatewayOptions make a reverse proxy.
type GatewayOptions struct {
	Options

	// Upstream is the root URL of the server behind it.
	Upstream string

	// GiveUp returns nil when the gateway stops waiting for the upstream, or
	// the context's error; nil: it waits for ever. The gateway answers first,
	// and hangs up on the upstream after that.
	GiveUp func(context.Context) error

	// ProxyStatus: what the gateway answers by itself says what went wrong, in
	// the field of that name (RFC 9209).
	ProxyStatus bool

	// Unmarked: it is like a router that does not show. It answers 503
	// whatever went wrong, and nothing of what it sends tells it from the
	// upstream.
	Unmarked bool
}

// NewGateway is a reverse proxy (net/http/httputil) in front of an upstream.
// It reads a request whole, sends it once, on a connection of its own (a proxy
// must not send it again: RFC 9110 section 9.2.2), and answers when it has the
// whole response. What passes is marked with Via. Where none comes it answers
// 502 if the upstream could not be connected to, 503 if the connection broke,
// and 504 if it gave up.
//
// Its ledger says what reached the gateway. It commits nothing: whether the
// work was done the upstream's ledger says, and no other.
func NewGateway(o GatewayOptions) (*Server, error) {
	upstream, err := url.Parse(o.Upstream)
	if err != nil {
		return nil, fmt.Errorf("upstream: %w", err)
	}
	if upstream.Host == "" {
		return nil, fmt.Errorf("upstream %q is no root URL", o.Upstream)
	}
	g := &gateway{opts: o, upstream: upstream, transport: &http.Transport{DisableKeepAlives: true}}
	return start(o.Options, http1(g.serve))
}

type gateway struct {
	opts      GatewayOptions
	upstream  *url.URL
	transport *http.Transport
}

// serve is one delivery. An answer that cannot be sent is in the ledger.
func (g *gateway) serve(x *Exchange) {
	var body bytes.Buffer
	x.Request.Body = io.NopCloser(io.TeeReader(x.Request.Body, &body))
	if x.ReadBody() != nil {
		return
	}
	forward := newForwarding(x, g, body.Bytes())
	defer forward.end() // after the answer
	w := &answerWriter{header: http.Header{}}
	(&httputil.ReverseProxy{
		Rewrite: g.rewrite, Transport: forward, ModifyResponse: g.mark, ErrorHandler: g.fail,
		ErrorLog: log.New(io.Discard, "", 0), // the answer says it
	}).ServeHTTP(w, x.Request)
	if !x.c.s.closing() { // else its wait ended for no reason of the upstream's
		_ = x.Answer(w.status, w.header, w.body.String())
	}
}

// rewrite makes the request that goes to the upstream. It passes no upgrade on.
func (g *gateway) rewrite(r *httputil.ProxyRequest) {
	r.SetURL(g.upstream)
	r.Out.Header.Del("Connection")
	r.Out.Header.Del("Upgrade")
	if !g.opts.Unmarked {
		r.Out.Header.Add("Via", "1.1 "+GatewayName)
	}
}

// mark adds the gateway's mark to a response that passes.
func (g *gateway) mark(r *http.Response) error {
	if !g.opts.Unmarked {
		r.Header.Add("Via", "1.1 "+GatewayName)
	}
	return nil
}

// fail answers in the upstream's place.
func (g *gateway) fail(w http.ResponseWriter, _ *http.Request, err error) {
	if g.opts.Unmarked {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	status, name := whyNot(err)
	w.Header().Set("Via", "1.1 "+GatewayName)
	if g.opts.ProxyStatus {
		w.Header().Set("Proxy-Status", GatewayName+"; error="+name)
	}
	w.WriteHeader(status)
}

// An answerWriter keeps an answer until it is whole.
type answerWriter struct {
	status int
	header http.Header
	body   bytes.Buffer
}

func (w *answerWriter) Header() http.Header { return w.header }

func (w *answerWriter) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
}

func (w *answerWriter) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(p)
}
