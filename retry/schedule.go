package retry

import (
	"math/rand/v2"
	"slices"
	"time"
)

// A WaitRange is what the wait before one retry can be: the client's own, where
// no server names a longer one.
type WaitRange struct {
	Retry            int // from 1
	Min, Median, Max time.Duration
}

// maxSchedule bounds a schedule: no policy is read further.
const maxSchedule = 100

// Schedule lists the waits of the policy, one for each retry it allows, and at
// most 100. They are exact but for the median of DecorrelatedJitter, which is
// that of 10,001 draws, always the same ones, to three digits.
func (p *Policy) Schedule() []WaitRange {
	n := min(max(p.maxAttempts()-1, 0), maxSchedule)
	b := p.Backoff
	if b.Jitter == DecorrelatedJitter {
		return b.decorrelated(n)
	}
	list := make([]WaitRange, n)
	for i := range list {
		at := func(r float64) time.Duration { return b.Wait(i+1, 0, func() float64 { return r }) }
		list[i] = WaitRange{Retry: i + 1, Min: at(0), Median: at(0.5), Max: at(1)}
	}
	return list
}

// decorrelated is the schedule of waits that each depend on the one before.
func (b Backoff) decorrelated(n int) []WaitRange {
	const draws = 10_001
	random := rand.New(rand.NewPCG(1, 2)).Float64
	waits := make([]time.Duration, draws)
	list := make([]WaitRange, n)
	var longest time.Duration
	for i := range list {
		for j := range waits {
			waits[j] = b.Wait(i+1, waits[j], random)
		}
		longest = b.Wait(i+1, longest, func() float64 { return 1 })
		sorted := slices.Sorted(slices.Values(waits))
		least := b.Wait(i+1, 0, func() float64 { return 0 })
		list[i] = WaitRange{Retry: i + 1, Min: least, Median: max(least, min(threeDigits(sorted[draws/2]), longest)), Max: longest}
	}
	return list
}

// threeDigits rounds d: more than that, draws do not tell.
func threeDigits(d time.Duration) time.Duration {
	unit := time.Duration(1)
	for d/unit >= 1000 {
		unit *= 10
	}
	return d.Round(unit)
}
