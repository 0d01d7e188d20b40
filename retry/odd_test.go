package retry_test

import (
	"context"
	"errors"
	"io"
	"math"
	"net/http"
	"testing"
	"time"

	"github.com/retry-lab/retry-lab/classifier"
	"github.com/retry-lab/retry-lab/retry"
)

func TestDoIsNotBegunOnceTheContextHasEnded(t *testing.T) {
	why := errors.New("shutting down")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	calls := 0
	err := retry.Do(ctx, retry.Policy{}, retry.Op{}, func(context.Context, int) error { calls++; return nil })
	e, ok := errors.AsType[*retry.Error](err)
	if calls != 0 || !ok || e.Reason != classifier.CallerCanceled || e.Processed != classifier.Never ||
		!errors.Is(err, context.Canceled) || !errors.Is(err, why) || errors.Is(err, retry.ErrExhausted) {
		t.Errorf("%d calls, %v (%+v)", calls, err, e)
	}
}

// virtual is a policy with a clock of its own, and that clock.
func virtual() (retry.Policy, *time.Time) {
	now := time.Unix(1_700_000_000, 0)
	p := steady()
	p.Now = func() time.Time { return now }
	p.Sleep = func(_ context.Context, d time.Duration) error { now = now.Add(d); return nil }
	return p, &now
}

// The first attempt may have charged, and once the server has forgotten the key
// the next one would charge again.
func TestAForgottenKeyIsNotSentAgain(t *testing.T) {
	login := func(context.Context, *http.Request, *http.Response) error { return nil }
	for _, row := range []struct {
		why   string
		ttl   time.Duration
		late  time.Duration // how long the second attempt takes
		jump  time.Duration // the clock's, during the second attempt
		set   func(*retry.Policy)
		again int // requests in all
	}{
		{"Unsafe allows what the policy adds, and nothing is added", 500 * time.Millisecond, 0, 0, func(p *retry.Policy) { p.Unsafe = true }, 1},
		{"fresh credentials make no fresh key", 2 * time.Second, 5 * time.Second, 0, func(p *retry.Policy) { p.RefreshAuth = login }, 2},
		{"fresh credentials while the key lives", 20 * time.Second, 5 * time.Second, 0, func(p *retry.Policy) { p.RefreshAuth = login }, 3},
		{"a clock that goes back makes no key younger", 2 * time.Second, 0, -time.Hour, func(p *retry.Policy) { p.MaxAttempts = 5 }, 2},
	} {
		p, now := virtual()
		p.Key = &retry.KeyPolicy{Auto: true, TTL: row.ttl}
		row.set(&p)
		base := play(fails(io.EOF), func(r *http.Request) (*http.Response, error) {
			*now = now.Add(row.late + row.jump)
			if row.jump != 0 {
				return nil, io.EOF
			}
			return status(401)(r)
		}, status(200))
		resp, err := (&retry.Transport{Base: base, Policy: p}).RoundTrip(request(t, t.Context(), "POST", "amount=4200"))
		if err == nil {
			resp.Body.Close()
		}
		if len(base.sent) != row.again {
			t.Errorf("%s: sent %d times, want %d (%v)", row.why, len(base.sent), row.again, err)
		}
	}
}

func TestRefreshAuthChangesCredentialsAlone(t *testing.T) {
	p, _ := virtual()
	p.Key = &retry.KeyPolicy{Auto: true}
	p.RefreshAuth = func(_ context.Context, next *http.Request, _ *http.Response) error {
		next.URL.RawQuery = "token=fresh"
		next.Header = http.Header{"Authorization": {"Bearer fresh"}}
		return nil
	}
	r := request(t, t.Context(), "POST", "amount=4200")
	base := play(status(401), status(200))
	resp, err := (&retry.Transport{Base: base, Policy: p}).RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	if read(t, resp); r.URL.RawQuery != "" {
		t.Errorf("the caller's URL is now %v", r.URL)
	}
	first, second := base.sent[0].header, base.sent[1].header
	if key := first.Get("Idempotency-Key"); key == "" || second.Get("Idempotency-Key") != key || second.Get("Authorization") == "" {
		t.Errorf("sent %v, then %v", first, second)
	}
}

