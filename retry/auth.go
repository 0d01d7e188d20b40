package retry

import (
	"net/http"
	"time"

	"github.com/retry-lab/retry-lab/classifier"
)

// refresh gets fresh credentials, once, where the request may be sent again. A
// wait that the answer asks for, as one to a client that has failed too often,
// is kept.
func (c *call) refresh(resp *http.Response, f *classifier.Failure, d classifier.Decision) classifier.Decision {
	if c.p.RefreshAuth == nil || c.fresh || !c.body.replayable() || c.off {
		return d
	}
	wait := f.Server.Wait
	if !c.harmlessAfter(wait) {
		return d
	}
	if c.p.LongWait == Stop && wait > c.p.maxWait() {
		return stop(classifier.WaitTooLong, wait)
	}
	c.fresh = true
	next := c.in.Clone(c.ctx)
	next.Header = c.ownHeader().Clone()
	if err := c.p.RefreshAuth(c.ctx, next, resp); err != nil {
		return d
	}
	if k := c.p.Key; k != nil {
		next.Header[k.header()] = c.ownHeader()[k.header()] // which never changes
	}
	c.header = next.Header
	c.beyond++
	again := classifier.Decision{Verdict: classifier.RetryModified, Reason: FreshLogin, Modify: ModifyCredentials, Wait: wait}
	if again = c.worth(c.ctx, again, steady); tryAgain(again) && !c.harmlessAfter(again.Wait) {
		c.giveBack()
		return d
	}
	return again
}

// harmlessAfter: once a wait is over, the request may still be sent again.
func (c *call) harmlessAfter(wait time.Duration) bool {
	return !c.doubt || repeatable(c.method) || c.keyedAfter(wait)
}
