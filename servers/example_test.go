package servers_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/retry-lab/retry-lab/servers"
)

// "My client must not resend this POST": the server resets every connection,
// and its ledger says how often the request was really delivered.
func ExampleNewReset() {
	srv, err := servers.NewReset(servers.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer srv.Close()

	// Your client goes here.
	_, err = http.Post(srv.URL()+"/pay", "text/plain", strings.NewReader("12 euros"))

	record := srv.Finish(time.Now())
	fmt.Println("the client failed:", err != nil)
	fmt.Println("delivered:", len(record.Deliveries), "saw:", record.Saw())
	// Output:
	// the client failed: true
	// delivered: 1 saw: request
}

// "My client must not charge twice": the charge is made at once, its answer does
// not come, and the client tries again, with the same key.
func ExampleNewCharge() {
	srv, err := servers.NewCharge(servers.ChargeOptions{BeforeAnswer: time.Hour})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer srv.Close()
	pay := func(ctx context.Context) (*http.Response, error) { // your client goes here
		req, err := http.NewRequestWithContext(ctx, "POST", srv.URL(), strings.NewReader("12 euros"))
		if err != nil {
			return nil, err
		}
		req.Header.Set(servers.KeyHeader, "order-5150")
		return http.DefaultClient.Do(req)
	}

	ctx, giveUp := context.WithCancel(context.Background())
	go func() { // as soon as the money is gone
		_ = srv.Ledger().Await(ctx, func(r servers.Record) bool { return r.Committed() == 1 })
		giveUp()
	}()
	_, err = pay(ctx)
	fmt.Println("first:", errors.Is(err, context.Canceled))

	r, err := pay(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	r.Body.Close()
	fmt.Println("second:", r.Status, "replayed:", r.Header.Get(servers.ReplayedHeader))
	fmt.Println("charges:", srv.Finish(time.Now()).Committed())
	// Output:
	// first: true
	// second: 200 OK replayed: true
	// charges: 1
}

// "My client must not resend this POST": the server reads it whole and resets
// the connection. A second delivery would be answered 200.
func ExampleNewOrigin() {
	t := &exampleT{} // in a test, the *testing.T
	defer t.end()
	call := servers.NewOrigin(t).Call("reset", "200")

	// Your client goes here.
	_, err := http.Post(call.URL()+"pay", "text/plain", strings.NewReader("12 euros"))

	fmt.Println("the client failed:", err != nil)
	fmt.Println("delivered:", call.Record().Deliveries)
	// Output:
	// the client failed: true
	// delivered: 1
}

// "My client may resend this POST, with its key": the work is done and the
// connection reset. The second delivery finds it done.
func ExampleOrigin_Script() {
	t := &exampleT{} // in a test, the *testing.T
	defer t.end()
	call := servers.NewOrigin(t).Script(servers.Script{Steps: []servers.Step{
		{Fault: "reset", Commit: servers.CommitBefore},
		{Fault: "200"},
	}})

	for range 2 { // your client goes here
		req, err := http.NewRequest("POST", call.URL()+"pay", strings.NewReader("12 euros"))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set(servers.KeyHeader, "order-5150")
		if res, err := http.DefaultClient.Do(req); err == nil {
			res.Body.Close()
			break
		}
	}

	record := call.Record()
	fmt.Println("delivered:", record.Deliveries, "worked:", record.Commits)
	// Output:
	// delivered: 2 worked: 1
}

// In a test, t is the *testing.T: the server starts or the test ends, and it is
// closed with the test.
func ExampleMust() {
	t := &exampleT{}
	defer t.end()

	srv := servers.Must[*servers.Server](t)(servers.NewStatus(servers.Options{}, 503, servers.Header("Retry-After", "1")))
	r, err := http.Post(srv.URL(), "text/plain", strings.NewReader("12 euros"))
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	fmt.Println(r.Status, "after", r.Header.Get("Retry-After"))
	// Output: 503 Service Unavailable after 1
}

// An exampleT stands for a *testing.T.
type exampleT struct{ cleanups []func() }

func (t *exampleT) Helper()           {}
func (t *exampleT) Cleanup(f func())  { t.cleanups = append(t.cleanups, f) }
func (t *exampleT) Fatal(args ...any) { panic(fmt.Sprint(args...)) }
func (t *exampleT) end() {
	for _, f := range t.cleanups {
		f()
	}
}