func TestFreshCredentialsWaitAsLongAsTheServerAsks(t *testing.T) {
	for _, row := range []struct {
		wait         string
		calls, again int
		took         time.Duration
		outcome      string
	}{
		{"", 1, 1, 0, "success"},
		{"59", 1, 1, 59 * time.Second, "success"},
		{"61", 0, 0, 0, "stopped"},
	} {
		p, now := virtual()
		start, calls := *now, 0
		p.RefreshAuth = func(context.Context, *http.Request, *http.Response) error { calls++; return nil }
		base := play(status(401, "Retry-After", row.wait), status(200))
		resp, err := (&retry.Transport{Base: base, Policy: p}).RoundTrip(request(t, t.Context(), "GET", ""))
		if err != nil {
			t.Fatal(err)
		}
		read(t, resp)
		report, _ := retry.ReportOf(resp)
		if took := now.Sub(start); calls != row.calls || len(base.sent) != 1+row.again || took != row.took || report.Outcome() != row.outcome {
			t.Errorf("Retry-After %q: %d refreshes, %d requests in %v, %s", row.wait, calls, len(base.sent), took, report.Outcome())
		}
	}
}

func TestNonsenseOfDecideIsNoRetryAndNoSuccess(t *testing.T) {
	for _, d := range []classifier.Decision{{}, {Verdict: classifier.Done}, {Verdict: "sometimes"}} {
		p := steady()
		p.Decide = func(classifier.Failure, classifier.Decision) classifier.Decision { return d }
		var report retry.Report
		p.OnDone = func(r retry.Report) { report = r }
		base := play(fails(io.EOF))
		_, err := (&retry.Transport{Base: base, Policy: p}).RoundTrip(request(t, t.Context(), "GET", ""))
		if err != io.EOF || len(base.sent) != 1 || report.Outcome() != "failed" || report.Reason != retry.PolicyRefuses {
			t.Errorf("%+v: %v, %s because %s", d, err, report.Outcome(), report.Reason)
		}
	}
}

func TestAChangeThatDecideWantsAgainAndAgainIsWaitedFor(t *testing.T) {
	p, now := virtual()
	p.MaxAttempts = 4
	p.Decide = func(_ classifier.Failure, d classifier.Decision) classifier.Decision {
		return classifier.Decision{Verdict: classifier.RetryModified, Modify: classifier.ModifyConnection}
	}
	start := *now
	resp, err := (&retry.Transport{Base: play(status(503)), Policy: p}).RoundTrip(request(t, t.Context(), "GET", ""))
	if err != nil {
		t.Fatal(err)
	}
	read(t, resp)
	if took := now.Sub(start); took != 2*time.Second+4*time.Second {
		t.Errorf("took %v, want no wait the first time, and then 2 s and 4 s", took)
	}
}

// What a server writes into its status line goes into no error, and from there
// to no terminal.
func TestAnErrorHasNoWordsOfTheServers(t *testing.T) {
	p, _ := virtual()
	p.ErrorOnStatus = true
	base := play(func(r *http.Request) (*http.Response, error) {
		resp, err := answer(599, "")(r)
		resp.Status = "599 \x1b[2Jfine"
		return resp, err
	})
	p.Statuses.Add = []int{599}
	_, err := (&retry.Transport{Base: base, Policy: p}).RoundTrip(request(t, t.Context(), "GET", ""))
	if err == nil || err.Error() != "failed after 3 tries: http://lab/charge (599)" {
		t.Errorf("%q", err)
	}
}

func TestAReportIsItsReadersOwn(t *testing.T) {
	p, _ := virtual()
	p.OnDone = func(r retry.Report) { clear(r.Attempts) }
	_, err := (&retry.Transport{Base: play(fails(io.EOF)), Policy: p}).RoundTrip(request(t, t.Context(), "GET", ""))
	e, ok := errors.AsType[*retry.Error](err)
	if !ok || len(e.Attempts) != 3 || e.Attempts[2].N != 3 {
		t.Errorf("%+v", e)
	}
}

