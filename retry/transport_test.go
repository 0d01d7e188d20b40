package retry_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/retry-lab/retry-lab/classifier"
	"github.com/retry-lab/retry-lab/retry"
)

func TestTheZeroPolicyTriesThreeTimesAndWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := play(status(503))
		tr := &retry.Transport{Base: base}
		resp, err := tr.RoundTrip(request(t, t.Context(), "GET", ""))
		if err != nil || resp.StatusCode != 503 {
			t.Fatalf("got %v, %v; want the last 503", resp, err)
		}
		if got := read(t, resp); got != "the answer" {
			t.Errorf("body %q, want it unread", got)
		}
		if len(base.sent) != 3 {
			t.Errorf("%d requests, want 3", len(base.sent))
		}
		for i, most := range []time.Duration{time.Second, 2 * time.Second} {
			if gap := base.gaps()[i]; gap > most {
				t.Errorf("wait %d was %v, want at most %v", i+1, gap, most)
			}
		}
		r, ok := retry.ReportOf(resp)
		if !ok || r.Outcome() != "stopped" || r.Reason != retry.AttemptsUsedUp || len(r.Attempts) != 3 {
			t.Errorf("report %+v, %v", r, ok)
		}
	})
}

func TestWhatComesOut(t *testing.T) {
	reset := io.EOF // on a fresh connection: sent, and nothing known
	mine := errors.New("my own")
	refused := refusedDial()
	rows := []struct {
		why    string
		method string
		base   http.RoundTripper
		policy retry.Policy

		status    int // 0: an error
		same      error
		code      retry.Code
		exhausted bool
		attempts  int
		processed classifier.Processed
	}{
		{why: "a success", method: "GET", base: play(status(200)), status: 200},
		{why: "a success after a failure", method: "GET", base: play(status(500), status(200)), status: 200},
		{why: "an answer that will not change", method: "GET", base: play(status(404)), status: 404},
		{why: "a bare POST that may have worked, answered", method: "POST", base: play(status(500)), status: 500},
		{why: "a bare POST that may have worked, not answered", method: "POST", base: play(fails(reset)), same: reset},
		{why: "an error that nobody knows", method: "POST", base: play(fails(mine)), same: mine},
		{why: "a GET that is never answered", method: "GET", base: play(fails(reset)),
			code: retry.CodeMaxAttempts, exhausted: true, attempts: 3, processed: classifier.Maybe},
		{why: "a POST that nobody could be reached for", method: "POST", base: &undialled{err: refused},
			code: retry.CodeMaxAttempts, exhausted: true, attempts: 3, processed: classifier.Never},
		{why: "a POST that did no work first, and may have done some then", method: "POST", base: play(status(503), fails(reset)),
			code: retry.CodeAmbiguous, attempts: 2, processed: classifier.Maybe},
		{why: "an exhausted status is an error to who wants it", method: "GET", base: play(status(503)),
			policy: retry.Policy{ErrorOnStatus: true}, code: retry.CodeMaxAttempts, exhausted: true, attempts: 3, processed: classifier.Never},
		{why: "but not one that is the last word", method: "GET", base: play(status(404)),
			policy: retry.Policy{ErrorOnStatus: true}, status: 404},
		{why: "and says so of an answer", method: "GET", base: play(status(503)),
			policy: retry.Policy{Strict: true, ErrorOnStatus: true}, code: retry.CodeMaxAttempts, exhausted: true, attempts: 3, processed: classifier.Maybe},
		{why: "one attempt is used up after one", method: "GET", base: play(fails(reset)),
			policy: retry.Policy{MaxAttempts: 1}, code: retry.CodeMaxAttempts, exhausted: true, attempts: 1, processed: classifier.Maybe},
	}
	for _, row := range rows {
		t.Run(row.why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tr := &retry.Transport{Base: row.base, Policy: row.policy}
				body := ""
				if row.method == "POST" {
					body = "amount=4200"
				}
				resp, err := tr.RoundTrip(request(t, t.Context(), row.method, body))
				if row.status != 0 {
					if err != nil || resp.StatusCode != row.status {
						t.Fatalf("got %v, %v; want %d", resp, err, row.status)
					}
					if got := read(t, resp); got != "the answer" {
						t.Errorf("body %q, want it unread and complete", got)
					}
					return
				}
				if row.same != nil {
					if err != row.same {
						t.Fatalf("got %#v, want the very error %#v", err, row.same)
					}
					return
				}
				e, ok := err.(*retry.Error)
				if !ok {
					t.Fatalf("got %v (%T), want a *retry.Error", err, err)
				}
				if e.Code != row.code || len(e.Attempts) != row.attempts || e.Processed != row.processed ||
					errors.Is(err, retry.ErrExhausted) != row.exhausted {
					t.Errorf("got %+v", e)
				}
				if row.code == retry.CodeMaxAttempts && e.Elapsed == 0 && row.attempts > 1 {
					t.Error("no time has passed")
				}
			})
		})
	}
}

