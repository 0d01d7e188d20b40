package scenarios

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"time"

	"github.com/retry-lab/retry-lab/servers"
)

// tlsGroup is what goes wrong before the first byte of HTTP. In every row the
// ledger has a connection and nothing on it.
func tlsGroup() Group {
	return Group{
		ID: "tls", Title: "the handshake fails: no request was read, whatever the error looks like",
		Source:  "RFC 8446; RFC 5280 section 6; RFC 9110 section 4.2.2",
		Columns: columns("code", "syscall", "phase", "processed", "basis", "saw", "get", "post", "post_key", "untraced", "message"),
		Rows: rows(
			refusedHere("self-signed", "the certificate vouches for itself", servers.CertOptions{SelfSigned: true}),
			refusedHere("expired", "the certificate's time is over", servers.CertOptions{NotBefore: longAgo, NotAfter: longAgo.AddDate(1, 0, 0)}),
			refusedHere("wrong-host", "the certificate is another host's", servers.CertOptions{Hosts: []string{"other.invalid"}}),
			tlsToPlain,
			plainToTLS,
			tlsStall,
			endsOnHello("reset-on-hello", "ECONNRESET, and harmless: the server resets on the ClientHello", "", servers.EndedRST),
			endsOnHello("fin-on-hello", "EOF, and harmless: the server closes in order on the ClientHello", "response/fin", servers.EndedFIN),
			tlsVersionAlert,
			tlsClientCert,
		),
	}
}

// longAgo is a year that is over for every clock that is not broken.
var longAgo = time.Date(2019, 1, 1, 0, 0, 0, 0, time.UTC)

// shop is the host that the client means, whatever the address.
const shop = "shop.invalid"

// refusedHere is a case whose certificate the client does not accept.
func refusedHere(id, title string, o servers.CertOptions) *Case {
	if len(o.Hosts) == 0 {
		o.Hosts = []string{shop}
	}
	return &Case{
		ID: "tls/" + id, Title: title, Source: "RFC 5280 section 6; RFC 9110 section 4.3.4",
		Run: func(ctx context.Context, e *Env) (Run, error) { return shakeHands(ctx, e, o, nil, servers.Options{}) },
	}
}

var tlsVersionAlert = &Case{
	ID: "tls/version-alert", Source: "RFC 8446 section 6.2: protocol_version",
	Title: "the server speaks a newer TLS only, and says so in an alert",
	Run: func(ctx context.Context, e *Env) (Run, error) {
		old := func(c *tls.Config) { c.MaxVersion = tls.VersionTLS12 }
		o := servers.Options{TLS: &tls.Config{MinVersion: tls.VersionTLS13}}
		return shakeHands(ctx, e, servers.CertOptions{Hosts: []string{shop}}, old, o)
	},
}

// shakeHands is a POST to a server that would answer it, over a handshake that
// fails. change, if set, changes the client's side of it.
func shakeHands(ctx context.Context, e *Env, cert servers.CertOptions, change func(*tls.Config), o servers.Options) (Run, error) {
	c := newClient(e, nil)
	var err error
	if o.TLS, err = c.meets(o.TLS, cert); err != nil {
		return Run{}, err
	}
	if change != nil {
		change(c.transport.TLSClientConfig)
	}
	srv, err := servers.NewStatus(o, 200, nil)
	if err != nil {
		return Run{}, fmt.Errorf("start server: %w", err)
	}
	return byHTTP(ctx, c, srv, srv.URL(), call{})
}

// meets makes a server's configuration with a certificate of an authority that
// the client trusts, and has the client ask for the shop.
func (c *client) meets(config *tls.Config, o servers.CertOptions) (*tls.Config, error) {
	cert, pool, err := certified(o)
	if err != nil {
		return nil, err
	}
	c.transport.TLSClientConfig = &tls.Config{RootCAs: pool, ServerName: shop}
	if config == nil {
		config = &tls.Config{}
	}
	config.Certificates = []tls.Certificate{cert}
	return config, nil
}

