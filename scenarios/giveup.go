package scenarios

import (
	"context"
	"sync"
	"time"
)

// A deadline is a context that ends with context.DeadlineExceeded when told
// to. A client's timer is a wait for an event here, so that what a case shows
// does not hang on the machine being fast: the client gives up when its time
// is over and the server's side of the case has happened.
type deadline struct {
	context.Context
	done chan struct{}
	mu   sync.Mutex
	err  error
}

// giveUp ends the returned context with DeadlineExceeded once wait returns
// nil, and with the parent's error when the parent ends. The returned function
// ends the wait and joins it.
func giveUp(parent context.Context, wait func(context.Context) error) (context.Context, func()) {
	waitCtx, cancel := context.WithCancel(parent)
	d := &deadline{Context: parent, done: make(chan struct{})}
	joined := make(chan struct{})
	go func() {
		defer close(joined)
		err := wait(waitCtx)
		if err == nil {
			err = context.DeadlineExceeded
		}
		d.mu.Lock()
		d.err = err
		d.mu.Unlock()
		close(d.done)
	}()
	return d, func() { cancel(); <-joined }
}

func (d *deadline) Done() <-chan struct{} { return d.done }

func (d *deadline) Err() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.err
}

// Deadline is unknown: it is an event.
func (d *deadline) Deadline() (time.Time, bool) { return time.Time{}, false }

// An event happens once.
type event struct {
	once sync.Once
	done chan struct{}
}

func newEvent() *event { return &event{done: make(chan struct{})} }

func (e *event) happen() { e.once.Do(func() { close(e.done) }) }

// await returns nil once the event has happened, or the context's error.
func (e *event) await(ctx context.Context) error {
	select {
	case <-e.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
