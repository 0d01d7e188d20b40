package retry

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/retry-lab/retry-lab/classifier"
)

// A resumedBody goes on where its response broke off, with the rest of the
// same representation (RFC 9110 sections 13.1.5 and 14). As with any body of
// net/http, Close may come while a Read is under way, and ends it.
type resumedBody struct {
	c    *call
	etag string
	at   int64 // bytes read so far
	err  error // the end

	mu     sync.Mutex // guards the rest, which Read alone changes
	t      *try
	body   io.ReadCloser
	closed bool
}

// resumed makes one, whose Close ends also a wait and a request for the rest.
func (c *call) resumed(t *try, body io.ReadCloser, etag string) *resumedBody {
	ctx, cancel := context.WithCancel(c.ctx)
	end := c.end
	c.ctx, c.end = ctx, func() {
		cancel()
		if end != nil {
			end()
		}
	}
	return &resumedBody{c: c, etag: etag, t: t, body: body}
}

// Read reads on. Whoever reads does the waiting and sending that it takes.
func (b *resumedBody) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	if b.isClosed() {
		return 0, http.ErrBodyReadAfterClose
	}
	n, err := b.body.Read(p)
	b.at += int64(n)
	if err == nil {
		return n, nil
	}
	if err != io.EOF && !b.isClosed() && b.resume(err) {
		return n, nil
	}
	b.err = err
	b.letGo()
	return n, err
}

// Close ends it.
func (b *resumedBody) Close() error {
	b.mu.Lock()
	b.closed = true
	body := b.body
	b.mu.Unlock()
	err := body.Close()
	b.letGo()
	return err
}

func (b *resumedBody) isClosed() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.closed
}

func (b *resumedBody) letGo() {
	b.mu.Lock()
	t := b.t
	b.mu.Unlock()
	t.release()
	b.c.stopTimer()
}

// goOn takes the next attempt, and its body where it has one, in place of the
// last.
func (b *resumedBody) goOn(t *try, resp *http.Response) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.t = t
	if resp != nil {
		b.body = resp.Body
	}
	if b.closed { // too late for Close to do it
		b.body.Close()
		t.release()
	}
}

// resume asks for the rest, as often as the policy has attempts. False: it
// cannot be had.
func (b *resumedBody) resume(broken error) bool {
	c := b.c
	ev := b.t.rec.End(c.in.Context(), b.t.timeout)
	ev.Answered = true
	ev.CallerErr, ev.ContextErr = c.in.Context().Err(), b.t.timeout.Err()
	f := classifier.FromError(broken, ev)
	f.Status = http.StatusOK
	for err := broken; ; {
		d := c.decision(nil, err, &f, mark{}, steady)
		c.mu.Lock()
		a := c.newest()
		a.Code, a.Phase, a.Syscall, a.Err = f.Code, f.Phase, f.Syscall, err
		a.Verdict, a.Reason, a.Wait = d.Verdict, d.Reason, d.Wait
		if !tryAgain(d) {
			c.last = d
		}
		c.mu.Unlock()
		if !tryAgain(d) {
			return false
		}
		_ = b.body.Close() // it has failed already
		b.t.release()
		c.announce()
		if c.waitFor(d.Wait) != nil {
			return false
		}
		var resp *http.Response
		if resp, f, ev, err = b.ask(); err == nil {
			return resp != nil && b.continues(resp)
		}
	}
}

// ask sends the request for the rest. An error means that it may be asked
// again.
func (b *resumedBody) ask() (*http.Response, classifier.Failure, classifier.Evidence, error) {
	c := b.c
	t := &try{}
	c.rest = rangeOf{at: b.at, etag: b.etag}
	resp, err := c.send(t)
	now := c.p.now()
	ev := t.rec.End(c.in.Context(), t.timeout)
	b.goOn(t, resp)
	var f classifier.Failure
	if err != nil {
		f = c.failure(t, err, &ev)
	} else {
		f = c.answer(resp, now, &ev)
		if resp.StatusCode >= 500 || resp.StatusCode == http.StatusTooManyRequests {
			err = fmt.Errorf("asked for the rest: %s", statusText(resp.StatusCode))
		}
	}
	c.enter(Attempt{
		N: c.n, Start: t.rec.Start, Duration: now.Sub(t.rec.Start),
		Code: f.Code, Syscall: f.Syscall, Phase: f.Phase, Status: f.Status,
		Processed: f.Processed, Basis: f.Basis, Err: err,
		Verdict: classifier.Done, Reason: classifier.Success, Reused: ev.Reused,
	})
	return resp, f, ev, err
}

// continues takes the body of resp for the rest, if it is that: of the same
// representation, from the right byte. One that begins anew is skipped to
// there.
func (b *resumedBody) continues(resp *http.Response) bool {
	same := resp.Header.Get("Etag") == b.etag && !resp.Uncompressed
	switch {
	case same && resp.StatusCode == http.StatusPartialContent:
		return strings.HasPrefix(resp.Header.Get("Content-Range"), fmt.Sprintf("bytes %d-", b.at))
	case same && resp.StatusCode == http.StatusOK:
		_, err := io.CopyN(io.Discard, resp.Body, b.at)
		return err == nil
	}
	return false
}
