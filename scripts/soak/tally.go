package main

import (
	"fmt"
	"slices"
	"time"
)

// A tally adds up observations.
type tally struct {
	runs    int
	drifts  int // cells, over all runs
	unsound int // rows, over all runs
	failed  int // runs without a usable report
	bad     int // runs with any of the three
	times   []time.Duration
	peak    int64 // bytes, the largest resident set of a run; 0 where it is not told
}

// add counts one more run.
func (t *tally) add(o observation) {
	t.runs++
	t.drifts += len(o.drifts)
	t.unsound += len(o.unsound)
	if o.failure != "" {
		t.failed++
	}
	if len(o.complaints()) > 0 {
		t.bad++
	}
	t.times = append(t.times, o.elapsed)
	t.peak = max(t.peak, o.peak)
}

// String is the summary in one line.
func (t tally) String() string {
	sorted := slices.Sorted(slices.Values(append(t.times, 0)[:max(len(t.times), 1)]))
	ms := func(d time.Duration) time.Duration { return d.Round(time.Millisecond) }
	return fmt.Sprintf("runs %d, drifts %d, unsound %d, failed %d, slowest %v, median %v, peak %d MiB",
		t.runs, t.drifts, t.unsound, t.failed, ms(sorted[len(sorted)-1]), ms(sorted[len(sorted)/2]), t.peak>>20)
}