func TestOnlyAWaitThatWasTooLongIsInTheError(t *testing.T) {
	p, _ := virtual()
	p.Budget = retry.Budget{MaxRetries: 1}
	tr := &retry.Transport{Base: play(fails(io.EOF)), Policy: p}
	for range 2 {
		_, err := tr.RoundTrip(request(t, t.Context(), "GET", ""))
		e, ok := errors.AsType[*retry.Error](err)
		if !ok || e.Reason != retry.BudgetUsedUp || e.Wait != 0 {
			t.Errorf("%+v", e)
		}
	}
}

// The first attempt may have charged before the second was sent elsewhere.
func TestAnAttemptBeforeARedirectIsNotForgotten(t *testing.T) {
	for _, row := range []struct {
		method    string
		last      int
		processed classifier.Processed
		outcome   string
	}{
		{"PUT", 400, classifier.Maybe, "failed"},
		{"DELETE", 404, classifier.Maybe, "ambiguous"},
	} {
		p, _ := virtual()
		var report retry.Report
		p.OnDone = func(r retry.Report) { report = r }
		base := play(fails(io.EOF), status(307, "Location", "/elsewhere"), status(row.last))
		resp, err := (&http.Client{Transport: &retry.Transport{Base: base, Policy: p}}).Do(request(t, t.Context(), row.method, ""))
		if err != nil {
			t.Fatal(err)
		}
		read(t, resp)
		if report.Processed != row.processed || report.Outcome() != row.outcome {
			t.Errorf("%s: %s, processed %s; want %s, %s", row.method, report.Outcome(), report.Processed, row.outcome, row.processed)
		}
	}
}

func TestAMemoryStoreRefusesTermsThatNoPolicyHas(t *testing.T) {
	good := retry.Withdrawal{Ratio: 0.2, Floor: 1, TTL: time.Second, Now: time.Unix(1_700_000_000, 0)}
	store := retry.NewMemoryStore()
	for why, spoil := range map[string]func(*retry.Withdrawal){
		"zero ttl":         func(w *retry.Withdrawal) { w.TTL = 0 },
		"short ttl":        func(w *retry.Withdrawal) { w.TTL = 1 },
		"ratio NaN":        func(w *retry.Withdrawal) { w.Ratio = math.NaN() },
		"floor infinite":   func(w *retry.Withdrawal) { w.Floor = math.Inf(1) },
		"negative ratio":   func(w *retry.Withdrawal) { w.Ratio = -1 },
		"negative count":   func(w *retry.Withdrawal) { w.Requests = -1 },
		"no window":        func(w *retry.Withdrawal) { w.MaxRetries = 1 },
		"negative retries": func(w *retry.Withdrawal) { w.MaxRetries = -1 },
	} {
		w := good
		w.Key = why
		spoil(&w)
		ok, err := store.Withdraw(t.Context(), w)
		if ok || err == nil || store.Refund(t.Context(), w) == nil {
			t.Errorf("%s: %v, %v", why, ok, err)
		}
	}
	if ok, err := store.Withdraw(t.Context(), good); !ok || err != nil {
		t.Errorf("good terms: %v, %v", ok, err)
	}
}

// heedful is a store that heeds its context, as one behind a network does.
type heedful struct{ refunds int }

func (h *heedful) Withdraw(ctx context.Context, _ retry.Withdrawal) (bool, error) {
	return true, ctx.Err()
}

func (h *heedful) Refund(ctx context.Context, _ retry.Withdrawal) error {
	if _, bounded := ctx.Deadline(); ctx.Err() == nil && bounded {
		h.refunds++
	}
	return ctx.Err()
}

func TestARefundReachesAStoreThoughTheCallerGaveUp(t *testing.T) {
	store := &heedful{}
	ctx, cancel := context.WithCancel(t.Context())
	p := steady()
	p.Budget.Store = store
	p.Sleep = func(ctx context.Context, _ time.Duration) error { cancel(); return ctx.Err() }
	_, err := (&retry.Transport{Base: play(status(503)), Policy: p}).RoundTrip(request(t, ctx, "GET", ""))
	if !errors.Is(err, context.Canceled) || store.refunds != 1 {
		t.Errorf("%v, %d refunds, want 1", err, store.refunds)
	}
}
