package scenarios

import (
	"context"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/retry-lab/retry-lab/servers"
)

// synRetry is when Linux first sends a SYN again (RFC 6298 section 2), which is
// also the earliest that connect(2) fails with ETIMEDOUT.
const synRetry = time.Second

// bySocket runs one plain-socket call and closes the server.
func bySocket(ctx context.Context, e *Env, srv io.Closer, call func(*socket) error) (Run, error) {
	defer srv.Close()
	s := newSocket(e)
	a, err := s.attempt(call(s))
	if ctx.Err() != nil {
		return Run{}, fmt.Errorf("after %q: %w", s.last(), context.Cause(ctx))
	}
	if err != nil {
		return Run{}, err
	}
	return finish(e, srv, Run{Attempts: []Attempt{a}})
}

// byHTTP runs one call through net/http and closes client and server.
func byHTTP(ctx context.Context, c *client, srv io.Closer, url string, k call) (Run, error) {
	defer srv.Close()
	defer c.close()
	if _, _, err := c.send(ctx, url, k); err != nil {
		return Run{}, err
	}
	if err := c.awaitSent(ctx, srv, isComplete); err != nil {
		return Run{}, err
	}
	c.close()
	return finish(c.e, srv, Run{Attempts: c.attempts})
}

// A side is a server with a ledger.
type side interface {
	io.Closer
	URL() string
	Ledger() *servers.Ledger
}

// byHTTPUntil is byHTTP for a server whose side of the case may come after the
// client's: it is closed once the ledger satisfies done.
func byHTTPUntil(ctx context.Context, c *client, srv side, k call, done func(servers.Record) bool) (Run, error) {
	defer srv.Close()
	defer c.close()
	a, _, err := c.send(ctx, srv.URL(), k)
	if err != nil {
		return Run{}, err
	}
	if c.cutShort() {
		return finish(c.e, srv, Run{Attempts: c.attempts})
	}
	if c.engine == nil && !a.connected() && !done(srv.Ledger().Record(c.e.Epoch)) {
		return Run{}, fmt.Errorf("the server was not reached: %s", a.Message)
	}
	if err := srv.Ledger().Await(ctx, done); err != nil {
		return Run{}, fmt.Errorf("wait for the server's side: %w", err)
	}
	if err := c.awaitSent(ctx, srv, isComplete); err != nil {
		return Run{}, err
	}
	c.close()
	return finish(c.e, srv, Run{Attempts: c.attempts})
}

// connected: a connection came about, so that the server has to do with it.
func (a Attempt) connected() bool { return a.Evidence.ConnectDone || a.Evidence.GotConn }

// whenever is a client's patience, or a caller's, that ends when the ledger
// satisfies done.
func whenever(l *servers.Ledger, done func(servers.Record) bool) func(context.Context) error {
	return func(ctx context.Context) error { return l.Await(ctx, done) }
}

// eachTime is a patience that is asked for once a request: the n-th ends when
// the ledger has n deliveries of which is is true.
func eachTime(l *servers.Ledger, is func(servers.Delivery) bool) func(context.Context) error {
	var asked atomic.Int64
	return func(ctx context.Context) error {
		n := int(asked.Add(1))
		return l.Await(ctx, func(r servers.Record) bool {
			have := 0
			for _, d := range r.Asked() {
				if is(d) {
					have++
				}
			}
			return have >= n
		})
	}
}

// complete: a whole request has been read. worked: and its side effect has
// happened.
func complete(r servers.Record) bool {
	for _, d := range r.Asked() {
		if d.Complete {
			return true
		}
	}
	return false
}

func worked(r servers.Record) bool { return committed(r.Asked()) }

// finish closes the server's side and enters its ledger, which is complete
// only then. A port that nobody serves has none: nothing reached it.
func finish(e *Env, srv io.Closer, run Run) (Run, error) {
	if err := srv.Close(); err != nil {
		return Run{}, fmt.Errorf("close server: %w", err)
	}
	if l, ok := srv.(interface{ Ledger() *servers.Ledger }); ok {
		run.Record = l.Ledger().Record(e.Epoch)
	}
	return run, nil
}
