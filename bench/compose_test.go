// These examples compose retry.Transport with a circuit breaker and a bulkhead
// of others: both go into Base, so that every attempt passes them.
package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/sony/gobreaker/v2"
	"golang.org/x/sync/semaphore"

	"github.com/retry-lab/retry-lab/retry"
)

// breaker counts attempts, and refuses them while it is open. What it refuses
// was not sent, and trying again now is of no use: retry.Halt.
type breaker struct {
	next http.RoundTripper
	cb   *gobreaker.CircuitBreaker[*http.Response]
}

func (b breaker) RoundTrip(r *http.Request) (*http.Response, error) {
	var answer *http.Response
	_, err := b.cb.Execute(func() (*http.Response, error) {
		var err error
		if answer, err = b.next.RoundTrip(r); err == nil && answer.StatusCode >= 500 {
			return nil, errServer // a failure to the breaker, an answer to us
		}
		return answer, err
	})
	switch {
	case errors.Is(err, gobreaker.ErrOpenState), errors.Is(err, gobreaker.ErrTooManyRequests):
		if r.Body != nil {
			r.Body.Close()
		}
		return nil, retry.Halt(err)
	case err == errServer:
		return answer, nil
	}
	return answer, err
}

var errServer = errors.New("server error")

func noWait(ctx context.Context, _ time.Duration) error { return ctx.Err() }

func Example_circuitBreaker() {
	asked := 0
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	defer api.Close()

	base := &http.Transport{}
	defer base.CloseIdleConnections()
	cb := gobreaker.NewCircuitBreaker[*http.Response](gobreaker.Settings{
		Name: "api", Timeout: time.Minute,
		ReadyToTrip: func(c gobreaker.Counts) bool { return c.ConsecutiveFailures >= 2 },
	})
	client := &http.Client{Transport: &retry.Transport{
		Base: breaker{base, cb}, Policy: retry.Policy{MaxAttempts: 5, Sleep: noWait},
	}}
	_, err := client.Get(api.URL)

	var failure *retry.Error
	if errors.As(err, &failure) {
		fmt.Println(failure.Code, failure.Reason, "after", len(failure.Attempts), "attempts, of which", asked, "reached the server")
	}
	fmt.Println(errors.Is(err, gobreaker.ErrOpenState))
	// Output:
	// STOPPED marked-halt after 3 attempts, of which 2 reached the server
	// true
}

// bulkhead bounds how many attempts are under way. One that finds no place in
// time was not sent: retry.Safe.
type bulkhead struct {
	next   http.RoundTripper
	places *semaphore.Weighted
	wait   time.Duration
}

func (b bulkhead) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(r.Context(), b.wait)
	defer cancel()
	if err := b.places.Acquire(ctx, 1); err != nil {
		if r.Body != nil {
			r.Body.Close()
		}
		if r.Context().Err() != nil {
			return nil, err // the caller's time, not ours
		}
		return nil, retry.Safe(fmt.Errorf("no place: %w", err))
	}
	defer b.places.Release(1) // the body is read without a place
	return b.next.RoundTrip(r)
}

func Example_bulkhead() {
	api := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer api.Close()

	base := &http.Transport{}
	defer base.CloseIdleConnections()
	places := semaphore.NewWeighted(1)
	places.Acquire(context.Background(), 1) // somebody else's attempt
	client := &http.Client{Transport: &retry.Transport{
		Base: bulkhead{base, places, 5 * time.Millisecond},
		Policy: retry.Policy{
			Sleep:   noWait,
			OnRetry: func(retry.Event) { places.Release(1) }, // which ends now
		},
	}}
	resp, err := client.Post(api.URL, "text/plain", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	for _, a := range retry.Attempts(resp) {
		fmt.Println(a.N, a.Code, a.Processed, a.Verdict, a.Reason)
	}
	// Output:
	// 1 TIMEOUT never retry not-sent
	// 2 HTTP_200 yes done success
}
