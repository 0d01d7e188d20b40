package retry

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// body is a request's body, to be sent several times. One that net/http can
// make again is left to it. Any other is lent to each attempt: rewound where it
// can be, else kept as it is read, up to a bound.
type body struct {
	in   *http.Request
	lent *lent   // nil: nothing to send, or GetBody makes it
	all  *[]byte // read whole, where an answer wanted the length; nil: it was not
}

// newBody looks at the body of r and reads nothing.
func newBody(r *http.Request, limit int64) body {
	b := body{in: r}
	if r.Body == nil || r.Body == http.NoBody || r.GetBody != nil {
		return b
	}
	b.lent = &lent{orig: r.Body, limit: limit}
	if r.ContentLength > limit {
		b.lent.limit = 0 // it would not fit
	}
	if s, ok := r.Body.(io.Seeker); ok {
		if start, err := s.Seek(0, io.SeekCurrent); err == nil {
			b.lent.seeker, b.lent.start = s, start
		}
	}
	return b
}

// none: the request has no body.
func (b *body) none() bool { return b.in.Body == nil || b.in.Body == http.NoBody }

// replayable: it can be sent again from its first byte.
func (b *body) replayable() bool { return b.lent == nil || b.all != nil || b.lent.replayable() }

// open returns the body of attempt n. ctx ends the wait for a transport that
// still reads the last attempt's.
func (b *body) open(ctx context.Context, n int) (io.ReadCloser, error) {
	switch {
	case b.all != nil:
		return io.NopCloser(bytes.NewReader(*b.all)), nil
	case b.lent != nil:
		return b.lent.lend(ctx)
	case n == 1 || b.none():
		return b.in.Body, nil
	}
	rc, err := b.in.GetBody()
	if err != nil {
		return nil, fmt.Errorf("get body again: %w", err)
	}
	return rc, nil
}

// whole reads the body up to limit, so that its length is known.
func (b *body) whole(ctx context.Context, n int, limit int64) error {
	rc, err := b.open(ctx, n)
	if err != nil {
		return err
	}
	defer rc.Close()
	all, err := io.ReadAll(io.LimitReader(rc, limit+1))
	switch {
	case err != nil:
		return fmt.Errorf("read body: %w", err)
	case int64(len(all)) > limit:
		return fmt.Errorf("read body: longer than %d bytes", limit)
	}
	b.all = &all
	return nil
}

// finish closes a body that was lent, as soon as nobody reads it.
func (b *body) finish() {
	if b.lent != nil {
		b.lent.finish()
	}
}

// abandon closes it at once.
func (b *body) abandon() {
	switch {
	case b.lent != nil:
		b.lent.abandon()
	case !b.none():
		_ = b.in.Body.Close()
	}
}

// errBodyInUse: the transport has not closed the last attempt's body.
var errBodyInUse = errors.New("the body of the last attempt is still being read")

// bodyGrace is how long a transport may take to close the body of an attempt
// that is over.
const bodyGrace = time.Second

// await waits until the transport has let go of the body.
func await(ctx context.Context, free <-chan struct{}) error {
	select {
	case <-free:
		return nil
	default:
	}
	timer := time.NewTimer(bodyGrace)
	defer timer.Stop()
	select {
	case <-free:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return errBodyInUse
	}
}
