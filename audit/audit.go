package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"
)

// An UnknownPlaceholderError is what stands in braces in a command and is no
// placeholder.
type UnknownPlaceholderError struct{ Unknown []string }

func (e *UnknownPlaceholderError) Error() string {
	return fmt.Sprintf("unknown placeholder %s", e.Unknown[0])
}

// Run audits a command. The error is an *[UnknownPlaceholderError], one of
// [Select], or the lab's own; a command that cannot be started is no error but
// a report that is not usable.
//
// No process of the command outlives Run, unless this one is killed first. It
// may be used once at a time in a process.
func Run(ctx context.Context, o Options) (Report, error) {
	began := time.Now()
	if err := o.check(); err != nil {
		return Report{}, err
	}
	if unknown := UnknownPlaceholders(o.Command[1:]); len(unknown) > 0 {
		return Report{}, &UnknownPlaceholderError{unknown}
	}
	cases, err := Select(Cases(), o.Cases)
	if err != nil {
		return Report{}, err
	}
	o.Client = cmp.Or(o.Client, filepath.Base(o.Command[0]))
	r := run{o: o, cases: cases, seen: map[string][]Observation{}}
	r.places()
	if err := r.all(ctx); err != nil {
		return Report{}, err
	}
	report := r.report()
	report.ElapsedMS = round(float64(time.Since(began).Microseconds()) / 1000)
	return report, nil
}

// A run is one audit under way.
type run struct {
	o     Options
	cases []Case
	lab   *lab
	facts Facts

	starting, alive chan struct{} // places

	mu       sync.Mutex
	seen     map[string][]Observation // by case, in order of the runs
	done, of int
	unusable string // why nothing else was run; empty: it was
}

// all runs every case: control/ok alone, since nothing means anything without
// it, then what tells how the others are run, then those.
func (r *run) all(ctx context.Context) (err error) {
	path, err := find(r.o.Command[0], r.o.Environ)
	if err != nil {
		r.unusable = err.Error()
		return nil
	}
	if r.lab, err = newLab(r.o, path); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.lab.close()) }()
	for _, stage := range [][]string{{"control/ok"}, {"control/fails", "control/tls-ok"}, nil} {
		if r.side(ctx, stage); ctx.Err() != nil {
			return ctx.Err()
		}
		r.facts = factsOf(r.o.Declared, uses(r.o.Command, "deadline_ms"), r.seen)
		r.lab.start = time.Duration(r.facts.StartMS * float64(time.Millisecond))
		if r.unusable = r.refusal(); r.unusable != "" {
			return nil
		}
	}
	return nil
}

// refusal says why no other case can be asked; empty: they can.
func (r *run) refusal() string {
	runs := r.seen["control/ok"]
	if g := caseOf(r.cases, "control/ok").Grade(r.facts, runs); g.Verdict != Pass {
		return g.Observed
	}
	return ""
}

func caseOf(cases []Case, id string) Case {
	i := slices.IndexFunc(cases, func(c Case) bool { return c.ID == id })
	if i < 0 {
		return Case{}
	}
	return cases[i]
}

// A turn is one run of a case.
type turn struct {
	c Case
	n int
}

// places is how many of those that may start it takes: half as many start
// beside one another where pauses are measured, which is one a core.
func (t turn) places() int {
	if t.c.Timed {
		return 2
	}
	return 1
}

// side runs the cases of a stage, all that are left where it names none.
func (r *run) side(ctx context.Context, stage []string) {
	r.beside(ctx, r.turns(stage), func() { r.calm(ctx) })
}

// places are made once: how many runs may be starting, and alive, at a time.
func (r *run) places() {
	jobs := r.o.Jobs
	if jobs == 0 {
		jobs = 2 * runtime.NumCPU()
	}
	most := alive(openable())
	if r.o.Persistent { // few processes, and each is used again
		most = jobs
	}
	r.starting, r.alive = make(chan struct{}, jobs), make(chan struct{}, most)
}

