package scenarios

import (
	"context"
	"fmt"
	"time"

	"github.com/retry-lab/retry-lab/classifier"
	"github.com/retry-lab/retry-lab/servers"
)

// timeoutGroup is one and the same thing, time is up, in every phase.
func timeoutGroup() Group {
	return Group{
		ID: "timeout", Title: "time is up: one text for every wait, and only a trace tells which",
		Source:  "net/http: Client.Timeout, Transport.ResponseHeaderTimeout; context",
		Columns: columns("code", "syscall", "phase", "processed", "basis", "saw", "get", "post", "post_key", "untraced", "message"),
		Rows: rows(
			timeoutAwait,
			timeoutDoneButLate,
			clientTimeout("dial", classifier.PhaseConnect, "await", "nothing was sent: the dial was waited for", dialStalls,
				func(ev classifier.Evidence) bool { return ev.ConnectStarted }),
			clientTimeout("tls", classifier.PhaseTLS, "await", "nothing was sent: the TLS handshake was waited for", handshakeStalls,
				func(ev classifier.Evidence) bool { return ev.TLSStarted }),
			clientTimeout("pool", classifier.PhasePool, "await", "nothing was sent: a free connection was waited for", poolStalls,
				func(ev classifier.Evidence) bool { return ev.Acquisitions > 0 }),
			clientTimeout("await", classifier.PhaseAwait, "dial", "the request was sent, and the work is done", answerStalls, wasSent),
			timeoutResponseHeader,
			timeoutBody,
		),
	}
}

var timeoutAwait = &Case{
	ByEngine: Terms{Stalls: classifier.PhaseAwait},
	ID:       "timeout/await", Source: "context.DeadlineExceeded", Pair: "timeout/done-but-late",
	Title: "the deadline passes while the answer is waited for; the server never did the work",
	Run: func(ctx context.Context, e *Env) (Run, error) {
		srv, err := servers.NewStall(servers.StallOptions{})
		if err != nil {
			return Run{}, fmt.Errorf("start server: %w", err)
		}
		k := call{GiveUp: whenever(srv.Ledger(), complete)}
		return byHTTP(ctx, newClient(e, nil), srv, srv.URL(), k)
	},
}

var timeoutDoneButLate = &Case{
	ByEngine: Terms{Stalls: classifier.PhaseAwait},
	ID:       "timeout/done-but-late", Source: "context.DeadlineExceeded; RFC 9110 section 9.2.2", Pair: "timeout/await",
	Title: "the deadline passes, the client leaves, and the server does the work after that",
	Run: func(ctx context.Context, e *Env) (Run, error) {
		srv, err := servers.NewStall(servers.StallOptions{Commit: servers.CommitLate})
		if err != nil {
			return Run{}, fmt.Errorf("start server: %w", err)
		}
		k := call{GiveUp: whenever(srv.Ledger(), complete)}
		return byHTTPUntil(ctx, newClient(e, nil), srv, k, worked)
	},
}

var timeoutResponseHeader = &Case{
	ID: "timeout/response-header-timeout", Source: "net/http: Transport.ResponseHeaderTimeout", Waits: 100 * time.Millisecond,
	Title: "the transport's timer for the head of the answer, which starts when the request is written",
	Run: func(ctx context.Context, e *Env) (Run, error) {
		srv, err := servers.NewStall(servers.StallOptions{Commit: servers.CommitAtOnce})
		if err != nil {
			return Run{}, fmt.Errorf("start server: %w", err)
		}
		c := newClient(e, nil)
		c.transport.ResponseHeaderTimeout = firstLimit
		return byHTTPUntil(ctx, c, srv, call{}, worked)
	},
}

var timeoutBody = &Case{
	ByEngine: Terms{Stalls: classifier.PhaseReadBody},
	ID:       "timeout/body", Source: "context.DeadlineExceeded",
	Title: "the deadline passes while the body of the answer is read: the work is done",
	Run: func(ctx context.Context, e *Env) (Run, error) {
		srv, err := servers.NewStall(servers.StallOptions{Commit: servers.CommitAtOnce, Begin: true})
		if err != nil {
			return Run{}, fmt.Errorf("start server: %w", err)
		}
		begun := newEvent()
		k := call{Answered: begun.happen, GiveUp: begun.await}
		return byHTTP(ctx, newClient(e, nil), srv, srv.URL(), k)
	},
}

// A client's own timer begins with firstLimit. Where the machine is so slow
// that it runs out before the client has come to the wait in question, it is
// another wait's timeout, and the case begins anew with twice the time.
const (
	firstLimit = 100 * time.Millisecond
	lastLimit  = 10 * time.Second
)

// clientTimeout is a case in which Client.Timeout ends the wait that reached
// knows by the client's own instruments. pair is the wait with the same text
// and the opposite truth; run makes the one call.
func clientTimeout(wait string, stalls classifier.Phase, pair, title string, run func(context.Context, *client) (Run, error), reached func(classifier.Evidence) bool) *Case {
	return &Case{
		ID: "timeout/" + wait + "-client-timeout", Pair: "timeout/" + pair + "-client-timeout",
		Title: title, Source: "net/http: Client.Timeout", Waits: firstLimit, ByEngine: Terms{Stalls: stalls},
		Run: func(ctx context.Context, e *Env) (Run, error) {
			for limit := firstLimit; limit < lastLimit; limit *= 2 {
				c := newClient(e, nil)
				c.http.Timeout = limit
				r, err := run(ctx, c)
				if err != nil || c.engine != nil || reached(r.Attempts[0].Evidence) {
					return r, err
				}
			}
			return Run{}, fmt.Errorf("the wait for %s was not reached in %v", wait, lastLimit)
		},
	}
}

func dialStalls(ctx context.Context, c *client) (Run, error) {
	srv, err := servers.NewFullBacklog(servers.Options{})
	if err != nil {
		return Run{}, fmt.Errorf("fill a backlog: %w", err)
	}
	return byHTTP(ctx, c, srv, srv.URL(), call{})
}

func handshakeStalls(ctx context.Context, c *client) (Run, error) {
	srv, err := servers.NewSilent(servers.Options{})
	if err != nil {
		return Run{}, fmt.Errorf("start server: %w", err)
	}
	return byHTTPUntil(ctx, c, secure{srv}, call{}, func(r servers.Record) bool {
		return !c.attempts[0].Evidence.TLSStarted || len(r.Connections) > 0
	})
}

// secure is a server that a client takes for one that speaks TLS.
type secure struct{ *servers.Server }

func (s secure) URL() string { return "https://" + s.Addr() }

func poolStalls(ctx context.Context, c *client) (Run, error) {
	return inCrowd(ctx, c, 1, func(root string, _ func() error) error {
		_, _, err := c.send(ctx, root, call{})
		return err
	})
}

func answerStalls(ctx context.Context, c *client) (Run, error) {
	srv, err := servers.NewStall(servers.StallOptions{Commit: servers.CommitAtOnce})
	if err != nil {
		return Run{}, fmt.Errorf("start server: %w", err)
	}
	return byHTTPUntil(ctx, c, srv, call{}, func(r servers.Record) bool {
		return !wasSent(c.attempts[0].Evidence) || worked(r)
	})
}

// wasSent: the kernel took the whole request, which is one write.
func wasSent(ev classifier.Evidence) bool { return ev.WroteRequest && ev.BytesOut > 0 }
