package retry_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/retry-lab/retry-lab/retry"
)

// atOnce is a Sleep for examples: nobody waits for documentation.
func atOnce(ctx context.Context, _ time.Duration) error { return ctx.Err() }

// answering plays these statuses, the last one for ever.
func answering(statuses ...int) *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		status := statuses[0]
		if len(statuses) > 1 {
			statuses = statuses[1:]
		}
		w.WriteHeader(status)
	}))
}

// The commonest job: a client whose requests are tried again where that is
// safe. The zero policy is meant to be used.
func Example() {
	api := answering(503, 200)
	defer api.Close()

	client := &http.Client{Transport: &retry.Transport{Policy: retry.Policy{Sleep: atOnce}}}
	resp, err := client.Get(api.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	for _, a := range retry.Attempts(resp) {
		fmt.Println(a.N, a.Code, a.Verdict, a.Reason)
	}
	client.CloseIdleConnections()
	// Output:
	// 1 HTTP_503 retry server-did-no-work
	// 2 HTTP_200 done success
}

// Nothing needs to be set.
func ExampleTransport() {
	api := answering(200)
	defer api.Close()

	client := &http.Client{Transport: &retry.Transport{}}
	resp, err := client.Get(api.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	fmt.Println(resp.StatusCode)
	client.CloseIdleConnections()
	// Output: 200
}

// A payment: the server honours idempotency keys, so the POST may be sent
// again. One key is made for all attempts.
func Example_idempotencyKey() {
	keys := map[string]bool{}
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		keys[r.Header.Get("Idempotency-Key")] = true
		if r.Header.Get("X-Retry-Attempt") == "1" {
			w.WriteHeader(http.StatusBadGateway)
		}
	}))
	defer api.Close()

	client := &http.Client{Transport: &retry.Transport{Policy: retry.Policy{
		Key:           &retry.KeyPolicy{Auto: true, TTL: 24 * time.Hour},
		AttemptHeader: "X-Retry-Attempt",
		Sleep:         atOnce,
	}}}
	resp, err := client.Post(api.URL, "application/json", strings.NewReader(`{"amount":4200}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	fmt.Println(resp.StatusCode, "after", len(retry.Attempts(resp)), "attempts with", len(keys), "key")
	client.CloseIdleConnections()
	// Output: 200 after 2 attempts with 1 key
}

// What is not HTTP: a bare write is tried again only after an error that says
// that nothing was done.
func ExampleDo() {
	policy := retry.Policy{MaxAttempts: 4, Sleep: atOnce}
	busy := errors.New("queue is full")

	err := retry.Do(context.Background(), policy, retry.Op{Name: "enqueue"}, func(_ context.Context, attempt int) error {
		if attempt < 3 {
			return retry.Safe(busy) // refused, so nothing is in the queue
		}
		fmt.Println("enqueued at attempt", attempt)
		return nil
	})
	fmt.Println(err)

	err = retry.Do(context.Background(), policy, retry.Op{Name: "enqueue"}, func(context.Context, int) error {
		return io.ErrUnexpectedEOF // it may be in the queue
	})
	fmt.Println(err)
	// Output:
	// enqueued at attempt 3
	// <nil>
	// unexpected EOF
}

// "I could not find out" is not "no": a job that asks before it acts has to
// tell an answer from the lack of one.
func ExampleError() {
	nobody := failing{refusedDial()} // in place of a network
	client := &http.Client{Transport: &retry.Transport{Base: nobody, Policy: retry.Policy{Sleep: atOnce}}}
	_, err := client.Get("http://shop.example/published?day=monday")

	var failure *retry.Error
	if errors.As(err, &failure) {
		fmt.Println(failure)
		fmt.Println(failure.Code, len(failure.Attempts), errors.Is(err, retry.ErrExhausted))
	}
	// Output:
	// unreachable after 3 tries: http://shop.example/published?day=monday (dial tcp: connect: connection refused)
	// MAX_ATTEMPTS 3 true
}

// A call with little time: no attempt takes longer than a second, all of it no
// longer than three, and nothing is waited for that would come too late. One
// request gets a policy of its own, another none.
func ExampleWithPolicy() {
	api := answering(429)
	defer api.Close()

	transport := &retry.Transport{Policy: retry.Policy{Sleep: atOnce}}
	client := &http.Client{Transport: transport}
	hasty := retry.Policy{AttemptTimeout: time.Second, Deadline: 3 * time.Second, MaxAttempts: 2, Sleep: atOnce}
	for _, ctx := range []context.Context{
		context.Background(),
		retry.WithPolicy(context.Background(), hasty),
		retry.Off(context.Background()),
	} {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, api.URL, nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		resp, err := client.Do(r)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(resp.StatusCode, "after", len(retry.Attempts(resp)))
		resp.Body.Close()
	}
	client.CloseIdleConnections()
	// Output:
	// 429 after 3
	// 429 after 2
	// 429 after 1
}

func ExampleExplain() {
	fmt.Print(retry.Explain(retry.Policy{MaxAttempts: 4}))
	// Output:
	// up to 4 attempts
	// exponential waits from 1s to at most 30s, by a factor of 2, with full jitter
	// a server's wait is kept in full, up to 1m0s; a longer one ends the operation
	// sent again: idempotent requests, and any of which nothing was processed
	// budget: 20 % of the requests and 1 a second, kept for 10s, per origin
	//
	//   retry  min  median  max
	//       1   0s   500ms   1s
	//       2   0s      1s   2s
	//       3   0s      2s   4s
}
