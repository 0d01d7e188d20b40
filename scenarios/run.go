package scenarios

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/retry-lab/retry-lab/classifier"
)

// A Runner runs cases side by side.
type Runner struct {
	// Jobs is how many cases run at once; 0 means all that wait and a few of
	// the others. Few descriptors make it fewer.
	Jobs int

	Policy classifier.Policy

	// Normalize replaces what changes from run to run in a cell's text
	// (ports, addresses); nil leaves it.
	Normalize func(text, resolver string) string

	// Limit is when a case is given up, so that a fault that a kernel makes
	// otherwise ends in an error with the case's name; 0 means 30 seconds, far
	// beyond any load.
	Limit time.Duration

	// Draw is the cases' source of chance, see Env.
	Draw func(time.Duration) time.Duration

	// Progress, if set, is told of every case that starts and ends, one call
	// at a time.
	Progress func(Progress)
}

// Progress is one case's start or end.
type Progress struct {
	Case    string
	Done    bool
	Elapsed time.Duration
}

// outcome is what all runs of one case gave.
type outcome struct {
	runs    []Run
	skip    *Skip
	err     error
	elapsed time.Duration
}

// Run runs the selected rows, each case once however many rows it has. The
// error is the context's, or the lab's own trouble; what a case met is never
// an error.
func (r Runner) Run(ctx context.Context, sel []Selection) (Result, error) {
	start := time.Now()
	if err := tryLoopback(ctx); err != nil {
		return Result{}, err
	}
	outcomes, err := r.runCases(ctx, casesOf(sel))
	if err != nil {
		return Result{}, err
	}
	res := Result{}
	for _, s := range sel {
		g := GroupResult{Group: s.Group, Complete: s.Complete}
		for _, def := range s.Rows {
			o := outcomes[def.Case]
			g.ElapsedMS = max(g.ElapsedMS, ms(o.elapsed))
			g.Rows = append(g.Rows, r.row(s.Group, def, o))
		}
		sumUp(g.Rows)
		res.Groups = append(res.Groups, g)
	}
	res.Sound, res.Useful = r.invariants(res.Groups)
	res.ElapsedMS = ms(time.Since(start))
	return res, nil
}

// casesOf lists the selected cases, each once, in the order of their rows.
func casesOf(sel []Selection) []*Case {
	var list []*Case
	seen := map[*Case]bool{}
	for _, s := range sel {
		for _, def := range s.Rows {
			if !seen[def.Case] && def.Case.Run != nil {
				seen[def.Case] = true
				list = append(list, def.Case)
			}
		}
	}
	return list
}

// busyCases is how many cases that do not wait run beside those that do: one a
// processor. More would end no sooner, and make the clients late that a case
// measures.
func busyCases() int { return runtime.GOMAXPROCS(0) }

// mostWaiting is how many cases that wait run at once. They work too, before
// and after, and more of them would make each other late; it is more than the
// lab has without its groups on request.
const mostWaiting = 32

// inOrder puts the cases that wait longest first, so that the rest happens
// meanwhile, and says how many run at once.
func (r Runner) inOrder(cases []*Case) ([]*Case, int) {
	order := slices.Clone(cases)
	slices.SortStableFunc(order, func(a, b *Case) int { return cmp.Compare(b.Waits, a.Waits) })
	jobs := r.Jobs
	if jobs <= 0 {
		waiting := 0
		for _, c := range cases {
			if c.Waits > 0 {
				waiting++
			}
		}
		jobs = busyCases() + min(waiting, mostWaiting)
	}
	return order, max(1, min(jobs, descriptors()/caseDescriptors))
}

// runCases runs every case, Jobs at a time, and returns when all have ended. The
// first that breaks ends the others.
func (r Runner) runCases(ctx context.Context, cases []*Case) (map[*Case]outcome, error) {
	cases, jobs := r.inOrder(cases)
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var (
		mu       sync.Mutex
		wg       sync.WaitGroup
		outcomes = map[*Case]outcome{}
		slots    = make(chan struct{}, jobs)
	)
	tell := func(p Progress) {
		if r.Progress != nil {
			mu.Lock()
			defer mu.Unlock()
			r.Progress(p)
		}
	}
	for _, c := range cases {
		slots <- struct{}{} // by the end of ctx soon, too: it ends every case
		if ctx.Err() != nil {
			break
		}
		wg.Go(func() {
			defer func() { <-slots }()
			tell(Progress{Case: c.ID})
			o := r.runCase(ctx, c)
			if o.err != nil {
				stop(fmt.Errorf("%s: %w", c.ID, o.err)) // the first is the cause
			}
			tell(Progress{Case: c.ID, Done: true, Elapsed: o.elapsed})
			mu.Lock()
			defer mu.Unlock()
			outcomes[c] = o
		})
	}
	wg.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return outcomes, nil
}

// runCase runs one case as often as it asks for.
func (r Runner) runCase(ctx context.Context, c *Case) outcome {
	ctx, cancel := within(ctx, cmp.Or(r.Limit, caseLimit))
	defer cancel()
	start := time.Now()
	var o outcome
	for range max(1, c.Runs) {
		run, err := c.Run(ctx, &Env{Epoch: time.Now(), Draw: r.Draw})
		err = overdue(ctx, err)
		if o.skip = skipOf(err); o.skip != nil {
			break
		}
		if err != nil {
			o.err = err
			break
		}
		o.runs = append(o.runs, run)
	}
	o.elapsed = time.Since(start)
	return o
}

// skipOf is why this machine cannot run a case: it said so itself, or there
// were no descriptors left for its server. Nil for any other error.
func skipOf(err error) *Skip {
	if skip, ok := errors.AsType[*Skip](err); ok {
		return skip
	}
	if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
		return &Skip{Why: err.Error()}
	}
	return nil
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
