package retry

import (
	"net/http"
	"slices"

	"github.com/retry-lab/retry-lab/trace"
)

// Attempts returns the attempts that led to a response of a [Transport], the
// last of which it answers; nil if it came from elsewhere.
func Attempts(resp *http.Response) []Attempt {
	report, _ := ReportOf(resp)
	return report.Attempts
}

// ReportOf tells what became of the request that a [Transport] answered with
// resp; false if it came from elsewhere. After a redirect it is about the last
// request. With Policy.RefetchTruncated it may grow while the body is read.
func ReportOf(resp *http.Response) (Report, bool) {
	c := callOf(resp)
	if c == nil {
		return Report{}, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.report()
	r.Attempts = slices.Clone(r.Attempts)
	return r, true
}

// report tells what there is to tell; the caller holds mu, or is the operation
// itself.
func (c *call) report() Report {
	h := c.history
	if c.smooth != 0 {
		h = c.smoothHistory()
	}
	r := Report{
		Method: methodOf(c.in.Method), URL: c.url(),
		Attempts: h.attempts, Elapsed: c.took,
		Verdict: h.last.Verdict, Reason: h.last.Reason,
		Processed: h.processed, Basis: h.basis,
	}
	for i := range r.Attempts {
		r.Replays += r.Attempts[i].Replays
	}
	return r
}

// callOf finds the call that a response belongs to, by its request's context.
func callOf(resp *http.Response) *call {
	if resp == nil || resp.Request == nil {
		return nil
	}
	a := trace.FromContext(resp.Request.Context())
	if a == nil {
		return nil
	}
	c, _ := a.Owner.(*call)
	return c
}
