package retry

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/retry-lab/retry-lab/trace"
)

// call is one request's way through a Transport. Most need one attempt, so
// what that takes lies in here.
type call struct {
	t   *Transport
	off bool // one attempt, and its error as it is
	in  *http.Request

	ctx context.Context    // the caller's, under the policy's deadline
	end context.CancelFunc // of ctx; nil: there is no deadline

	operation
	body   body
	first  try
	now    *try // the attempt under way; nil: none yet
	over   bool // RoundTrip returns
	smooth int  // the status, where one attempt was all there was to it; 0: it was not

	mu sync.Mutex // guards the history's attempts and last word, which outlive RoundTrip
}

// try is one attempt of a call.
type try struct {
	rec     trace.Attempt
	req     http.Request
	resp    *http.Response     // the answer; nil: none yet
	shown   http.Request       // the request that the response shows
	timeout context.Context    // below the call's, with the attempt's timeout
	cancel  context.CancelFunc // of timeout; nil: there is none
}

// begin prepares what all attempts have in common.
func (c *call) begin() error {
	c.ctx = c.in.Context()
	if c.p.Deadline > 0 {
		c.ctx, c.end = context.WithTimeout(c.ctx, c.p.Deadline)
	}
	c.budgets, c.target = &c.t.budgets, c.in.URL
	c.body = newBody(c.in, c.p.bufferBody())
	if c.p.Key == nil {
		return nil
	}
	key, err := c.p.Key.keyFor(c.in, repeatable(c.remember().method))
	if err != nil {
		c.stopTimer()
		return err
	}
	if key != "" {
		c.ownHeader()[c.p.Key.header()] = []string{key}
	}
	return nil
}

// ownHeader is a copy of the request's header that may be changed.
func (c *call) ownHeader() http.Header {
	if c.header == nil {
		if c.header = c.in.Header.Clone(); c.header == nil {
			c.header = http.Header{}
		}
	}
	return c.header
}

// run makes attempts until one is the last.
func (c *call) run() (*http.Response, error) {
	t := &c.first
	for {
		c.now = t
		resp, err := c.send(t)
		if err == nil && c.isSmooth(t, resp) {
			return c.finishSmooth(t, resp), nil
		}
		d := c.judge(t, resp, &err)
		if !tryAgain(d) {
			return c.finish(t, resp, err, d)
		}
		c.settle(t, resp)
		c.announce()
		if err := c.waitFor(d.Wait); err != nil {
			return nil, c.interrupted(err)
		}
		t = &try{}
	}
}

// send makes one attempt.
func (c *call) send(t *try) (*http.Response, error) {
	c.n++
	c.t.counts.attempts.Add(1)
	t.timeout = c.ctx
	if c.p.AttemptTimeout > 0 {
		t.timeout, t.cancel = context.WithTimeout(c.ctx, c.p.AttemptTimeout)
	}
	t.rec.N, t.rec.Owner, t.rec.StopReplays = c.n, c, c.body.none()
	if t.rec.Start = c.start; c.n > 1 {
		t.rec.Start = c.p.now()
	}
	t.req = *c.in.WithContext(t.rec.Context(t.timeout))
	if err := c.fill(&t.req); err != nil {
		return nil, err
	}
	t.rec.Watch(&t.req)
	resp, err := c.base().RoundTrip(&t.req)
	if t.resp = resp; resp != nil && resp.Body == nil {
		resp.Body = http.NoBody
	}
	switch {
	case err != nil:
		if resp != nil { // against the rules; the error counts
			drain(resp.Body)
			resp, t.resp = nil, nil
		}
		if replay, stopped := t.rec.Replay(); stopped {
			err = connectionLost(replay)
		}
	case resp == nil:
		err = errNothing
	case c.mayRefetch(resp):
		err = c.holdBack(resp)
	}
	return resp, err
}

var errNothing = errors.New("retry: base returned neither a response nor an error")

// fill makes the copy of the request that is sent: the same bytes every time,
// but for what an answer has asked to change.
func (c *call) fill(out *http.Request) error {
	rc, err := c.body.open(c.ctx, c.n)
	if err != nil {
		return &bodyError{err}
	}
	if out.Body = rc; !c.body.none() {
		out.GetBody = nil // with it, net/http would send the request again by itself
	}
	if c.body.all != nil {
		out.ContentLength = int64(len(*c.body.all))
		if len(*c.body.all) == 0 {
			out.Body = http.NoBody // with any other, a length of 0 means that it is unknown
		}
		out.TransferEncoding = nil
	}
	if c.history != nil {
		c.modify(out)
	}
	if name := c.p.AttemptHeader; name != "" {
		out.Header = withAttempt(out.Header, name, c.n)
	}
	return nil
}

// waitFor waits before the next attempt. The caller's context ends the wait,
// and so does Request.Cancel, the older way to say the same.
func (c *call) waitFor(d time.Duration) error {
	//lint:ignore SA1019 http.Client still sets it for its Timeout, and so may a caller
	cancelled := c.in.Cancel
	if cancelled == nil {
		return c.pause(c.ctx, d)
	}
	ctx, cancel := context.WithCancel(c.ctx)
	defer cancel()
	go func() {
		select {
		case <-cancelled:
			cancel()
		case <-ctx.Done():
		}
	}()
	return c.pause(ctx, d)
}

// abandon lets go of everything where a function of the caller's has panicked:
// whoever recovers from that has no response to close.
func (c *call) abandon() {
	if c.over {
		return
	}
	c.body.abandon()
	if t := c.now; t != nil {
		if t.resp != nil {
			t.resp.Body.Close()
		}
		t.release()
	}
	c.stopTimer()
}

// settle ends an attempt that another one follows: the answer is drained, so
// that its connection can be used again, and let go.
func (c *call) settle(t *try, resp *http.Response) {
	if resp != nil {
		drain(resp.Body)
	}
	t.release()
}

// release ends what an attempt holds on to.
func (t *try) release() {
	t.rec.Release()
	if t.cancel != nil {
		t.cancel()
	}
}

// stopTimer ends the deadline's.
func (c *call) stopTimer() {
	if c.end != nil {
		c.end()
	}
}
