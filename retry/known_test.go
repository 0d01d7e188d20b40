package retry_test

import (
	"context"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/retry-lab/retry-lab/classifier"
	"github.com/retry-lab/retry-lab/retry"
)

// Clients that are well known, each as a policy: what they wait and how often
// they try can be had, without what they do twice.
func TestKnownClientsCanBeWritten(t *testing.T) {
	seconds := func(list ...float64) (waits []time.Duration) {
		for _, s := range list {
			waits = append(waits, time.Duration(s*float64(time.Second)))
		}
		return waits
	}
	half := func() float64 { return 0.5 }
	shared := retry.NewMemoryStore()
	readOnly := retry.Changes[string]{Remove: []string{"POST", "PUT", "PATCH", "DELETE"}}
	neutrx := retry.Policy{
		MaxAttempts: 4, Rand: half, MaxWait: 5 * time.Second, LongWait: retry.Clamp,
		Backoff: retry.Backoff{Base: 250 * time.Millisecond, Cap: 5 * time.Second, Jitter: retry.AdditiveJitter},
		Key:     &retry.KeyPolicy{},
		Budget:  retry.Budget{MaxRetries: 1000, Window: time.Minute, Namespace: "billing-api", Store: shared},
	}
	for _, row := range []struct {
		why    string
		policy retry.Policy
		method string
		key    string
		base   *script
		waits  []time.Duration
	}{
		{"a utility with full jitter: three retries from 1 s, a log entry for each",
			retry.Policy{MaxAttempts: 4, Rand: half, OnRetry: func(retry.Event) {}}, "GET", "", play(status(502)), seconds(0.5, 1, 2)},
		{"the same for a payment, which needs its key",
			retry.Policy{MaxAttempts: 5, Rand: half, Key: &retry.KeyPolicy{}}, "POST", "order-7", play(status(502)), seconds(0.5, 1, 2, 4)},
		{"and without one is not sent again", retry.Policy{MaxAttempts: 5, Rand: half}, "POST", "", play(status(502)), nil},
		{"a shipment: from 2 s to 15 s",
			retry.Policy{MaxAttempts: 4, Backoff: retry.Backoff{Base: 2 * time.Second, Cap: 15 * time.Second, Jitter: retry.NoJitter},
				Key: &retry.KeyPolicy{New: func(r *http.Request) (string, error) { return "order" + r.URL.Path, nil }}}, "POST", "", play(status(504)), seconds(2, 4, 8)},
		{"a nightly job: reads three times, after 1 s and 2 s",
			retry.Policy{Backoff: retry.Backoff{Jitter: retry.NoJitter}, Methods: readOnly, ErrorOnStatus: true}, "GET", "", play(status(503)), seconds(1, 2)},
		{"and writes once, whatever happens",
			retry.Policy{Backoff: retry.Backoff{Jitter: retry.NoJitter}, Methods: readOnly}, "POST", "", play(status(503)), nil},
		{"a request budget of 5 s: a server that asks for 300 s ends it at once",
			retry.Policy{MaxWait: time.Hour, Deadline: 5 * time.Second}, "GET", "", play(status(429, "Retry-After", "300")), nil},
		{"axios-like, additive jitter, the server's wait cut off at the cap: that is Clamp",
			neutrx, "GET", "", play(status(503, "Retry-After", "120"), status(503)), seconds(5.125, 1, 1.5)},
		{"a write of it with a key", neutrx, "POST", "payment-1", play(status(500)), seconds(0.75, 1, 1.5)},
		{"a write of it without", neutrx, "POST", "", play(status(500)), nil},
		{"go-retryablehttp: five tries from 1 s to 30 s, no jitter",
			retry.Policy{MaxAttempts: 5, Backoff: retry.Backoff{Jitter: retry.NoJitter}, ErrorOnStatus: true}, "GET", "", play(status(500)), seconds(1, 2, 4, 8)},
		{"failsafe-go: WithMaxRetries(2), WithBackoff(100 ms, 1 s)",
			retry.Policy{MaxAttempts: 3, Backoff: retry.Backoff{Base: 100 * time.Millisecond, Cap: time.Second, Jitter: retry.NoJitter}},
			"PUT", "", play(status(502)), seconds(0.1, 0.2)},
		{"rehttp: RetryMaxRetries(3), ConstDelay(2 s)",
			retry.Policy{MaxAttempts: 4, Backoff: retry.Backoff{Strategy: retry.Fixed, Base: 2 * time.Second, Jitter: retry.NoJitter}},
			"GET", "", play(status(504)), seconds(2, 2, 2)},
		{"cenkalti/backoff: from 500 ms by 1.5",
			retry.Policy{MaxAttempts: 4, Deadline: 15 * time.Minute, Backoff: retry.Backoff{Base: 500 * time.Millisecond, Cap: time.Minute, Factor: 1.5, Jitter: retry.NoJitter}},
			"GET", "", play(status(500)), seconds(0.5, 0.75, 1.125)},
		{"a status list without 500",
			retry.Policy{Statuses: retry.Changes[int]{Remove: []int{425, 500}}}, "GET", "", play(status(500)), nil},
		{"a failure list without DNS",
			retry.Policy{Codes: retry.Changes[classifier.Code]{Remove: []classifier.Code{"EAI_AGAIN"}}}, "GET", "", play(fails(lookupError())), nil},
	} {
		t.Run(row.why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := row.policy
				var waits []time.Duration
				p.Sleep = func(_ context.Context, d time.Duration) error { waits = append(waits, d); return nil }
				body := ""
				if row.method == "POST" {
					body = "amount=4200"
				}
				r := request(t, t.Context(), row.method, body)
				if row.key != "" {
					r.Header.Set(retry.DefaultKeyHeader, row.key)
				}
				resp, err := (&retry.Transport{Base: row.base, Policy: p}).RoundTrip(r)
				if err == nil {
					read(t, resp)
				}
				if !slices.Equal(waits, row.waits) || len(row.base.sent) != len(row.waits)+1 {
					t.Errorf("%d requests with waits %v, want %d with %v (%v)", len(row.base.sent), waits, len(row.waits)+1, row.waits, err)
				}
			})
		})
	}
}
