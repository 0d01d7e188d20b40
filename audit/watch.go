package audit

import (
	"context"
	"sync"
	"time"

	"github.com/retry-lab/retry-lab/servers"
)

// A watch follows one run until it ends, has shown enough, or is cut.
type watch struct {
	lab     *lab
	case_   Case
	site    *site
	subject subject
	sent    func() // the command has been heard of, or will not be any more

	mu sync.Mutex // guards the site while its server comes up
}

// startTime is how much longer than control/ok a command may take to start,
// before another may.
const startTime = 200 * time.Millisecond

// looked is how long a delivery may take from its head to what it shows.
const looked = 5 * time.Millisecond

// until returns when the run is over, with how in o.
func (w *watch) until(ctx context.Context, o *Observation) error {
	ctx, cancel := context.WithCancel(ctx)
	enough := make(chan struct{}, 1)
	followed := make(chan error, 1)
	go func() { followed <- w.follow(ctx, o.Run, enough) }()
	timer := time.NewTimer(time.Until(w.subject.began().Add(w.lab.cut)))
	defer timer.Stop()
	select {
	case <-w.subject.over():
		o.Exited = true
	case <-enough:
		o.Early = true
	case <-w.subject.flooded():
		o.Flooded = true
	case <-timer.C:
		o.Cut, o.Asleep = true, w.asleep()
	case <-ctx.Done():
	}
	w.sent()
	cancel()
	return <-followed
}

// follow brings a late server up, and then looks at every delivery, until ctx
// ends. A command of which no delivery is expected counts as started after a
// while.
func (w *watch) follow(ctx context.Context, run int, enough chan<- struct{}) error {
	if w.case_.Where == Untrusted || w.case_.Where == NoName {
		defer time.AfterFunc(w.lab.start+startTime, w.sent).Stop()
	}
	if w.site.late != nil {
		if !w.lab.tried(ctx, w) {
			return nil
		}
		w.mu.Lock()
		err := w.site.late()
		w.mu.Unlock()
		if err != nil {
			return err
		}
	}
	var wg sync.WaitGroup
	for _, call := range w.site.calls {
		wg.Go(func() { w.heard(ctx, call) })
		wg.Go(func() {
			for n := 1; call.Await(ctx, n, 0) == nil; n = call.Record().Deliveries + 1 {
				if n > 1 && call.Await(ctx, n+1, looked) == nil && w.shown(run) {
					select {
					case enough <- struct{}{}:
					default: // it has been said
					}
				}
			}
		})
	}
	wg.Wait()
	<-ctx.Done() // there may have been nothing to look at
	return nil
}

// heard says when others may start: at the first delivery, or if the pause
// behind that is measured, when it is over or is known not to be short.
func (w *watch) heard(ctx context.Context, call *servers.Call) {
	if call.Await(ctx, 1, 0) == nil && w.case_.Timed {
		_ = call.Await(ctx, 2, firstPause) // at the end of ctx it is over too
	}
	w.sent()
}

// firstPause is how long a pause must be, so that what disturbs it then does
// not count.
const firstPause = 100 * time.Millisecond

// tried returns when the command first tried to connect, and the server is to
// come up; false if ctx ended first. Where that cannot be seen, it is when
// control/ok had sent its request.
func (l *lab) tried(ctx context.Context, w *watch) bool {
	from := w.subject.began().Add(l.start)
	if l.inside != nil {
		at, ok := l.inside.firstSYN(ctx, w.site.port, w.subject.began())
		if !ok {
			return false
		}
		from = at
		w.sent()
	} else if !until(ctx, from) {
		return false
	}
	w.sent()
	return until(ctx, from.Add(w.site.lateBy))
}

// until waits; false if ctx ended first.
func until(ctx context.Context, at time.Time) bool {
	t := time.NewTimer(time.Until(at))
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
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
	seen, _ := w.site.ledger(func(at time.Time) float64 {
		return float64(at.Sub(w.subject.began()).Microseconds()) / 1000
	})
	return w.case_.enough(run, seen)
}

// asleep: something was delivered, and nothing is under way. A connection that
// is only kept for later is no sign of life.
func (w *watch) asleep() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	deliveries, flight := 0, 0
	for _, call := range w.site.calls {
		r := call.Record()
		deliveries += r.Deliveries
		flight += r.InFlight
	}
	return deliveries > 0 && flight == 0
}
