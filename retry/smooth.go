package retry

import (
	"net/http"

	"github.com/retry-lab/retry-lab/classifier"
)

// Most requests are answered at the first attempt, and nobody ever asks how it
// went. Those are not judged and entered, but when somebody does.

// isSmooth: the first attempt was answered with a success, which the policy
// leaves one, and nobody is to be told.
func (c *call) isSmooth(t *try, resp *http.Response) bool {
	p := c.p
	return c.n == 1 && resp.StatusCode >= 200 && resp.StatusCode < 300 && t.rec.Single() &&
		p.Logger == nil && p.OnDone == nil && p.Decide == nil && p.Statuses.empty() && p.Codes.empty() &&
		p.RefetchTruncated == 0
}

// finishSmooth is finish for that.
func (c *call) finishSmooth(t *try, resp *http.Response) *http.Response {
	c.took = c.elapsed()
	c.smooth = resp.StatusCode
	c.budgets.request(&c.p.Budget, c.target, c.start.Add(c.took))
	c.t.counts.done.Add(1)
	c.body.finish()
	return c.handOver(t, resp)
}

// smoothHistory is what such a call would have remembered.
func (c *call) smoothHistory() *history {
	h := &history{
		attempts:  []Attempt{c.smoothAttempt()},
		last:      classifier.Decision{Verdict: classifier.Done, Reason: classifier.Success},
		processed: classifier.Yes, basis: classifier.Claimed,
	}
	return h
}

func (c *call) smoothAttempt() Attempt {
	f := classifier.FromResponse(classifier.Response{Status: c.smooth})
	return Attempt{
		N: 1, Start: c.start, Duration: c.took,
		Code: f.Code, Phase: f.Phase, Status: f.Status, Processed: f.Processed, Basis: f.Basis,
		Verdict: classifier.Done, Reason: classifier.Success, Reused: c.first.rec.Evidence().Reused,
	}
}
