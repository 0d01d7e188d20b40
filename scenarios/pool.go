package scenarios

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptrace"
	"strings"
	"sync"

	"github.com/retry-lab/retry-lab/classifier"
	"github.com/retry-lab/retry-lab/retry"
	"github.com/retry-lab/retry-lab/servers"
)

// poolGroup is a client that waits for itself.
func poolGroup() Group {
	return Group{
		ID: "pool", Title: "every connection is busy: the request waits at home, and nothing is sent",
		Source:  "net/http: Transport.MaxConnsPerHost",
		Columns: columns("code", "syscall", "phase", "processed", "basis", "saw", "get", "post", "post_key", "attempts", "deliveries", "untraced", "message"),
		Rows:    rows(poolExhausted, poolFreed),
	}
}

var poolExhausted = &Case{
	ID: "pool/exhausted", Source: "net/http: Transport.MaxConnsPerHost", Pair: "timeout/await",
	ByEngine: Terms{Stalls: classifier.PhasePool},
	Title:    "all connections are busy until the deadline passes: nothing was sent",
	Run: func(ctx context.Context, e *Env) (Run, error) {
		c := newClient(e, nil)
		return inCrowd(ctx, c, 2, func(root string, _ func() error) error {
			_, _, err := c.send(ctx, root, inQueue())
			return err
		})
	},
}

var poolFreed = &Case{
	ID: "pool/exhausted-then-freed", Source: "net/http: Transport.MaxConnsPerHost",
	ByEngine: Terms{Stalls: classifier.PhasePool},
	Title:    "given up in the queue and sent again when a connection is free: the server sees it once",
	Run: func(ctx context.Context, e *Env) (Run, error) {
		c := newClient(e, nil)
		return inCrowd(ctx, c, 1, func(root string, free func() error) error {
			if c.engine != nil {
				return c.freedByRetry(ctx, root, free)
			}
			if _, _, err := c.send(ctx, root, inQueue()); err != nil {
				return err
			}
			if err := free(); err != nil {
				return err
			}
			_, _, err := c.send(ctx, root, call{})
			return err
		})
	},
}

// freedByRetry is one call of the engine, whose first attempt finds the pool
// full.
func (c *client) freedByRetry(ctx context.Context, root string, free func() error) error {
	c.engine.Policy.OnRetry = func(retry.Event) { _ = free() } // which inCrowd returns
	_, _, err := c.send(ctx, root, call{})
	return err
}

// inQueue is a call that gives up once it has asked for a connection.
func inQueue() call {
	asked := newEvent()
	return call{
		GiveUp: asked.await,
		Hooks:  &httptrace.ClientTrace{GetConn: func(string) { asked.happen() }},
	}
}

// inCrowd runs use, with the root of its server, while the client's pool is
// full: as many connections as it may have, all busy. free ends that.
func inCrowd(ctx context.Context, c *client, full int, use func(root string, free func() error) error) (Run, error) {
	defer c.close()
	srv, err := servers.NewHold(servers.Options{})
	if err != nil {
		return Run{}, fmt.Errorf("start server: %w", err)
	}
	defer srv.Close()
	c.transport.MaxConnsPerHost = full
	held := make(chan error, full)
	crowd, leave := context.WithCancel(ctx) // ends when one of it has failed
	defer leave()
	for range full {
		go func() {
			err := c.warmUp(ctx, srv.URL())
			if err != nil {
				leave()
			}
			held <- err
		}()
	}
	free := sync.OnceValue(func() error {
		srv.Free()
		var first error
		for range full {
			if err := <-held; first == nil {
				first = err
			}
		}
		return first
	})
	err = srv.Ledger().Await(crowd, func(r servers.Record) bool { return len(r.Deliveries) == full })
	switch {
	case err == nil:
		err = use(srv.URL(), free)
	case ctx.Err() == nil && crowd.Err() != nil:
		err = nil // free says why
	}
	if err := errors.Join(err, free()); err != nil {
		return Run{}, err
	}
	c.close()
	run, err := finish(c.e, srv, Run{Attempts: c.attempts})
	run.Cells = map[string]string{"attempts": codesOf(c.attempts), "saw": run.sawOf(c.attempts[0])}
	return run, err
}

// sawOf is how much of one attempt reached the server.
func (run Run) sawOf(a Attempt) string {
	return servers.Record{Deliveries: run.deliveriesOf(a)}.Saw()
}

// codesOf lists what each attempt came to.
func codesOf(attempts []Attempt) string {
	var list []string
	for _, a := range attempts {
		list = append(list, string(a.Code))
	}
	return strings.Join(list, ", ")
}
