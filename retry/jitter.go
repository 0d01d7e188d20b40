package retry

import "time"

// Jitter is how a wait is spread. U(a, b) is uniform between the two, d the
// wait of the Strategy.
type Jitter int

// The kinds of jitter. Full jitter makes the least work in all for a crowd of
// clients (AWS Architecture Blog, "Exponential Backoff And Jitter").
const (
	FullJitter         Jitter = iota // U(0, d)
	NoJitter                         // d
	EqualJitter                      // d/2 + U(0, d/2)
	DecorrelatedJitter               // min(Cap, U(Base, 3 × the wait before)); it takes the Strategy's place
	AdditiveJitter                   // min(Cap, d + U(0, 1 s))
)

func (j Jitter) String() string {
	return nameOf([]string{"full", "none", "equal", "decorrelated", "additive"}, int(j))
}

// additive is the most that AdditiveJitter adds.
const additive = time.Second

func (j Jitter) apply(b Backoff, retry int, previous time.Duration, random func() float64) time.Duration {
	if j == DecorrelatedJitter {
		from := b.base()
		to := saturatedTriple(max(previous, from))
		return min(b.limit(), between(from, to, random))
	}
	d := b.Delay(retry)
	switch j {
	case NoJitter:
		return d
	case EqualJitter:
		return d - d/2 + between(0, d/2, random)
	case AdditiveJitter:
		more := between(0, additive, random)
		if more > b.limit()-d {
			return b.limit()
		}
		return d + more
	}
	return between(0, d, random)
}

// between is uniform from a to b.
func between(a, b time.Duration, random func() float64) time.Duration {
	if b <= a {
		return a
	}
	return a + capped(max(random()*float64(b-a), 0), b-a)
}

// saturatedTriple is 3d, or the longest Duration.
func saturatedTriple(d time.Duration) time.Duration {
	const most = time.Duration(1<<63 - 1)
	if d > most/3 {
		return most
	}
	return 3 * d
}
