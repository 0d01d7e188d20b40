package retry

import (
	"context"
	"net/url"
	"time"

	"github.com/retry-lab/retry-lab/classifier"
)

// operation is what the attempts of one request, or one call of Do, have in
// common. One goroutine at a time uses it.
type operation struct {
	p       *Policy
	budgets *budgets // nil: none
	target  *url.URL // whose budget it is; nil for Do
	start   time.Time
	limit   time.Duration // from start to the deadline; maxDuration: there is none

	n    int           // attempts begun
	took time.Duration // from start to the end of the last of them, or of the wait after it

	*history // nil: nothing yet
}

// newOperation begins one; ctx is the caller's.
func newOperation(ctx context.Context, p *Policy) operation {
	o := operation{p: p, start: p.now(), limit: maxDuration}
	if p.Deadline > 0 {
		o.limit = p.Deadline
	}
	if d, ok := ctx.Deadline(); ok {
		o.limit = min(o.limit, d.Sub(o.start))
	}
	return o
}

// elapsed is the time since the operation began. A clock that goes back stands
// still here.
func (o *operation) elapsed() time.Duration {
	if o.p.Now != nil {
		return max(o.p.Now().Sub(o.start), o.took)
	}
	return time.Since(o.start) // cheaper than time.Now
}

// worth asks, of a failure that may be tried again, whether it is worth it: is
// there an attempt left, time, and a budget? The decision that comes back has
// the wait. ctx is the caller's.
func (o *operation) worth(ctx context.Context, d classifier.Decision, p pace) classifier.Decision {
	if d.Verdict != classifier.Retry && d.Verdict != classifier.RetryModified {
		return d
	}
	switch err := ctx.Err(); {
	case err == context.DeadlineExceeded:
		return stop(PastDeadline, 0)
	case err != nil:
		return stop(classifier.CallerCanceled, 0)
	case o.n-o.beyond >= o.attemptsFor(d.Reason):
		return stop(AttemptsUsedUp, 0)
	}
	p = o.paceOf(d, p)
	wait, asked := time.Duration(0), d.Wait
	if p == steady {
		wait, asked = o.wait(d)
	}
	left := o.left()
	switch {
	case asked > 0 && asked >= left:
		return stop(classifier.WaitTooLong, asked)
	case wait >= left && asked > 0:
		wait = asked // without the jitter on top it fits
	case wait >= left:
		return stop(PastDeadline, wait)
	}
	if o.budgets != nil && p != free {
		refund, ok := o.budgets.withdraw(ctx, &o.p.Budget, o.target, o.p.now)
		if !ok {
			return stop(BudgetUsedUp, 0)
		}
		o.refund = refund
	}
	o.hurried = o.hurried || p != steady && d.Modify == classifier.ModifyNothing
	o.waited = wait
	if d.Modify != classifier.ModifyNothing {
		o.tried = append(o.tried, d.Modify)
	}
	d.Wait = wait
	return d
}

func stop(why classifier.Reason, wait time.Duration) classifier.Decision {
	return classifier.Decision{Verdict: classifier.Stop, Reason: why, Wait: wait}
}

// left is the time to the deadline.
func (o *operation) left() time.Duration {
	if o.limit == maxDuration {
		return maxDuration
	}
	return o.limit - o.elapsed()
}

// pause waits before the next attempt. If the wait is broken off, the budget
// gets its retry back.
func (o *operation) pause(ctx context.Context, d time.Duration) error {
	err := o.p.sleep(ctx, d)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		o.giveBack()
	}
	o.refund = nil
	return err
}

// giveBack returns to the budget what was withdrawn for a retry that is not
// made.
func (o *operation) giveBack() {
	if o.refund != nil {
		o.refund()
		o.refund = nil
	}
}
