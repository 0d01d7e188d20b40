package retry

import (
	"math"
	"time"
)

// Backoff is the client's own wait between two attempts: a schedule, and the
// jitter that keeps many clients from coming back at the same moment. The zero
// value is exponential from 1 s by 2 to at most 30 s, with full jitter.
type Backoff struct {
	Strategy Strategy
	Jitter   Jitter

	// Base is the first wait before jitter, Cap the longest; zero means
	// DefaultBase and DefaultCap. Base may not exceed Cap.
	Base, Cap time.Duration

	// Factor is what Exponential multiplies by, at least 1; zero means 2.
	Factor float64
}

// The zero Backoff's values.
const (
	DefaultBase   = time.Second
	DefaultCap    = 30 * time.Second
	DefaultFactor = 2
)

// Strategy is how the wait grows from one retry to the next.
type Strategy int

// The wait before retry n, which counts from 1, always at most Cap.
const (
	Exponential Strategy = iota // Base × Factor^(n-1)
	Fixed                       // Base
	Linear                      // Base × n
	Fibonacci                   // Base × F(n): 1, 1, 2, 3, 5, …
)

func (s Strategy) String() string {
	return nameOf([]string{"exponential", "fixed", "linear", "fibonacci"}, int(s))
}

// nameOf is the name at i, which may be any number.
func nameOf(names []string, i int) string {
	if i < 0 || i >= len(names) {
		return "unknown"
	}
	return names[i]
}

func (b Backoff) base() time.Duration {
	if b.Base == 0 {
		return min(DefaultBase, b.limit())
	}
	return b.Base
}

func (b Backoff) limit() time.Duration {
	if b.Cap == 0 {
		return DefaultCap
	}
	return b.Cap
}

func (b Backoff) factor() float64 {
	if b.Factor == 0 {
		return DefaultFactor
	}
	return b.Factor
}

// Delay is the wait before the retry, counted from 1, without jitter. It is
// exact where a float64 is, and never exceeds Cap, however late the retry. A
// retry below 1 counts as 1. DecorrelatedJitter does not use it.
func (b Backoff) Delay(retry int) time.Duration {
	n := max(retry, 1)
	base, limit := b.base(), b.limit()
	switch b.Strategy {
	case Fixed:
		return min(base, limit)
	case Linear:
		return capped(float64(base)*float64(n), limit)
	case Fibonacci:
		return fibonacci(base, limit, n)
	}
	return capped(float64(base)*math.Pow(b.factor(), float64(n-1)), limit)
}

// capped is d as a Duration, at most limit. Infinity is more than any limit.
func capped(d float64, limit time.Duration) time.Duration {
	if d < float64(limit) {
		return time.Duration(d)
	}
	return limit
}

// fibonacci is base × F(n), at most limit: it stops there, long before F
// overflows.
func fibonacci(base, limit time.Duration, n int) time.Duration {
	a, b := base, base
	for range n - 1 {
		if a >= limit {
			return limit
		}
		next := limit
		if b <= limit-a {
			next = a + b
		}
		a, b = b, next
	}
	return min(a, limit)
}

// Wait is the wait before the retry, with jitter. previous is the wait before
// the retry before, 0 before the first; random returns a number in [0, 1).
func (b Backoff) Wait(retry int, previous time.Duration, random func() float64) time.Duration {
	return b.Jitter.apply(b, retry, previous, random)
}
