package main

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"
)

// A row is one thing measured of both, round by round.
type row struct {
	what       string
	ours, bare []float64
	target     float64
	atLeast    bool // else at most

	// each is the processor time of each server's process for one request,
	// which depends little on how busy the machine is; zero: not measured.
	each [2]time.Duration
}

func (r *row) add(ours, bare float64) {
	r.ours, r.bare = append(r.ours, ours), append(r.bare, bare)
}

// ratios are of the rounds, so that what slows a machine down for a while
// slows both.
func (r row) ratios() []float64 {
	list := make([]float64, len(r.ours))
	for i := range list {
		list[i] = r.ours[i] / r.bare[i]
	}
	return list
}

// missed says that the median ratio does not reach the target.
func (r row) missed() bool {
	if r.atLeast {
		return median(r.ratios()) < r.target
	}
	return median(r.ratios()) > r.target
}

func (r row) verdict() string {
	word, sign := "ok", "≤"
	if r.missed() {
		word = "MISSED"
	}
	if r.atLeast {
		sign = "≥"
	}
	return fmt.Sprintf("%s %.2f %s", sign, r.target, word)
}

// took is what one request costs each, where that was measured.
func (r row) took() string {
	if r.each == [2]time.Duration{} {
		return ""
	}
	us := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }
	return fmt.Sprintf("%.1f µs to %.1f µs", us(r.each[0]), us(r.each[1]))
}

// table prints medians, and of the ratios also the lowest and the highest.
func table(w io.Writer, rows []row) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "what\torigin\tbare\tratio\tlowest–highest\ttarget\tprocessor time for one")
	for _, r := range rows {
		of := r.ratios()
		fmt.Fprintf(t, "%s\t%.0f\t%.0f\t%.2f\t%.2f–%.2f\t%s\t%s\n",
			r.what, median(r.ours), median(r.bare), median(of), slices.Min(of), slices.Max(of), r.verdict(), r.took())
	}
	return t.Flush()
}

// median of at least one value.
func median(list []float64) float64 {
	sorted := slices.Sorted(slices.Values(list))
	return (sorted[len(sorted)/2] + sorted[(len(sorted)-1)/2]) / 2
}
