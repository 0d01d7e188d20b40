package retry

import (
	"net/http"

	"github.com/retry-lab/retry-lab/classifier"
)

// refresh gets fresh credentials, once.
func (c *call) refresh(resp *http.Response, d classifier.Decision) classifier.Decision {
	if c.p.RefreshAuth == nil || c.fresh || !c.body.replayable() || c.off {
		return d
	}
	if c.doubt && !c.keyed() && !repeatable(c.method) {
		return d
	}
	c.fresh = true
	next := c.in.Clone(c.ctx)
	next.Header = c.ownHeader().Clone()
	if err := c.p.RefreshAuth(c.ctx, next, resp); err != nil {
		return d
	}
	c.header = next.Header
	c.beyond++
	again := classifier.Decision{Verdict: classifier.RetryModified, Reason: FreshLogin, Modify: ModifyCredentials}
	return c.worth(c.ctx, again, steady)
}