func TestAnErrorSaysWhatWasNotReachedAndHowOften(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := &retry.Transport{Base: &undialled{err: refusedDial()}}
		_, err := tr.RoundTrip(request(t, t.Context(), "POST", "x"))
		const want = "unreachable after 3 tries: http://lab/charge (dial tcp: connect: connection refused)"
		if err == nil || err.Error() != want {
			t.Errorf("got %q, want %q", err, want)
		}
		if !errors.Is(err, errRefused) {
			t.Error("the cause is lost")
		}
	})
}

func TestAServersWaitIsNeverShortened(t *testing.T) {
	noJitter := retry.Backoff{Jitter: retry.NoJitter}
	rows := []struct {
		why    string
		answer step
		policy retry.Policy
		sent   int
		wait   time.Duration // before the second request
		reason classifier.Reason
		asked  time.Duration // with a stop
	}{
		{why: "seconds", answer: status(429, "Retry-After", "7"), policy: retry.Policy{Backoff: noJitter}, sent: 2, wait: 7 * time.Second},
		{why: "zero is no wait: the client's own", answer: status(429, "Retry-After", "0"), policy: retry.Policy{Backoff: noJitter}, sent: 2, wait: time.Second},
		{why: "a date", answer: status(503, "Date", "Mon, 02 Nov 2026 10:00:00 GMT", "Retry-After", "Mon, 02 Nov 2026 10:00:09 GMT"),
			policy: retry.Policy{Backoff: noJitter}, sent: 2, wait: 9 * time.Second},
		{why: "the longest that is kept", answer: status(503, "Retry-After", "60"), policy: retry.Policy{Backoff: noJitter}, sent: 2, wait: time.Minute},
		{why: "a second more", answer: status(503, "Retry-After", "61"), policy: retry.Policy{Backoff: noJitter}, sent: 1,
			reason: classifier.WaitTooLong, asked: 61 * time.Second},
		{why: "a wait beyond the bound ends it", answer: status(429, "Retry-After", "3600"), policy: retry.Policy{Backoff: noJitter}, sent: 1,
			reason: classifier.WaitTooLong, asked: time.Hour},
		{why: "one that overflows too", answer: status(503, "Retry-After", "9223372037"), policy: retry.Policy{Backoff: noJitter}, sent: 1,
			reason: classifier.WaitTooLong, asked: 1<<63 - 1},
		{why: "unless the policy clamps", answer: status(429, "Retry-After", "3600"),
			policy: retry.Policy{Backoff: noJitter, MaxWait: 5 * time.Second, LongWait: retry.Clamp}, sent: 2, wait: 5 * time.Second},
		{why: "a wait beyond the deadline ends it at once", answer: status(429, "Retry-After", "30"),
			policy: retry.Policy{Backoff: noJitter, Deadline: 20 * time.Second}, sent: 1, reason: classifier.WaitTooLong, asked: 30 * time.Second},
	}
	for _, row := range rows {
		t.Run(row.why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				base := play(row.answer, status(200))
				start := time.Now()
				resp, err := (&retry.Transport{Base: base, Policy: row.policy}).RoundTrip(request(t, t.Context(), "POST", "x"))
				if err != nil {
					t.Fatal(err)
				}
				defer resp.Body.Close()
				if len(base.sent) != row.sent {
					t.Fatalf("%d requests, want %d", len(base.sent), row.sent)
				}
				if row.sent == 2 && base.gaps()[0] != row.wait {
					t.Errorf("waited %v, want %v", base.gaps()[0], row.wait)
				}
				last := retry.Attempts(resp)[0]
				if row.reason != "" && (last.Reason != row.reason || last.Wait != row.asked || time.Since(start) != 0) {
					t.Errorf("after %v: %+v, want %s at once, with %v", time.Since(start), last, row.reason, row.asked)
				}
			})
		})
	}
}

