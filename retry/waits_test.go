package retry_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/retry-lab/retry-lab/retry"
)

// What the formulas say is what a request waits, to the nanosecond.
func TestARequestWaitsExactlyWhatItsStrategySays(t *testing.T) {
	for _, row := range []struct {
		strategy retry.Strategy
		jitter   retry.Jitter
		random   float64
		want     []time.Duration // in ms
	}{
		{retry.Fixed, retry.NoJitter, 0, []time.Duration{1000, 1000, 1000, 1000, 1000, 1000, 1000}},
		{retry.Linear, retry.NoJitter, 0, []time.Duration{1000, 2000, 3000, 4000, 5000, 6000, 7000}},
		{retry.Exponential, retry.NoJitter, 0, []time.Duration{1000, 2000, 4000, 8000, 16000, 30000, 30000}},
		{retry.Fibonacci, retry.NoJitter, 0, []time.Duration{1000, 1000, 2000, 3000, 5000, 8000, 13000}},
		{retry.Exponential, retry.FullJitter, 0.5, []time.Duration{500, 1000, 2000, 4000, 8000, 15000, 15000}},
		{retry.Exponential, retry.EqualJitter, 0.5, []time.Duration{750, 1500, 3000, 6000, 12000, 22500, 22500}},
		{retry.Exponential, retry.AdditiveJitter, 0.25, []time.Duration{1250, 2250, 4250, 8250, 16250, 30000, 30000}},
		{retry.Exponential, retry.DecorrelatedJitter, 0.5, []time.Duration{2000, 3500, 5750, 9125}},
	} {
		t.Run(row.strategy.String()+" "+row.jitter.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				base := play(status(http.StatusServiceUnavailable))
				tr := &retry.Transport{Base: base, Policy: retry.Policy{
					MaxAttempts: len(row.want) + 1, Rand: func() float64 { return row.random },
					Backoff: retry.Backoff{Strategy: row.strategy, Jitter: row.jitter},
				}}
				resp, err := tr.RoundTrip(request(t, t.Context(), "GET", ""))
				if err != nil {
					t.Fatal(err)
				}
				read(t, resp)
				gaps := base.gaps()
				if len(gaps) != len(row.want) {
					t.Fatalf("waits %v, want %d", gaps, len(row.want))
				}
				for i, want := range row.want {
					if gaps[i] != want*time.Millisecond {
						t.Errorf("before retry %d: %v, want %v", i+1, gaps[i], want*time.Millisecond)
					}
				}
			})
		})
	}
}
