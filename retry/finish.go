package retry

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/retry-lab/retry-lab/classifier"
)

// enter adds an attempt to the report.
func (c *call) enter(a Attempt) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.attempts = append(c.attempts, a)
	c.t.counts.attempt(&a)
}

// finish is the end of an operation: the last attempt's response, or an error.
func (c *call) finish(t *try, resp *http.Response, err error, d classifier.Decision) (*http.Response, error) {
	c.body.finish()
	c.logLast()
	c.conclude(d)
	if resp != nil && !c.isError(d) {
		return c.handOver(t, resp), nil
	}
	if resp != nil {
		if err == nil {
			err = errors.New(statusText(resp.StatusCode))
		}
		drain(resp.Body)
	}
	t.release()
	c.stopTimer()
	if c.off || resp == nil && c.n == 1 && (d.Verdict == classifier.Fail || d.Verdict == classifier.Ambiguous) {
		return nil, err
	}
	return nil, c.wrap(d, err)
}

// handOver makes a response ready for the caller.
func (c *call) handOver(t *try, resp *http.Response) *http.Response {
	resp.Body = c.hold(t, resp)
	if resp.Request == nil || resp.Request == &t.req {
		resp.Request = c.shown(t)
	}
	return resp
}

// shown is the request that the response shows: the one that was sent, as it
// was before our ways of sending it. Its context is the caller's, so that what
// is made of it is not a part of this attempt.
func (c *call) shown(t *try) *http.Request {
	t.shown = *t.req.WithContext(t.rec.AnsweredContext())
	t.shown.Body, t.shown.GetBody = c.in.Body, c.in.GetBody
	return &t.shown
}

// isError: the policy has an answer that is not the last word as an error.
func (c *call) isError(d classifier.Decision) bool {
	return c.p.ErrorOnStatus && (d.Verdict == classifier.Stop || d.Verdict == classifier.Ambiguous && c.n > 1)
}

// interrupted is the end of an operation in a wait.
func (c *call) interrupted(err error) error {
	c.body.finish()
	c.took = c.elapsed()
	d, err := brokenOff(c.ctx, err)
	c.conclude(d)
	c.stopTimer()
	return c.wrap(d, err)
}

// brokenOff is what the end of a wait by err means, and err with the cause that
// ctx has been given.
func brokenOff(ctx context.Context, err error) (classifier.Decision, error) {
	d := stop(classifier.CallerCanceled, 0)
	if errors.Is(err, context.DeadlineExceeded) || expired(ctx) {
		d.Reason = PastDeadline
	}
	if cause := context.Cause(ctx); cause != nil && cause != ctx.Err() {
		err = fmt.Errorf("%w: %w", err, cause)
	}
	return d, err
}

// conclude writes the report, and tells whoever wants to know.
func (c *call) conclude(d classifier.Decision) {
	c.mu.Lock()
	c.last = d
	c.mu.Unlock()
	c.t.counts.operation(d.Verdict, d.Reason)
	if c.p.OnDone != nil {
		r := c.report()
		r.Attempts = slices.Clone(r.Attempts) // the last may still change, see resume
		c.p.OnDone(r)
	}
}

// statusText names a status in words of our own: those of an answer may hold
// anything.
func statusText(code int) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", code, http.StatusText(code)))
}

// url is the request's, without a password.
func (c *call) url() string {
	if c.in.URL == nil {
		return ""
	}
	return c.in.URL.Redacted()
}

// wrap makes the Error of an operation.
func (c *call) wrap(d classifier.Decision, cause error) *Error {
	r := c.report()
	r.Attempts = slices.Clone(r.Attempts)
	return newError(d, r, cause)
}

// newError makes an Error of a report.
func newError(d classifier.Decision, r Report, cause error) *Error {
	e := &Error{
		Code: CodeStopped, Method: r.Method, URL: r.URL, Name: r.Name, Attempts: r.Attempts, Elapsed: r.Elapsed,
		Reason: d.Reason, Processed: r.Processed, Cause: cause,
	}
	switch {
	case d.Verdict == classifier.Ambiguous:
		e.Code = CodeAmbiguous
	case d.Reason == AttemptsUsedUp:
		e.Code = CodeMaxAttempts
	case d.Verdict == classifier.Stop:
		e.Wait = d.Wait
	}
	return e
}