// beside runs turns side by side; then is called when those of the herd are
// over, while others may go on.
func (r *run) beside(ctx context.Context, turns []turn, then func()) {
	var herd, others sync.WaitGroup
	for _, t := range turns {
		places := min(t.places(), cap(r.starting))
		if !take(ctx, r.alive, 1) || !take(ctx, r.starting, places) {
			break
		}
		group := &others
		if t.c.Pool == failing {
			group = &herd
		}
		group.Go(func() {
			defer func() { <-r.alive }()
			sent := sync.OnceFunc(func() {
				for range places {
					<-r.starting
				}
			})
			defer sent()
			r.enter(t, r.lab.try(ctx, t.c, t.n, sent))
		})
	}
	herd.Wait()
	then()
	others.Wait()
}

// alive is how many runs may be under way where so many files may be open; 0:
// that is not known.
func alive(files int) int {
	if files == 0 {
		return mostAlive
	}
	return min(mostAlive, max(1, (files-filesOfLab)/filesOfRun))
}

// What an audit has open itself, and what a run has: a listener, connections,
// pipes, what a child of its own needs.
const (
	filesOfLab = 24
	filesOfRun = 16
)

// take takes so many places; false if the context ended first.
func take(ctx context.Context, places chan struct{}, n int) bool {
	for range n {
		select {
		case places <- struct{}{}:
		case <-ctx.Done():
			return false
		}
	}
	return ctx.Err() == nil
}

// turns lists the runs of a stage, those that may sleep first, and those that
// end when they have come back last: what is started beside them would make
// them late.
func (r *run) turns(stage []string) []turn {
	var long, short, back []turn
	for _, c := range r.cases {
		if _, ran := r.seen[c.ID]; ran || stage != nil && !slices.Contains(stage, c.ID) {
			continue
		}
		n := r.times(c)
		if n == 0 {
			continue
		}
		if why := r.cannot(c); why != "" {
			n = 0
			r.seen[c.ID] = []Observation{{Case: c.ID, Skipped: why}}
		} else {
			r.seen[c.ID] = make([]Observation, n)
		}
		for i := range n {
			if c.enough != nil && i >= medianRuns {
				back = append(back, turn{c, i})
			} else if c.Long {
				long = append(long, turn{c, i})
			} else {
				short = append(short, turn{c, i})
			}
		}
	}
	slices.SortStableFunc(long, func(a, b turn) int { return cmp.Compare(a.n, b.n) })
	r.of += len(long) + len(short) + len(back)
	return slices.Concat(long, short, back)
}

// times is how often a case is run: that of its pool as often as the most
// demanding case that is selected asks, and others of it not at all.
func (r *run) times(c Case) int {
	if c.Pool == "" {
		return c.times(r.o.Quick)
	}
	n := 0
	for _, other := range r.cases {
		if other.Pool == c.Pool {
			n = max(n, other.times(r.o.Quick))
		}
	}
	if first := slices.IndexFunc(r.cases, func(o Case) bool { return o.Pool == c.Pool }); r.cases[first].ID != c.ID {
		return 0
	}
	return n
}

// cannot says why the command cannot be asked; empty: it can.
func (r *run) cannot(c Case) string {
	d := r.o.Declared
	switch {
	case d.NoKey && c.Request.Keyed:
		return "the command sends no Idempotency-Key (--no-key)"
	case d.GetOnly && c.Request.Method != "GET":
		return "the command sends nothing but GET (--get-only)"
	case d.MethodFixed && !c.Request.AnyMethod && c.Request.Method != r.facts.Method:
		return fmt.Sprintf("the command sends nothing but %s (--method-fixed)", r.facts.Method)
	case d.NoRedirects && c.Redirected:
		return "the command follows no redirect (--no-redirects)"
	case c.Where != OverH2 && c.Where != Untrusted:
	case !r.facts.TLS:
		return "control/tls-ok did not succeed"
	case c.Where == OverH2 && !r.facts.H2:
		return "the command does not speak HTTP/2"
	}
	return ""
}

// enter takes over what a run gave.
func (r *run) enter(t turn, o Observation) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen[t.c.ID][t.n] = o
	r.done++
	if r.o.Progress != nil {
		r.o.Progress(r.done, r.of)
	}
}
