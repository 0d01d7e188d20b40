package scenarios

import (
	"context"
	"fmt"

	"github.com/retry-lab/retry-lab/servers"
	"github.com/retry-lab/retry-lab/trace"
)

// redirectGroup is what goes wrong after an answer that the client follows by
// itself. The error, or the last answer, speaks of the last request only.
func redirectGroup() Group {
	return Group{
		ID: "redirect", Title: "the answer was a redirect: what failed is not what was asked",
		Source:  "RFC 9110 section 15.4; net/http: Client.Do",
		Columns: columns("code", "syscall", "phase", "processed", "basis", "saw", "deliveries", "get", "post", "post_key", "reason", "untraced", "message"),
		Rows:    rows(redirectLoop, redirectDead, redirectBusy),
	}
}

// following is a client that notes the redirects it follows.
func following(e *Env) *client {
	c := newClient(e, nil)
	c.http.Transport = trace.Hops(c.http.Transport)
	return c
}

var redirectLoop = &Case{
	ID: "redirect/loop", Source: "RFC 9110 section 15.4; net/http: Client.CheckRedirect",
	Title: "every answer leads back: the POST was answered, and so were nine GETs after it",
	Run: func(ctx context.Context, e *Env) (Run, error) {
		srv, err := servers.NewRedirect(servers.RedirectOptions{})
		if err != nil {
			return Run{}, fmt.Errorf("start server: %w", err)
		}
		return byHTTP(ctx, following(e), srv, srv.URL(), call{})
	},
}

var redirectDead = &Case{
	ID: "redirect/post-303-dead", Source: "RFC 9110 section 15.4.4", Pair: "connect/refused",
	Title: "the POST was processed, its result is to be fetched from a dead port: the error says refused",
	Run: func(ctx context.Context, e *Env) (Run, error) {
		port, err := servers.NewRefused()
		if err != nil {
			return Run{}, fmt.Errorf("hold a port: %w", err)
		}
		defer port.Close()
		srv, err := servers.NewRedirect(servers.RedirectOptions{Status: 303, To: port.URL()})
		if err != nil {
			return Run{}, fmt.Errorf("start server: %w", err)
		}
		return byHTTP(ctx, following(e), srv, srv.URL(), call{})
	},
}

var redirectBusy = &Case{
	ID: "redirect/post-307-503", Source: "RFC 9110 sections 15.4.8 and 15.6.4",
	Title: "one server sends the POST elsewhere, and there it is refused: nobody acted on it",
	Run: func(ctx context.Context, e *Env) (Run, error) {
		busy, err := servers.NewStatus(servers.Options{}, 503, nil)
		if err != nil {
			return Run{}, fmt.Errorf("start server: %w", err)
		}
		defer busy.Close()
		srv, err := servers.NewRedirect(servers.RedirectOptions{Status: 307, To: busy.URL()})
		if err != nil {
			return Run{}, fmt.Errorf("start server: %w", err)
		}
		run, err := byHTTP(ctx, following(e), srv, srv.URL(), call{})
		if err != nil {
			return Run{}, err
		}
		there, err := finish(e, busy, Run{})
		run.Record = run.Record.Join(there.Record)
		return run, err
	},
}
