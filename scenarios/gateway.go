package scenarios

import (
	"context"
	"fmt"
	"io"

	"github.com/retry-lab/retry-lab/servers"
)

// gatewayGroup is a reverse proxy that answers in place of the server behind
// it. What the rows say was seen is what that server saw: a request that only
// the gateway has read has reached nobody who could act on it.
func gatewayGroup() Group {
	lying := gateways("lying-503", "Heroku: H12, a 503 after 30 seconds", "a bare 503: the work was done, and nothing tells that a router answers", hiddenBehind)
	lying.ByEngine.Strict = true // whoever believes it acts twice
	return Group{
		ID: "gateway", Title: "a gateway answers for the server behind it: what the status tells, and what only the ledger knows",
		Source:  "RFC 9110 section 15.6; RFC 9209; net/http/httputil",
		Columns: columns("code", "syscall", "phase", "processed", "basis", "saw", "get", "post", "post_key", "reason", "proxy_status", "untraced", "message"),
		Rows: rows(
			gateways("upstream-refused", "RFC 9110 section 15.6.3", "502: nothing listens behind the gateway, and the client cannot know", refusedBehind),
			gateways("upstream-refused-proxy-status", "RFC 9209 section 2.3: connection_refused", "the same, and the gateway says so", saying(refusedBehind)),
			gateways("upstream-reset-after-commit", "Envoy: 503 for a connection that broke", "503: the work was done, then the connection broke", resetBehind),
			gateways("upstream-reset-proxy-status", "RFC 9209 section 2.3: connection_terminated", "the same, and the gateway says so", saying(resetBehind)),
			gateways("upstream-timeout", "RFC 9110 section 15.6.5", "504: the gateway stopped waiting, the server behind it works on", slowBehind),
			lying,
		),
	}
}

// An upstream is the server behind a gateway, or a port without one.
type upstream interface {
	io.Closer
	URL() string
}

// A behind starts an upstream and says what gateway to put in front of it.
type behind func() (upstream, servers.GatewayOptions, error)

func refusedBehind() (upstream, servers.GatewayOptions, error) {
	port, err := servers.NewRefused()
	return port, servers.GatewayOptions{}, err
}

func resetBehind() (upstream, servers.GatewayOptions, error) {
	srv, err := servers.NewRST(servers.Options{})
	return srv, servers.GatewayOptions{}, err
}

// slowBehind acts when the gateway has answered and hung up.
func slowBehind() (upstream, servers.GatewayOptions, error) {
	srv, err := servers.NewStall(servers.StallOptions{Commit: servers.CommitLate})
	if err != nil {
		return nil, servers.GatewayOptions{}, err
	}
	return srv, servers.GatewayOptions{GiveUp: eachTime(srv.Ledger(), func(d servers.Delivery) bool { return d.Complete })}, nil
}

// hiddenBehind acts at once and keeps its answer, until the gateway answers
// for it.
func hiddenBehind() (upstream, servers.GatewayOptions, error) {
	srv, err := servers.NewStall(servers.StallOptions{Commit: servers.CommitAtOnce})
	if err != nil {
		return nil, servers.GatewayOptions{}, err
	}
	return srv, servers.GatewayOptions{GiveUp: eachTime(srv.Ledger(), func(d servers.Delivery) bool { return d.Committed }), Unmarked: true}, nil
}

// saying is b behind a gateway that sends Proxy-Status.
func saying(b behind) behind {
	return func() (upstream, servers.GatewayOptions, error) {
		u, o, err := b()
		o.ProxyStatus = true
		return u, o, err
	}
}

// gateways is a case that goes through a gateway.
func gateways(id, source, title string, start behind) *Case {
	return &Case{
		ID: "gateway/" + id, Title: title, Source: source,
		Run: func(ctx context.Context, e *Env) (Run, error) {
			up, o, err := start()
			if err != nil {
				return Run{}, fmt.Errorf("start upstream: %w", err)
			}
			defer up.Close()
			o.Upstream = up.URL()
			gw, err := servers.NewGateway(o)
			if err != nil {
				return Run{}, fmt.Errorf("start gateway: %w", err)
			}
			defer gw.Close()
			return through(ctx, e, gw, up, o.GiveUp != nil)
		},
	}
}

// through is one call through a gateway. late: the upstream acts in its own
// time, and that is waited for.
func through(ctx context.Context, e *Env, gw *servers.Server, up upstream, late bool) (Run, error) {
	c := newClient(e, nil)
	defer c.close()
	a, ans, err := c.send(ctx, gw.URL(), call{})
	if err != nil {
		return Run{}, err
	}
	if s, ok := up.(side); ok && late {
		if !complete(s.Ledger().Record(e.Epoch)) { // the gateway gives up no sooner
			return Run{}, fmt.Errorf("the upstream was not reached: %s", a.Message)
		}
		if err := s.Ledger().Await(ctx, worked); err != nil {
			return Run{}, fmt.Errorf("wait for the upstream: %w", err)
		}
	}
	c.close()
	front, err := finish(e, gw, Run{})
	if err != nil {
		return Run{}, err
	}
	return finish(e, up, Run{
		Attempts: c.attempts, Gateway: front.Record,
		Cells: map[string]string{"proxy_status": ans.Header.Get("Proxy-Status")},
	})
}
