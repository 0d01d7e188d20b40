package audit

import (
	"context"
	"sync"
	"time"
)

// A watch follows one run until it ends, has shown enough, or is cut.
type watch struct {
	case_  Case
	site   *site
	client *client
	quick  bool
	cut    time.Duration
	sent   func()
	exited bool
}

// looked is how long a delivery may take from its head to what it shows.
const looked = 5 * time.Millisecond

// until returns when the run is over, with how in o.
func (w *watch) until(ctx context.Context, o *Observation) {
	ctx, cancel := context.WithCancel(ctx)
	enough := make(chan struct{}, 1)
	var follow sync.WaitGroup
	for _, call := range w.site.calls {
		follow.Go(func() {
			for n := 1; call.Await(ctx, n, 0) == nil; n = call.Record().Deliveries + 1 {
				w.sent()
				if n > 1 && call.Await(ctx, n+1, looked) == nil && w.shown(o.Run) {
					select {
					case enough <- struct{}{}:
					default:
					}
				}
			}
		})
	}
	defer follow.Wait()
	defer cancel()
	defer w.sent()
	timer := time.NewTimer(time.Until(w.client.began.Add(w.cut)))
	defer timer.Stop()
	select {
	case <-w.client.gone:
		w.exited = true
	case <-enough:
		o.Early = true
	case <-w.client.flooded:
		o.Flooded = true
	case <-timer.C:
		o.Cut, o.Asleep = true, w.asleep()
	case <-ctx.Done():
	}
}

// shown reports whether the run has shown all that it can: a danger, no bound,
// or what its case is about.
func (w *watch) shown(run int) bool {
	deliveries, commits := 0, 0
	for _, call := range w.site.calls {
		r := call.Record()
		deliveries += r.Deliveries
		commits += r.Commits
	}
	if commits > 1 || deliveries > most {
		return true
	}
	if w.case_.enough == nil {
		return false
	}
	return w.case_.enough(run, w.quick, w.site.ledger(func(at time.Time) float64 {
		return float64(at.Sub(w.client.began).Microseconds()) / 1000
	}))
}

// asleep: something was delivered, and nothing is under way. A connection that
// is only kept for later is no sign of life.
func (w *watch) asleep() bool {
	deliveries, flight := 0, 0
	for _, call := range w.site.calls {
		r := call.Record()
		deliveries += r.Deliveries
		flight += r.InFlight
	}
	return deliveries > 0 && flight == 0
}