// certified is a certificate, and whom to trust for it.
func certified(o servers.CertOptions) (tls.Certificate, *x509.CertPool, error) {
	a, err := servers.NewAuthority()
	if err != nil {
		return tls.Certificate{}, nil, fmt.Errorf("make authority: %w", err)
	}
	cert, err := a.Issue(o)
	if err != nil {
		return tls.Certificate{}, nil, fmt.Errorf("issue certificate: %w", err)
	}
	return cert, a.Pool(), nil
}

var tlsToPlain = &Case{
	ID: "tls/tls-to-plain", Source: "net/http: ErrSchemeMismatch; RFC 9110 section 4.2.2",
	Title: "https to a server that speaks HTTP: it answers the ClientHello with 400",
	Run: func(ctx context.Context, e *Env) (Run, error) {
		srv, err := servers.NewStatus(servers.Options{}, 200, nil)
		if err != nil {
			return Run{}, fmt.Errorf("start server: %w", err)
		}
		return byHTTP(ctx, newClient(e, nil), srv, secure{srv}.URL(), call{})
	},
}

// A server may also answer such a client in HTTP, as net/http's does: that is
// status/400, and for good.
var plainToTLS = &Case{
	ID: "tls/plain-to-tls", Source: "RFC 8446 section 6.2: unexpected_message",
	Title: "http to a server that speaks TLS: its alert is no HTTP answer",
	Run: func(ctx context.Context, e *Env) (Run, error) {
		c := newClient(e, nil)
		config, err := c.meets(nil, servers.CertOptions{})
		if err != nil {
			return Run{}, err
		}
		srv, err := servers.NewStatus(servers.Options{TLS: config}, 200, nil)
		if err != nil {
			return Run{}, fmt.Errorf("start server: %w", err)
		}
		return byHTTP(ctx, c, srv, "http://"+srv.Addr(), call{})
	},
}

var tlsStall = &Case{
	ID: "tls/handshake-stall", Source: "net/http: Transport.TLSHandshakeTimeout", Waits: 100 * time.Millisecond,
	Title: "the server accepts the connection and never answers the ClientHello",
	Run: func(ctx context.Context, e *Env) (Run, error) {
		srv, err := servers.NewSilent(servers.Options{})
		if err != nil {
			return Run{}, fmt.Errorf("start server: %w", err)
		}
		c := newClient(e, nil)
		c.transport.TLSHandshakeTimeout = firstLimit
		accepted := func(r servers.Record) bool { return len(r.Connections) > 0 }
		return byHTTPUntil(ctx, c, secure{srv}, call{}, accepted)
	},
}

// endsOnHello is a case whose server ends the connection when it has the
// ClientHello.
func endsOnHello(id, title, pair, end string) *Case {
	return &Case{
		ID: "tls/" + id, Title: title, Source: "RFC 8446 section 6.1; tcp(7)", Pair: pair,
		Run: func(ctx context.Context, e *Env) (Run, error) {
			srv, err := servers.NewHello(servers.Options{}, end)
			if err != nil {
				return Run{}, fmt.Errorf("start server: %w", err)
			}
			return byHTTP(ctx, newClient(e, nil), srv, srv.URL(), call{})
		},
	}
}

var tlsClientCert = &Case{
	ID: "tls/client-cert-required", Source: "RFC 8446 section 4.4.2.4: certificate_required",
	Title: "TLS 1.3: the server wants a certificate, and says so where its answer should be",
	Run: func(ctx context.Context, e *Env) (Run, error) {
		c := newClient(e, nil)
		config, err := c.meets(nil, servers.CertOptions{Hosts: []string{shop}})
		if err != nil {
			return Run{}, err
		}
		srv, err := servers.NewClientCert(servers.Options{TLS: config})
		if err != nil {
			return Run{}, fmt.Errorf("start server: %w", err)
		}
		return byHTTP(ctx, c, srv, srv.URL(), call{})
	},
}