func TestJitterLiesAboveAServersWait(t *testing.T) {
	for _, random := range []float64{0, 0.5, 0.999} {
		synctest.Test(t, func(t *testing.T) {
			base := play(status(503, "Retry-After", "10"), status(200))
			tr := &retry.Transport{Base: base, Policy: retry.Policy{Rand: func() float64 { return random }}}
			resp, err := tr.RoundTrip(request(t, t.Context(), "GET", ""))
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			want := 10*time.Second + time.Duration(random*float64(time.Second))
			if got := base.gaps()[0]; got != want {
				t.Errorf("waited %v, want %v", got, want)
			}
		})
	}
}

func TestACallerWhoGivesUpIsObeyedAtOnce(t *testing.T) {
	cause := errors.New("user closed the window")
	rows := []struct {
		why  string
		end  func(context.Context) (context.Context, func())
		want error
	}{
		{"cancelled", func(ctx context.Context) (context.Context, func()) {
			c, cancel := context.WithCancel(ctx)
			return c, cancel
		}, context.Canceled},
		{"cancelled with a cause", func(ctx context.Context) (context.Context, func()) {
			c, cancel := context.WithCancelCause(ctx)
			return c, func() { cancel(cause) }
		}, cause},
	}
	for _, row := range rows {
		t.Run(row.why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, end := row.end(t.Context())
				base := play(status(503))
				go func() {
					time.Sleep(500 * time.Millisecond)
					end()
				}()
				start := time.Now()
				_, err := (&retry.Transport{Base: base, Policy: steady()}).RoundTrip(request(t, ctx, "GET", ""))
				e, ok := err.(*retry.Error)
				if !ok || e.Code != retry.CodeStopped || e.Reason != classifier.CallerCanceled || !errors.Is(err, row.want) || errors.Is(err, retry.ErrExhausted) {
					t.Errorf("got %v", err)
				}
				if d := time.Since(start); d != 500*time.Millisecond || len(base.sent) != 1 {
					t.Errorf("after %v and %d requests, want 500ms and 1", d, len(base.sent))
				}
			})
		})
	}
}

func TestNothingIsWaitedForThatWouldComeAfterTheDeadline(t *testing.T) {
	rows := []struct {
		why    string
		policy func(*retry.Policy)
		ctx    time.Duration
	}{
		{"the policy's", func(p *retry.Policy) { p.Deadline = 2500 * time.Millisecond }, 0},
		{"the caller's", func(*retry.Policy) {}, 2500 * time.Millisecond},
	}
	for _, row := range rows {
		t.Run(row.why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := steady()
				row.policy(&p)
				ctx := t.Context()
				if row.ctx > 0 {
					c, cancel := context.WithTimeout(ctx, row.ctx)
					defer cancel()
					ctx = c
				}
				base := play(status(503))
				start := time.Now()
				resp, err := (&retry.Transport{Base: base, Policy: p}).RoundTrip(request(t, ctx, "GET", ""))
				if err != nil {
					t.Fatal(err)
				}
				read(t, resp)
				r, _ := retry.ReportOf(resp)
				if d := time.Since(start); d != time.Second || len(base.sent) != 2 || r.Reason != retry.PastDeadline || r.Attempts[1].Wait != 2*time.Second {
					t.Errorf("after %v and %d requests: %+v", d, len(base.sent), r)
				}
			})
		})
	}
}

func TestOneAttemptHasATimeOfItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stall := func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		}
		base := play(stall, status(200))
		p := steady()
		p.AttemptTimeout = 200 * time.Millisecond
		resp, err := (&retry.Transport{Base: base, Policy: p}).RoundTrip(request(t, t.Context(), "GET", ""))
		if err != nil {
			t.Fatal(err)
		}
		read(t, resp)
		first := retry.Attempts(resp)[0]
		if first.Code != classifier.Timeout || first.Phase != classifier.PhaseAwait || first.Duration != 200*time.Millisecond || base.gaps()[0] != 1200*time.Millisecond {
			t.Errorf("%+v, then a gap of %v", first, base.gaps()[0])
		}
	})
}

func TestTheRequestOfTheCallerIsNotTouched(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := play(status(503), status(200))
		tr := &retry.Transport{Base: base, Policy: retry.Policy{AttemptHeader: "X-Retry-Attempt", Key: &retry.KeyPolicy{Auto: true}}}
		r := request(t, t.Context(), "POST", "amount=4200")
		before := fmt.Sprintf("%v %v %p %v", r.Header, r.ContentLength, r.GetBody, r.Body)
		resp, err := tr.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		read(t, resp)
		if after := fmt.Sprintf("%v %v %p %v", r.Header, r.ContentLength, r.GetBody, r.Body); strings.SplitN(after, "&{", 2)[0] != strings.SplitN(before, "&{", 2)[0] {
			t.Errorf("before %s\nafter  %s", before, after)
		}
		for i, s := range base.sent {
			if s.header.Get("X-Retry-Attempt") != fmt.Sprint(i+1) || s.body != "amount=4200" || s.header.Get("Idempotency-Key") != base.sent[0].header.Get("Idempotency-Key") {
				t.Errorf("attempt %d: %+v", i+1, s)
			}
		}
	})
}

