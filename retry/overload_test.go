package retry_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/retry-lab/retry-lab/retry"
)

// Minutes in which every answer is 503, as a Transport sees them: each of its
// requests would like two retries more. The budget alone is held to ten minutes
// of any rate by TestRetriesStayWithinTheBudget.
func TestATransportStaysWithinItsBudgetInAnOutage(t *testing.T) {
	for _, row := range []struct {
		rate, minutes int // requests a second, and for how long
	}{{1, 10}, {10, 10}, {1000, 1}} {
		t.Run(fmt.Sprintf("%d a second", row.rate), func(t *testing.T) {
			now := time.Unix(1_700_000_000, 0)
			busy := &http.Response{StatusCode: 503, Status: "503 Service Unavailable", Header: http.Header{}, Body: http.NoBody}
			tr := &retry.Transport{Base: reused{busy}, Policy: retry.Policy{
				Now:   func() time.Time { return now },
				Sleep: func(context.Context, time.Duration) error { return nil }, // all at once is the worst
			}}
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://lab/", nil)
			if err != nil {
				t.Fatal(err)
			}
			requests := 60 * row.minutes * row.rate
			for range requests {
				if _, err := tr.RoundTrip(r); err != nil {
					t.Fatal(err)
				}
				now = now.Add(time.Second / time.Duration(row.rate))
			}
			allowed := retry.DefaultRatio*float64(requests) + retry.DefaultFloor*float64(60*row.minutes)
			s := tr.Stats()
			if over := float64(s.Retries()-10) - allowed; s.Operations != int64(requests) || over > 0.01*allowed {
				t.Errorf("%d retries of %d requests, %.0f more than %.0f", s.Retries(), requests, over, allowed)
			}
			if least := 0.98 * min(allowed, 2*float64(requests)); float64(s.Retries()) < least {
				t.Errorf("%d retries of %d requests, though %.0f are allowed", s.Retries(), requests, allowed)
			}
			t.Logf("%d retries of %d requests; %.0f allowed, and a burst of 10", s.Retries(), requests, allowed)
		})
	}
}
