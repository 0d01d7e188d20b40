package retry_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/retry-lab/retry-lab/retry"
)

func TestDelaysWithoutJitterAreExact(t *testing.T) {
	rows := []struct {
		why  string
		b    retry.Backoff
		want []time.Duration // in seconds, before retries 1, 2, …
	}{
		{"exponential, the default", retry.Backoff{}, []time.Duration{1, 2, 4, 8, 16, 30, 30, 30}},
		{"fixed", retry.Backoff{Strategy: retry.Fixed}, []time.Duration{1, 1, 1, 1, 1, 1, 1, 1}},
		{"linear", retry.Backoff{Strategy: retry.Linear}, []time.Duration{1, 2, 3, 4, 5, 6, 7, 8}},
		{"linear comes to its cap", retry.Backoff{Strategy: retry.Linear, Base: 7 * time.Second}, []time.Duration{7, 14, 21, 28, 30}},
		{"fibonacci", retry.Backoff{Strategy: retry.Fibonacci}, []time.Duration{1, 1, 2, 3, 5, 8, 13, 21, 30, 30}},
		{"another factor", retry.Backoff{Factor: 3}, []time.Duration{1, 3, 9, 27, 30}},
		{"a factor of one", retry.Backoff{Factor: 1}, []time.Duration{1, 1, 1}},
	}
	for _, row := range rows {
		for i, want := range row.want {
			if got := row.b.Delay(i + 1); got != want*time.Second {
				t.Errorf("%s: Delay(%d) = %v, want %v", row.why, i+1, got, want*time.Second)
			}
		}
	}
}

func TestNoDelayOverflows(t *testing.T) {
	const forever = time.Duration(math.MaxInt64)
	for s := retry.Exponential; s <= retry.Fibonacci; s++ {
		for j := retry.FullJitter; j <= retry.AdditiveJitter; j++ {
			for _, b := range []retry.Backoff{
				{Strategy: s, Jitter: j},
				{Strategy: s, Jitter: j, Base: time.Second, Cap: forever},
				{Strategy: s, Jitter: j, Base: forever, Cap: forever, Factor: math.MaxFloat64},
			} {
				for _, n := range []int{math.MinInt, 0, 1, 2, 63, 64, 65, 93, 100, 1 << 20, math.MaxInt} {
					limit := b.Cap
					if limit == 0 {
						limit = retry.DefaultCap
					}
					if d := b.Delay(n); d < 0 || d > limit {
						t.Errorf("%+v.Delay(%d) = %v", b, n, d)
					}
					for _, random := range []float64{0, 0.5, math.Nextafter(1, 0), 1} {
						d := b.Wait(n, b.Delay(n), func() float64 { return random })
						if d < 0 || d > limit {
							t.Errorf("%+v.Wait(%d), random %v = %v", b, n, random, d)
						}
					}
				}
			}
		}
	}
}

func TestJitterSpreadsAsItSays(t *testing.T) {
	const draws = 10_000
	rows := []struct {
		why             string
		b               retry.Backoff
		retry           int
		low, mean, high time.Duration // the true bounds and mean
		spread          time.Duration // the standard deviation
	}{
		{"full", retry.Backoff{}, 3, 0, 2 * time.Second, 4 * time.Second, 1155 * time.Millisecond},
		{"full, at the cap", retry.Backoff{}, 100, 0, 15 * time.Second, 30 * time.Second, 8660 * time.Millisecond},
		{"none", retry.Backoff{Jitter: retry.NoJitter}, 3, 4 * time.Second, 4 * time.Second, 4 * time.Second, 0},
		{"equal", retry.Backoff{Jitter: retry.EqualJitter}, 3, 2 * time.Second, 3 * time.Second, 4 * time.Second, 577 * time.Millisecond},
		{"additive", retry.Backoff{Jitter: retry.AdditiveJitter}, 3, 4 * time.Second, 4500 * time.Millisecond, 5 * time.Second, 289 * time.Millisecond},
		{"additive stays below the cap", retry.Backoff{Jitter: retry.AdditiveJitter}, 100, 30 * time.Second, 30 * time.Second, 30 * time.Second, 0},
		{"decorrelated, the first", retry.Backoff{Jitter: retry.DecorrelatedJitter}, 1, time.Second, 2 * time.Second, 3 * time.Second, 577 * time.Millisecond},
	}
	for _, row := range rows {
		t.Run(row.why, func(t *testing.T) {
			random := rand.New(rand.NewPCG(7, 7)).Float64
			var sum, squares float64
			low, high := time.Duration(math.MaxInt64), time.Duration(0)
			for range draws {
				d := row.b.Wait(row.retry, 0, random)
				low, high = min(low, d), max(high, d)
				sum += d.Seconds()
				squares += d.Seconds() * d.Seconds()
			}
			mean := sum / draws
			spread := math.Sqrt(max(squares/draws-mean*mean, 0))
			if low < row.low || high > row.high {
				t.Errorf("between %v and %v, want %v and %v", low, high, row.low, row.high)
			}
			if math.Abs(mean-row.mean.Seconds()) > 0.02*row.mean.Seconds() || math.Abs(spread-row.spread.Seconds()) > 0.02*row.mean.Seconds() {
				t.Errorf("mean %.3f s, spread %.3f s; want %v, %v", mean, spread, row.mean, row.spread)
			}
		})
	}
}

func TestAScheduleIsTheTruthAboutThePolicy(t *testing.T) {
	for s := retry.Exponential; s <= retry.Fibonacci; s++ {
		for j := retry.FullJitter; j <= retry.AdditiveJitter; j++ {
			p := retry.Policy{MaxAttempts: 8, Backoff: retry.Backoff{Strategy: s, Jitter: j}}
			list := p.Schedule()
			if len(list) != 7 {
				t.Fatalf("%v, %v: %d waits, want 7", s, j, len(list))
			}
			random := rand.New(rand.NewPCG(3, 3)).Float64
			below := make([]int, len(list))
			const runs = 4000
			for range runs {
				var previous time.Duration
				for i, r := range list {
					d := p.Backoff.Wait(i+1, previous, random)
					if d < r.Min || d > r.Max {
						t.Fatalf("%v, %v: retry %d waits %v, out of %+v", s, j, i+1, d, r)
					}
					if d <= r.Median {
						below[i]++
					}
					previous = d
				}
			}
			for i, n := range below {
				if list[i].Min != list[i].Max && list[i].Median != list[i].Max && (n < runs*45/100 || n > runs*55/100) {
					t.Errorf("%v, %v: %d of %d waits are below the median of %+v", s, j, n, runs, list[i])
				}
			}
		}
	}
}
