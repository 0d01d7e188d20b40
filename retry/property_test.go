package retry_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/retry-lab/retry-lab/classifier"
	"github.com/retry-lab/retry-lab/retry"
)

// world is one run of a random policy against random answers, with a clock of
// its own.
type world struct {
	policy retry.Policy
	method string
	base   *script
	asked  []time.Duration // what each answer asked for
	now    time.Time
	waits  []time.Duration
	report retry.Report
}

func drawWorld(t *rapid.T) *world {
	w := &world{now: time.Unix(1_700_000_000, 0)}
	w.method = rapid.SampledFrom([]string{"GET", "HEAD", "PUT", "DELETE", "POST", "PATCH", "QUERY"}).Draw(t, "method")
	w.policy = retry.Policy{
		MaxAttempts: rapid.IntRange(0, 6).Draw(t, "attempts"),
		SingleRetry: rapid.Bool().Draw(t, "single"),
		Strict:      rapid.Bool().Draw(t, "strict"),
		MaxWait:     time.Duration(rapid.IntRange(-1, 100).Draw(t, "max wait")) * time.Second,
		Deadline:    time.Duration(rapid.IntRange(0, 60).Draw(t, "deadline")) * time.Second,
		Backoff: retry.Backoff{
			Strategy: retry.Strategy(rapid.IntRange(0, 3).Draw(t, "strategy")),
			Jitter:   retry.Jitter(rapid.IntRange(0, 4).Draw(t, "jitter")),
		},
		Now:  func() time.Time { return w.now },
		Rand: func() float64 { return rapid.Float64Range(0, 0.999).Draw(t, "random") },
		Sleep: func(_ context.Context, d time.Duration) error {
			w.waits = append(w.waits, d)
			w.now = w.now.Add(max(d, 0))
			return nil
		},
		OnDone: func(r retry.Report) { w.report = r },
	}
	if rapid.Bool().Draw(t, "key") {
		w.policy.Key = &retry.KeyPolicy{Auto: true}
	}
	if rapid.Bool().Draw(t, "meddling") {
		verdict := rapid.SampledFrom(classifier.Verdicts()).Draw(t, "verdict")
		hasty := rapid.Bool().Draw(t, "hasty")
		w.policy.Decide = func(_ classifier.Failure, d classifier.Decision) classifier.Decision {
			if d.Verdict = verdict; hasty {
				d.Wait = 0
			}
			return d
		}
	}
	if rapid.Bool().Draw(t, "lists") {
		w.policy.Statuses = retry.Changes[int]{Add: []int{404, 508}, Remove: []int{503}}
	}
	steps := make([]step, rapid.IntRange(1, 7).Draw(t, "steps"))
	for i := range steps {
		steps[i] = w.drawStep(t)
	}
	w.base = play(steps...)
	return w
}

func (w *world) drawStep(t *rapid.T) step {
	switch rapid.IntRange(0, 9).Draw(t, "kind") {
	case 0:
		err := rapid.SampledFrom([]error{io.EOF, refusedDial(), errors.New("odd"), io.ErrUnexpectedEOF}).Draw(t, "error")
		return func(*http.Request) (*http.Response, error) {
			w.asked = append(w.asked, 0)
			return nil, err
		}
	default:
		code := rapid.SampledFrom([]int{200, 204, 301, 307, 400, 401, 404, 408, 409, 411, 412, 413, 417, 421, 425, 429, 500, 501, 502, 503, 504, 508, 522}).Draw(t, "status")
		wait := rapid.SampledFrom([]string{"", "", "0", "1", "7", "90", "junk"}).Draw(t, "wait")
		seconds, _ := strconv.Atoi(wait)
		if code < 400 {
			seconds = 0 // not about sending the same again
		}
		return func(r *http.Request) (*http.Response, error) {
			w.asked = append(w.asked, time.Duration(seconds)*time.Second)
			if wait == "" {
				return status(code)(r)
			}
			return status(code, "Retry-After", wait)(r)
		}
	}
}

// run sends one request.
func (w *world) run(t *rapid.T) {
	r, err := http.NewRequest(w.method, "http://lab/charge", strings.NewReader("amount=4200"))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := (&retry.Transport{Base: w.base, Policy: w.policy}).RoundTrip(r)
	if err == nil {
		if _, err := io.ReadAll(resp.Body); err != nil {
			t.Fatalf("the body of the response that came out: %v", err)
		}
		resp.Body.Close()
	}
}

func TestInvariantsOfAnyOperation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		w.run(t)
		attempts := w.report.Attempts
		limit := w.policy.MaxAttempts
		if limit == 0 {
			limit = retry.DefaultMaxAttempts
		}
		if w.policy.SingleRetry {
			limit = min(limit, 2)
		}
		if len(attempts) == 0 || len(attempts) > limit || len(attempts) != len(w.base.sent) || len(w.waits) != len(attempts)-1 {
			t.Fatalf("%d attempts, %d requests, %d waits, at most %d", len(attempts), len(w.base.sent), len(w.waits), limit)
		}
		for i, a := range attempts {
			again := i < len(attempts)-1
			harmless := a.Processed == classifier.Never || !slices.Contains([]string{"POST", "PATCH"}, w.method) || w.policy.Key != nil
			if again && !harmless {
				t.Errorf("(i) %+v was sent again", a)
			}
			if a.N != i+1 {
				t.Errorf("attempt %d has number %d", i+1, a.N)
			}
			if again && w.waits[i] < w.asked[i] {
				t.Errorf("(iii) waited %v, though %v was asked for", w.waits[i], w.asked[i])
			}
			if again && w.asked[i] > maxWait(w.policy) {
				t.Errorf("(iii) waited for %v, more than %v", w.asked[i], maxWait(w.policy))
			}
			if w.base.sent[i].body != "amount=4200" || w.base.sent[i].header.Get("Idempotency-Key") != w.base.sent[0].header.Get("Idempotency-Key") {
				t.Errorf("(v) attempt %d sent %+v", i+1, w.base.sent[i])
			}
			if worse := w.report.Processed.Worse(a.Processed); worse != w.report.Processed {
				t.Errorf("(vii) the outcome is %s, an attempt's %s", w.report.Processed, a.Processed)
			}
		}
		if took := w.now.Sub(time.Unix(1_700_000_000, 0)); w.policy.Deadline > 0 && took >= w.policy.Deadline {
			t.Errorf("(iv) it took %v of %v", took, w.policy.Deadline)
		}
		used := map[classifier.Modification]int{}
		for _, a := range attempts {
			if a.Modify != "" && (a.Verdict == classifier.Retry || a.Verdict == classifier.RetryModified) {
				if used[a.Modify]++; used[a.Modify] > 1 {
					t.Errorf("(vi) %s was changed twice", a.Modify)
				}
			}
		}
	})
}

func maxWait(p retry.Policy) time.Duration {
	switch {
	case p.MaxWait == 0:
		return classifier.DefaultMaxWait
	case p.MaxWait < 0:
		return 0
	}
	return p.MaxWait
}
