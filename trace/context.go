package trace

import (
	"context"
	"errors"
	"sync"
	"time"
)

type attemptKey struct{}

// FromContext returns the attempt that a request is part of, nil if none.
func FromContext(ctx context.Context) *Attempt {
	a, _ := ctx.Value(attemptKey{}).(*Attempt)
	return a
}

// attemptContext is an attempt as the context of its request: its caller's,
// except that the attempt is found in it, and that it can be cancelled to stop
// a replay. What that takes is made only when somebody waits for it.
type attemptContext Attempt

var (
	_ context.Context = (*attemptContext)(nil)
	_ context.Context = (*answeredContext)(nil)
)

// life is the part of an attempt that its context is made of.
type life struct {
	parent context.Context

	mu     sync.Mutex
	own    context.Context // below parent; nil: nobody has asked for it yet
	cancel context.CancelCauseFunc
}

// Deadline is the caller's.
func (c *attemptContext) Deadline() (time.Time, bool) { return c.life.parent.Deadline() }

// Done is closed with the caller's, or when a replay is stopped.
func (c *attemptContext) Done() <-chan struct{} {
	if !c.StopReplays {
		return c.life.parent.Done()
	}
	return c.life.make().Done()
}

// Err says why Done is closed.
func (c *attemptContext) Err() error { return c.life.current().Err() }

// Value finds the attempt, and what the caller's context holds.
func (c *attemptContext) Value(key any) any {
	if key == (attemptKey{}) {
		return (*Attempt)(c)
	}
	return c.life.current().Value(key)
}

func (c *attemptContext) String() string { return "attempt" }

// answeredContext is the caller's, except that the attempt is found in it.
type answeredContext Attempt

func (c *answeredContext) Deadline() (time.Time, bool) { return c.life.parent.Deadline() }
func (c *answeredContext) Done() <-chan struct{}       { return c.life.parent.Done() }
func (c *answeredContext) Err() error                  { return c.life.parent.Err() }
func (c *answeredContext) String() string              { return "answered attempt" }

func (c *answeredContext) Value(key any) any {
	if key == (attemptKey{}) {
		return (*Attempt)(c)
	}
	return c.life.parent.Value(key)
}

// AnsweredContext is a context for the request of a response: the one that
// [Attempt.Context] was made of, in which the attempt is found. Unlike the
// attempt's own it outlives it, and what is sent with it is not watched.
func (a *Attempt) AnsweredContext() context.Context { return (*answeredContext)(a) }

// make returns the attempt's own context.
func (l *life) make() context.Context {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.own == nil {
		l.own, l.cancel = context.WithCancelCause(l.parent)
	}
	return l.own
}

// current is the attempt's own context, or as long as there is none the
// caller's.
func (l *life) current() context.Context {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.own == nil {
		return l.parent
	}
	return l.own
}

// stop ends the attempt's own context.
func (l *life) stop(why error) {
	l.make()
	l.cancel(why)
}

// errReplay is the cause with which a replay is stopped.
var errReplay = errors.New("trace: the transport was about to send the request again")

// Held tells whether the attempt's context holds on to the caller's and has to
// be released.
func (a *Attempt) Held() bool {
	a.life.mu.Lock()
	defer a.life.mu.Unlock()
	return a.life.own != nil && a.life.parent.Done() != nil
}

// Release ends the attempt's context, if it has one of its own: once nothing
// of the attempt is awaited any more, its response's body included.
func (a *Attempt) Release() {
	a.life.mu.Lock()
	defer a.life.mu.Unlock()
	if a.life.cancel != nil {
		a.life.cancel(context.Canceled)
	}
}
