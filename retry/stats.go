package retry

import (
	"sync/atomic"

	"github.com/retry-lab/retry-lab/classifier"
)

// Stats counts what a Transport has done since it was made.
type Stats struct {
	Operations int64 // requests that came in and are done
	Attempts   int64 // requests that were sent for them

	// The operations by their verdict. Their sum is Operations.
	Done, Failed, Ambiguous, Stopped int64

	// Of the stopped ones, those that the budget stopped.
	BudgetUsedUp int64

	// Replays are requests that the base sent again by itself, and could not be
	// kept from.
	Replays int64
}

// Retries are the attempts after the first. While operations are under way it
// counts their first attempts too.
func (s Stats) Retries() int64 { return max(s.Attempts-s.Operations, 0) }

// Stats returns the counts as they stand. Each is exact; together they are of
// about the same moment.
func (t *Transport) Stats() Stats {
	c := &t.counts
	s := Stats{
		Done: c.done.Load(), Failed: c.failed.Load(), Ambiguous: c.ambiguous.Load(), Stopped: c.stopped.Load(),
		BudgetUsedUp: c.budget.Load(), Replays: c.replays.Load(), Attempts: c.attempts.Load(),
	}
	s.Operations = s.Done + s.Failed + s.Ambiguous + s.Stopped
	return s
}

// counts are the numbers behind Stats.
type counts struct {
	attempts, done, failed, ambiguous, stopped, budget, replays atomic.Int64
}

func (c *counts) attempt(a *Attempt) {
	if a.Replays > 0 {
		c.replays.Add(int64(a.Replays))
	}
}

func (c *counts) operation(v classifier.Verdict, why classifier.Reason) {
	switch v {
	case classifier.Done:
		c.done.Add(1)
	case classifier.Ambiguous:
		c.ambiguous.Add(1)
	case classifier.Stop:
		c.stopped.Add(1)
	default:
		c.failed.Add(1)
	}
	if why == BudgetUsedUp {
		c.budget.Add(1)
	}
}
