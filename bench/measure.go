package main

import (
	"runtime"
	"slices"
	"time"
)

// A sample is what one client's turn of a round took, for each request.
type sample struct{ ns, allocs, bytes float64 }

// turn sends n requests.
func turn(c client, url string, payload []byte, n int) (sample, error) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	start := time.Now()
	for range n {
		if err := c.send(url, payload); err != nil {
			return sample{}, err
		}
	}
	took := time.Since(start)
	runtime.ReadMemStats(&after)
	per := func(x uint64) float64 { return float64(x) / float64(n) }
	return sample{
		ns:     float64(took.Nanoseconds()) / float64(n),
		allocs: per(after.Mallocs - before.Mallocs), bytes: per(after.TotalAlloc - before.TotalAlloc),
	}, nil
}

// A row is what a client costs above net/http: medians over the rounds, and
// the quartiles of the time.
type row struct {
	name             string
	ns, low, high    float64 // above bare, of the same round
	allocs, bytes    float64 // the same
	allAlloc, allMem float64 // in all
}

// compare lets every client have its turn in every round. The first of the
// list is the one that the others are compared with.
func compare(list []client, url string, payload []byte, rounds, n int) ([]row, error) {
	samples := make([][]sample, len(list))
	for _, c := range list { // connections, caches
		if _, err := turn(c, url, payload, max(n/10, 1)); err != nil {
			return nil, err
		}
	}
	for round := range rounds {
		for i := range list {
			at := (i + round) % len(list)
			s, err := turn(list[at], url, payload, n)
			if err != nil {
				return nil, err
			}
			samples[at] = append(samples[at], s)
		}
	}
	rows := make([]row, len(list))
	for i, c := range list {
		var ns, allocs, bytes, allAlloc, allMem []float64
		for round, s := range samples[i] {
			bare := samples[0][round]
			if i == 0 {
				bare = sample{}
			}
			ns, allocs, bytes = append(ns, s.ns-bare.ns), append(allocs, s.allocs-bare.allocs), append(bytes, s.bytes-bare.bytes)
			allAlloc, allMem = append(allAlloc, s.allocs), append(allMem, s.bytes)
		}
		rows[i] = row{
			name: c.name, ns: quantile(ns, 0.5), low: quantile(ns, 0.25), high: quantile(ns, 0.75),
			allocs: quantile(allocs, 0.5), bytes: quantile(bytes, 0.5),
			allAlloc: quantile(allAlloc, 0.5), allMem: quantile(allMem, 0.5),
		}
	}
	return rows, nil
}

// quantile is that of a list, which is not empty.
func quantile(list []float64, q float64) float64 {
	sorted := slices.Sorted(slices.Values(list))
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}
