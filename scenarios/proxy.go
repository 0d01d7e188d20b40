package scenarios

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/retry-lab/retry-lab/servers"
	"github.com/retry-lab/retry-lab/trace"
)

// proxyGroup is a proxy that makes no tunnel. What it answers to CONNECT is no
// answer to the request, and net/http passes its text on and not its status.
func proxyGroup() Group {
	return Group{
		ID: "proxy", Title: "no tunnel: the request never left, whatever the proxy says",
		Source:  "RFC 9110 section 9.3.6; net/http: Transport.OnProxyConnectResponse",
		Columns: columns("code", "syscall", "phase", "processed", "basis", "saw", "get", "post", "post_key", "reason", "untraced", "message"),
		Rows: rows(
			tunnels("connect-refused", "connect(2): ECONNREFUSED", "nobody listens on the proxy's port", proxyRefused),
			tunnels("connect-407", "RFC 9110 section 15.5.8", "the proxy wants credentials", noTunnel(http.StatusProxyAuthRequired)),
			tunnels("connect-502", "RFC 9110 section 15.6.3", "the proxy could not connect to the server", noTunnel(http.StatusBadGateway)),
		),
	}
}

// A proxy is what a client is sent through.
type proxy interface {
	io.Closer
	URL() string
}

// tunnels is a case that wants a tunnel of a proxy. The server behind it has a
// name that nobody resolves: the proxy would have to.
func tunnels(id, source, title string, start func() (proxy, error)) *Case {
	return &Case{
		ID: "proxy/" + id, Title: title, Source: source,
		Run: func(ctx context.Context, e *Env) (Run, error) {
			p, err := start()
			if err != nil {
				return Run{}, fmt.Errorf("start proxy: %w", err)
			}
			defer p.Close()
			u, err := url.Parse(p.URL())
			if err != nil {
				return Run{}, fmt.Errorf("proxy's address: %w", err)
			}
			c := newClient(e, nil)
			c.transport.Proxy = http.ProxyURL(u)
			c.transport.GetProxyConnectHeader = trace.GetProxyConnectHeader
			c.transport.OnProxyConnectResponse = trace.OnProxyConnectResponse
			return byHTTP(ctx, c, p, "https://"+shop+"/", call{})
		},
	}
}

func proxyRefused() (proxy, error) { return servers.NewRefused() }

func noTunnel(status int) func() (proxy, error) {
	return func() (proxy, error) { return servers.NewNoTunnel(servers.Options{}, status) }
}