func TestOptionsChangeWhatIsTriedAgain(t *testing.T) {
	nxdomain := func() *undialled { return &undialled{err: lookupError()} }
	rows := []struct {
		why    string
		method string
		base   http.RoundTripper
		policy retry.Policy
		want   int // attempts
	}{
		{"PATCH is not idempotent", "PATCH", play(status(500)), retry.Policy{}, 1},
		{"unless the policy says so", "PATCH", play(status(500)), retry.Policy{Methods: retry.Changes[string]{Add: []string{"PATCH"}}}, 3},
		{"or the request does", "POST", play(status(500)), retry.Policy{Idempotent: func(r *http.Request) bool { return r.URL.Path == "/charge" }}, 3},
		{"or does not", "PUT", play(status(500)), retry.Policy{Idempotent: func(*http.Request) bool { return false }}, 1},
		{"QUERY is", "QUERY", play(status(500)), retry.Policy{}, 3},
		{"a method may be left alone", "GET", play(status(503)), retry.Policy{Methods: retry.Changes[string]{Remove: []string{"GET"}}}, 1},
		{"404 is final", "GET", play(status(404)), retry.Policy{}, 1},
		{"unless the policy says that it may pass", "GET", play(status(404)), retry.Policy{Statuses: retry.Changes[int]{Add: []int{404}}}, 3},
		{"an added status is not a licence to do the work twice", "POST", play(status(508)), retry.Policy{Statuses: retry.Changes[int]{Add: []int{508}}}, 1},
		{"without Unsafe", "POST", play(status(508)), retry.Policy{Statuses: retry.Changes[int]{Add: []int{508}}, Unsafe: true}, 3},
		{"a status may be final", "GET", play(status(500)), retry.Policy{Statuses: retry.Changes[int]{Remove: []int{500}}}, 1},
		{"a name that does not exist is final", "GET", nxdomain(), retry.Policy{}, 1},
		{"unless the policy says that it may come", "GET", nxdomain(), retry.Policy{Codes: retry.Changes[classifier.Code]{Add: []classifier.Code{classifier.NotFound}}}, 3},
		{"a failure may be final", "GET", &undialled{err: refusedDial()}, retry.Policy{Codes: retry.Changes[classifier.Code]{Remove: []classifier.Code{"ECONNREFUSED"}}}, 1},
		{"one retry and no more", "GET", play(status(503)), retry.Policy{SingleRetry: true}, 2},
		{"one retry is less than the attempts allow", "GET", play(status(503)), retry.Policy{SingleRetry: true, MaxAttempts: 5}, 2},
		{"a gateway's claim is no proof when strict", "POST", play(status(503)), retry.Policy{Strict: true}, 1},
		{"nor if the policy lists it", "POST", play(status(503)), retry.Policy{Strict: true, Statuses: retry.Changes[int]{Add: []int{503}}}, 1},
		{"nor if Decide wants it", "POST", play(status(503)), retry.Policy{Strict: true, Decide: again}, 1},
		{"a GET is sent again all the same", "GET", play(status(503)), retry.Policy{Strict: true}, 3},
		{"evidence is", "POST", play(status(503, "Retry-After", "1")), retry.Policy{Strict: true}, 3},
		{"Decide may refuse", "GET", play(status(503)), retry.Policy{Decide: func(classifier.Failure, classifier.Decision) classifier.Decision {
			return classifier.Decision{Verdict: classifier.Fail, Reason: "not-today"}
		}}, 1},
		{"Decide may allow what is safe", "GET", play(status(404)), retry.Policy{Decide: again}, 3},
		{"Decide may not allow what is not", "POST", play(status(500)), retry.Policy{Decide: again}, 1},
		{"unless it is said to be Unsafe", "POST", play(status(500)), retry.Policy{Decide: again, Unsafe: true}, 3},
	}
	for _, row := range rows {
		t.Run(row.why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				body := ""
				if !slices.Contains([]string{"GET", "HEAD"}, row.method) {
					body = "x"
				}
				tr := &retry.Transport{Base: row.base, Policy: row.policy}
				resp, err := tr.RoundTrip(request(t, t.Context(), row.method, body))
				var got int
				switch e, ok := err.(*retry.Error); {
				case err == nil:
					got = len(retry.Attempts(resp))
					resp.Body.Close()
				case ok:
					got = len(e.Attempts)
				default:
					got = 1
				}
				if got != row.want {
					t.Errorf("%d attempts, want %d (%v)", got, row.want, err)
				}
				if s := tr.Stats(); s.Attempts != int64(row.want) || s.Operations != 1 {
					t.Errorf("stats %+v", s)
				}
			})
		})
	}
}

// again is a Decide that always wants another try.
func again(_ classifier.Failure, d classifier.Decision) classifier.Decision {
	return classifier.Decision{Verdict: classifier.Retry, Reason: d.Reason}
}

