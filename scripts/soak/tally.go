package main

import (
	"fmt"
	"time"
)

// A tally adds up observations.
type tally struct {
	runs    int
	drifts  int // cells, over all runs
	unsound int // rows, over all runs
	failed  int // runs without a usable report
	bad     int // runs with any of the three
	slowest time.Duration
	total   time.Duration
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
	t.slowest = max(t.slowest, o.elapsed)
	t.total += o.elapsed
}

// String is the summary in one line.
func (t tally) String() string {
	mean := t.total / time.Duration(max(t.runs, 1))
	return fmt.Sprintf("runs %d, drifts %d, unsound %d, failed %d, slowest %v, mean %v",
		t.runs, t.drifts, t.unsound, t.failed, t.slowest.Round(time.Millisecond), mean.Round(time.Millisecond))
}
