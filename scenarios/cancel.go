package scenarios

import (
	"context"
	"errors"
	"fmt"

	"github.com/retry-lab/retry-lab/servers"
)

// cancelGroup is the caller's own change of mind. It is never overruled, and
// says nothing about what the server has done.
func cancelGroup() Group {
	return Group{
		ID: "cancel", Title: "the caller gives up: never sent again, whatever the error says",
		Source:  "context.WithCancelCause; net/http",
		Columns: columns("code", "syscall", "phase", "processed", "basis", "saw", "is_canceled", "get", "post", "post_key", "untraced", "message"),
		Rows: rows(
			cancels("before-send", "cancelled before anything was tried", canceledAlready, nil),
			cancels("while-awaiting", "cancelled while the answer is waited for, the work done", nil, nil),
			cancels("with-cause", "the same with a cause: errors.Is(err, context.Canceled) is false", nil, errShutdown),
		),
	}
}

// errShutdown is why a caller cancels.
var errShutdown = errors.New("this replica shuts down")

// cancels is a call whose caller cancels it, with cause if there is one: before
// it begins, or once the server has done the work.
func cancels(id, title string, before func(context.Context) (context.Context, func()), cause error) *Case {
	return &Case{
		ID: "cancel/" + id, Title: title, Source: "context.Context",
		Run: func(ctx context.Context, e *Env) (Run, error) {
			srv, err := servers.NewStall(servers.StallOptions{Commit: servers.CommitAtOnce})
			if err != nil {
				return Run{}, fmt.Errorf("start server: %w", err)
			}
			defer srv.Close()
			c := newClient(e, nil)
			defer c.close()
			caller := before
			if caller == nil {
				caller = cancelWhen(whenever(srv.Ledger(), worked), cause)
			}
			_, ans, err := c.send(ctx, srv.URL(), call{Caller: caller})
			if err != nil {
				return Run{}, err
			}
			c.close()
			is := "no"
			if errors.Is(ans.Err, context.Canceled) {
				is = "yes"
			}
			return finish(e, srv, Run{Attempts: c.attempts, Cells: map[string]string{"is_canceled": is}})
		},
	}
}

// canceledAlready is a caller that has cancelled before the call.
func canceledAlready(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(parent)
	cancel()
	return ctx, cancel
}

// cancelWhen is a caller that cancels, with cause if it is not nil, once wait
// returns nil.
func cancelWhen(wait func(context.Context) error, cause error) func(context.Context) (context.Context, func()) {
	return func(parent context.Context) (context.Context, func()) {
		ctx, cancel := context.WithCancelCause(parent)
		joined := make(chan struct{})
		go func() {
			defer close(joined)
			if wait(ctx) == nil {
				cancel(cause)
			}
		}()
		return ctx, func() { cancel(nil); <-joined }
	}
}