// A base that calls no hooks has not said that it sent nothing.
func TestTheSilenceOfABaseProvesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		silent := roundTripper(func(r *http.Request) (*http.Response, error) {
			calls++
			<-r.Context().Done()
			return nil, r.Context().Err()
		})
		p := steady()
		p.AttemptTimeout = time.Second
		_, err := (&retry.Transport{Base: silent, Policy: p}).RoundTrip(request(t, t.Context(), "POST", "x"))
		if err != context.DeadlineExceeded || calls != 1 {
			t.Errorf("%v after %d requests, want 1: it may have been acted on", err, calls)
		}
		if _, err := (&retry.Transport{Base: silent, Policy: p}).RoundTrip(request(t, t.Context(), "GET", "")); err == nil || calls != 4 {
			t.Errorf("%v after %d requests of a GET, want 3", err, calls-1)
		}
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// Idempotent may look at a request in ways that cost something, or count.
func TestTheCallerIsAskedOnceWhetherARequestIsIdempotent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		p := retry.Policy{Idempotent: func(*http.Request) bool { asked++; return true }}
		resp, err := (&retry.Transport{Base: play(status(500)), Policy: p}).RoundTrip(request(t, t.Context(), "POST", "x"))
		if err != nil {
			t.Fatal(err)
		}
		read(t, resp)
		if a := retry.Attempts(resp); asked != 1 || len(a) != 3 || a[0].Reason != retry.SaidIdempotent {
			t.Errorf("asked %d times: %+v", asked, a)
		}
	})
}

func TestABudgetEndsWhatWouldBeTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := steady()
		p.Backoff.Base, p.Backoff.Cap = time.Microsecond, time.Microsecond
		tr := &retry.Transport{Base: play(status(503)), Policy: p}
		for range 40 {
			resp, err := tr.RoundTrip(request(t, t.Context(), "GET", ""))
			if err != nil {
				t.Fatal(err)
			}
			read(t, resp)
		}
		s := tr.Stats()
		if s.Operations != 40 || s.Retries() != 10+40/5 || s.BudgetUsedUp == 0 || s.Stopped != 40 {
			t.Errorf("%+v, %d retries; want the ten that are free, and one for every fifth request", s, s.Retries())
		}
		resp, err := tr.RoundTrip(request(t, t.Context(), "GET", ""))
		if err != nil {
			t.Fatal(err)
		}
		read(t, resp)
		if r, _ := retry.ReportOf(resp); r.Reason != retry.BudgetUsedUp || r.Outcome() != "stopped" {
			t.Errorf("%+v", r)
		}
	})
}

// A wait that is broken off costs nothing.
func TestARetryThatIsNotMadeIsGivenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := &retry.Transport{Base: play(status(503)), Policy: steady()}
		for range 30 {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Millisecond, cancel)
			if _, err := tr.RoundTrip(request(t, ctx, "GET", "")); !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
		}
		if s := tr.Stats(); s.BudgetUsedUp != 0 {
			t.Errorf("%+v", s)
		}
	})
}

func TestThePolicyOfAContextReplacesTheTransports(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		count := func(ctx context.Context, err error) (int, error) {
			base := play(fails(err))
			_, out := (&retry.Transport{Base: base}).RoundTrip(request(t, ctx, "GET", ""))
			return len(base.sent), out
		}
		if n, _ := count(t.Context(), io.EOF); n != 3 {
			t.Errorf("%d attempts, want 3", n)
		}
		if n, _ := count(retry.WithPolicy(t.Context(), retry.Policy{MaxAttempts: 2}), io.EOF); n != 2 {
			t.Errorf("%d attempts, want 2", n)
		}
		if n, err := count(retry.Off(t.Context()), io.EOF); n != 1 || err != io.EOF {
			t.Errorf("%d attempts and %v, want 1 and the error as it is", n, err)
		}
	})
}

func TestOnRetryIsToldBeforeTheWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []time.Duration
		start := time.Now()
		p := steady()
		p.OnRetry = func(e retry.Event) {
			told = append(told, time.Since(start))
			if e.Method != "GET" || e.URL != "http://lab/charge" || e.Wait != time.Duration(len(told))*time.Second {
				t.Errorf("%+v", e)
			}
		}
		resp, err := (&retry.Transport{Base: play(status(503)), Policy: p}).RoundTrip(request(t, t.Context(), "GET", ""))
		if err != nil {
			t.Fatal(err)
		}
		read(t, resp)
		if !slices.Equal(told, []time.Duration{0, time.Second}) {
			t.Errorf("told at %v", told)
		}
	})
}
