package scenarios

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/retry-lab/retry-lab/retry"
)

// The waits of the group backoff: those of a client that begins at a second.
const (
	backoffBase  = time.Second
	backoffCap   = 30 * time.Second
	backoffDraws = 10_000
)

// backoffRetries are the retries whose waits are shown: the first eight, and
// one at which what is not capped has long overflowed.
func backoffRetries() []int { return []int{1, 2, 3, 4, 5, 6, 7, 8, 100} }

// backoffGroup is the schedule of every strategy, with every jitter. Nothing is
// slept: the waits are computed as the engine computes them.
func backoffGroup() Group {
	g := Group{
		ID: "backoff", Title: fmt.Sprintf("waits in ms before each retry: base %d, cap %d; mean and spread (standard deviation) of 10,000 draws",
			backoffBase.Milliseconds(), backoffCap.Milliseconds()),
		Source:    "package retry; AWS Architecture Blog: Exponential Backoff And Jitter",
		OnRequest: true,
	}
	for _, n := range backoffRetries() {
		g.Columns = append(g.Columns, Column{
			Name: waitColumn(n), Meaning: fmt.Sprintf("ms before retry %d: the wait, the least and the most that it can be, or the mean or the standard deviation of the draws", n),
		})
	}
	for _, s := range []retry.Strategy{retry.Fixed, retry.Linear, retry.Exponential, retry.Fibonacci} {
		for _, j := range []retry.Jitter{retry.NoJitter, retry.FullJitter, retry.EqualJitter, retry.AdditiveJitter} {
			g.Rows = append(g.Rows, delays(s.String()+"-"+j.String(), retry.Backoff{Strategy: s, Jitter: j})...)
		}
	}
	g.Rows = append(g.Rows, delays("decorrelated", retry.Backoff{Jitter: retry.DecorrelatedJitter})...)
	return g
}

func waitColumn(n int) string { return "wait_" + strconv.Itoa(n) }

// formula is the wait without jitter; n counts the retries from 1.
func formula(s retry.Strategy) string {
	return map[retry.Strategy]string{
		retry.Fixed: "base", retry.Linear: "base × n", retry.Exponential: "base × 2^(n-1)", retry.Fibonacci: "base × F(n)",
	}[s]
}

// jittered is the wait with jitter; d is the one without.
func jittered(j retry.Jitter) string {
	return map[retry.Jitter]string{
		retry.NoJitter: "d", retry.FullJitter: "U(0, d)", retry.EqualJitter: "d/2 + U(0, d/2)",
		retry.AdditiveJitter: "d + U(0, 1 s)", retry.DecorrelatedJitter: "U(base, 3 × the wait before)",
	}[j]
}

// delays are the rows of one backoff: what its waits can be, and if that is
// more than one value their mean and their spread.
func delays(id string, b retry.Backoff) []RowDef {
	b.Base, b.Cap = backoffBase, backoffCap
	row := func(part, what string, value func(waits) string) *Case {
		return &Case{
			ID: "backoff/" + id + part, Source: "package retry: Backoff",
			Title: fmt.Sprintf("min(cap, %s) where d = min(cap, %s): %s", jittered(b.Jitter), formula(b.Strategy), what),
			Run: func(context.Context, *Env) (Run, error) {
				run := Run{Cells: map[string]string{}}
				for _, w := range waitsOf(b) {
					if err := w.inRange(); err != nil {
						return Run{}, err
					}
					run.Cells[waitColumn(w.Retry)] = value(w)
				}
				return run, nil
			},
		}
	}
	list := []*Case{row("", "the least and the most", waits.bounds)}
	if b.Jitter != retry.NoJitter {
		list = append(list,
			row("-mean", "the mean", func(w waits) string { return inMS(w.mean) }),
			row("-spread", "the standard deviation", func(w waits) string { return inMS(w.spread) }),
		)
	}
	return rows(list...)
}

// waits are the waits before one retry: what they can be, and what was drawn.
type waits struct {
	retry.WaitRange
	least, most  time.Duration // drawn
	mean, spread float64       // of the draws, in ns
}

// waitsOf draws the waits of a backoff, always the same ones.
func waitsOf(b retry.Backoff) []waits {
	random := rand.New(rand.NewPCG(5150, 4200)).Float64
	p := retry.Policy{MaxAttempts: 101, Backoff: b}
	schedule := p.Schedule()
	last := make([]time.Duration, backoffDraws)
	var list []waits
	drawn := 0
	for _, n := range backoffRetries() {
		for ; drawn < n; drawn++ {
			for i := range last {
				last[i] = b.Wait(drawn+1, last[i], random)
			}
		}
		list = append(list, describe(schedule[n-1], last))
	}
	return list
}

func describe(r retry.WaitRange, draws []time.Duration) waits {
	w := waits{WaitRange: r, least: draws[0], most: draws[0]}
	for _, d := range draws {
		w.least, w.most = min(w.least, d), max(w.most, d)
		w.mean += float64(d) / float64(len(draws))
	}
	for _, d := range draws {
		w.spread += (float64(d) - w.mean) * (float64(d) - w.mean) / float64(len(draws))
	}
	w.spread = math.Sqrt(w.spread)
	return w
}

// inRange: nothing was drawn that the schedule excludes.
func (w waits) inRange() error {
	if w.least < w.Min || w.most > w.Max {
		return fmt.Errorf("retry %d: drew waits from %v to %v, which must lie in %v..%v", w.Retry, w.least, w.most, w.Min, w.Max)
	}
	return nil
}

// bounds is the least and the most that a wait can be, exact.
func (w waits) bounds() string {
	if w.Min == w.Max {
		return inMS(float64(w.Min))
	}
	return inMS(float64(w.Min)) + "-" + inMS(float64(w.Max))
}

// inMS is a number of nanoseconds in whole milliseconds.
func inMS(ns float64) string {
	return strconv.FormatInt(int64(math.Round(ns/float64(time.Millisecond))), 10)
}
