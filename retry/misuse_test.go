package retry_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/retry-lab/retry-lab/classifier"
	"github.com/retry-lab/retry-lab/retry"
	"github.com/retry-lab/retry-lab/servers"
)

// tracked is a body that knows whether it was closed.
type tracked struct {
	io.Reader
	closed atomic.Int32
}

func (b *tracked) Close() error { b.closed.Add(1); return nil }

// busy answers with a status and a body that is watched.
func busy(code int, body *tracked) step {
	return func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: code, Header: http.Header{}, Body: body}, nil
	}
}

// A service recovers from the panics of its handlers, and goes on.
func TestAPanicOfTheCallersLeavesNothingOpen(t *testing.T) {
	for why, set := range map[string]func(*retry.Policy){
		"Decide":     func(p *retry.Policy) { p.Decide = panics },
		"OnRetry":    func(p *retry.Policy) { p.OnRetry = func(retry.Event) { panic("OnRetry") } },
		"OnDone":     func(p *retry.Policy) { p.MaxAttempts, p.OnDone = 1, func(retry.Report) { panic("OnDone") } },
		"Sleep":      func(p *retry.Policy) { p.Sleep = func(context.Context, time.Duration) error { panic("Sleep") } },
		"Rand":       func(p *retry.Policy) { p.Rand = func() float64 { panic("Rand") } },
		"Now":        func(p *retry.Policy) { p.Now = func() time.Time { panic("Now") } },
		"Idempotent": func(p *retry.Policy) { p.Idempotent = func(*http.Request) bool { panic("Idempotent") } },
		"Store":      func(p *retry.Policy) { p.Budget.Store = panicking{} },
		"New": func(p *retry.Policy) {
			p.Key = &retry.KeyPolicy{New: func(*http.Request) (string, error) { panic("New") }}
		},
	} {
		p := retry.Policy{Deadline: time.Hour, AttemptTimeout: time.Minute}
		set(&p)
		asked, answered := &tracked{Reader: strings.NewReader("amount=4200")}, &tracked{Reader: strings.NewReader("busy")}
		var attempt context.Context
		base := play(func(r *http.Request) (*http.Response, error) {
			attempt = r.Context()
			return busy(503, answered)(r)
		})
		if _, err := recovered(&retry.Transport{Base: base, Policy: p}, put(t, asked)); err != nil {
			t.Fatalf("%s: %v, want a panic", why, err)
		}
		if asked.closed.Load() == 0 {
			t.Errorf("%s: the body of the request is open", why)
		}
		if attempt != nil && (answered.closed.Load() == 0 || attempt.Err() == nil) {
			t.Errorf("%s: the answer is open, or its attempt", why)
		}
	}
}

func panics(classifier.Failure, classifier.Decision) classifier.Decision { panic("Decide") }

type panicking struct{}

func (panicking) Withdraw(context.Context, retry.Withdrawal) (bool, error) { panic("Withdraw") }
func (panicking) Refund(context.Context, retry.Withdrawal) error           { panic("Refund") }

// recovered sends r and expects a panic; an error says that there was none.
func recovered(rt http.RoundTripper, r *http.Request) (p any, err error) {
	defer func() { p = recover() }()
	resp, err := rt.RoundTrip(r)
	if err == nil {
		resp.Body.Close()
	}
	return nil, errors.Join(errors.New("no panic"), err)
}

func put(t *testing.T, body io.Reader) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "PUT", "http://lab/charge", body)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestABaseThatBreaksTheRulesLosesNothing(t *testing.T) {
	odd := errors.New("odd")
	body := &tracked{Reader: strings.NewReader("x")}
	both := play(func(r *http.Request) (*http.Response, error) {
		resp, _ := busy(200, body)(r)
		return resp, odd
	})
	resp, err := (&retry.Transport{Base: both}).RoundTrip(request(t, t.Context(), "POST", "x"))
	if resp != nil || err != odd || body.closed.Load() == 0 {
		t.Errorf("a response and an error: %v, %v, closed %d; want the error", resp, err, body.closed.Load())
	}

	var attempt context.Context
	none := play(func(r *http.Request) (*http.Response, error) {
		attempt = r.Context()
		return &http.Response{StatusCode: 200, Header: http.Header{}}, nil
	})
	resp, err = (&retry.Transport{Base: none, Policy: retry.Policy{AttemptTimeout: time.Hour}}).RoundTrip(request(t, t.Context(), "GET", ""))
	if err != nil || resp.Body == nil || attempt.Err() == nil {
		t.Errorf("a response without a body: %+v, %v; want an empty one, and the attempt over", resp, err)
	}
}

// Request.Cancel is how callers gave up before there were contexts.
func TestRequestCancelEndsAWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cancel := make(chan struct{})
		r := request(t, t.Context(), "GET", "")
		//lint:ignore SA1019 that is what the test is about
		r.Cancel = cancel
		time.AfterFunc(300*time.Millisecond, func() { close(cancel) })
		start := time.Now()
		_, err := (&retry.Transport{Base: play(status(503)), Policy: steady()}).RoundTrip(r)
		e, ok := errors.AsType[*retry.Error](err)
		if took := time.Since(start); !ok || e.Reason != classifier.CallerCanceled || took != 300*time.Millisecond {
			t.Errorf("after %v: %v", took, err)
		}
	})
}

// stuck is a body whose Read waits for its Close, as that of a pipe or of
// another response does.
type stuck struct {
	begin  io.Reader
	closed chan struct{}
	once   sync.Once
}

func (b *stuck) Read(p []byte) (int, error) {
	if n, err := b.begin.Read(p); err == nil {
		return n, nil
	}
	<-b.closed
	return 0, io.ErrClosedPipe
}

func (b *stuck) Close() error { b.once.Do(func() { close(b.closed) }); return nil }

func TestABodyThatIsStillReadIsClosedWhenTheOperationIsOver(t *testing.T) {
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.ReadFull(r.Body, make([]byte, 3))
		w.WriteHeader(http.StatusBadRequest)
	}))
	srv.EnableHTTP2 = true
	srv.StartTLS()
	defer srv.Close()
	body := &stuck{begin: strings.NewReader("abc"), closed: make(chan struct{})}
	r, err := http.NewRequestWithContext(t.Context(), "POST", srv.URL, body)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := (&retry.Transport{Base: srv.Client().Transport}).RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	read(t, resp)
	<-body.closed // or the test hangs
}

// digest answers a challenge below the policy, with the same context.
type digest struct{ next http.RoundTripper }

func (d digest) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := d.next.RoundTrip(r)
	if err != nil || resp.StatusCode != http.StatusUnauthorized {
		return resp, err
	}
	_, err = io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
	again := r.Clone(r.Context())
	again.Header.Set("Authorization", "Digest response")
	again2, err2 := d.next.RoundTrip(again)
	return again2, errors.Join(err, err2)
}

func TestABaseMayAnswerAChallenge(t *testing.T) {
	for _, h2 := range []bool{false, true} {
		srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") == "" {
				w.WriteHeader(http.StatusUnauthorized)
			}
		}))
		srv.EnableHTTP2 = h2
		srv.StartTLS()
		defer srv.Close()
		tr := &retry.Transport{Base: digest{retry.Counting(srv.Client().Transport.(*http.Transport))}, Policy: quick()}
		for range 2 {
			resp, err := sendTo(t, tr, t.Context(), "GET", srv.URL, "", "")
			if err != nil {
				t.Fatalf("HTTP/2 %v: %v", h2, err)
			}
			read(t, resp)
			if got := retry.Attempts(resp); resp.StatusCode != 200 || len(got) != 1 {
				t.Errorf("HTTP/2 %v: status %d after %+v", h2, resp.StatusCode, got)
			}
		}
	}
}

// Whoever pages through a list makes the next request of the last one's answer.
func TestARequestMadeOfAnAnswerIsOnItsOwn(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		io.WriteString(w, r.Method+" "+string(b))
	}))
	defer srv.Close()
	for _, row := range []struct{ method, body string }{{"GET", ""}, {"PUT", "page"}} {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		tr := transport(t, quick(), nil)
		first, err := sendTo(t, tr, ctx, row.method, srv.URL, row.body, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, when := range []string{"while the first is read", "when it is closed"} {
			next := first.Request.Clone(first.Request.Context())
			if next.GetBody != nil {
				if next.Body, err = next.GetBody(); err != nil {
					t.Fatal(err)
				}
			}
			resp, err := tr.RoundTrip(next)
			if err != nil {
				t.Fatalf("%s, %s: %v", row.method, when, err)
			}
			if got := read(t, resp); got != row.method+" "+row.body {
				t.Errorf("%s, %s: sent %q", row.method, when, got)
			}
			if when == "while the first is read" {
				read(t, first)
			}
		}
		if len(retry.Attempts(first)) != 1 {
			t.Errorf("the attempts of the first: %+v", retry.Attempts(first))
		}
	}
}

func TestAPolicyBelowHasTheLastWord(t *testing.T) {
	var asked atomic.Int32
	srv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		asked.Add(1)
		panic(http.ErrAbortHandler)
	}))
	defer srv.Close()
	tr := &retry.Transport{Base: transport(t, quick(), nil), Policy: quick()}
	_, err := sendTo(t, tr, t.Context(), "GET", srv.URL, "", "")
	e, ok := errors.AsType[*retry.Error](err)
	if !ok || e.Code != retry.CodeMaxAttempts || asked.Load() != retry.DefaultMaxAttempts {
		t.Errorf("%v after %d requests, want one policy's %d", err, asked.Load(), retry.DefaultMaxAttempts)
	}
}

// A program that makes a client for every request has one pool of connections,
// as with http.DefaultTransport.
func TestTransportsWithoutABaseShareTheirConnections(t *testing.T) {
	var conns atomic.Int32
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	srv.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			conns.Add(1)
		}
	}
	srv.Start()
	defer srv.Close()
	warm := &retry.Transport{}
	defer warm.CloseIdleConnections()
	for range 10 {
		resp, err := sendTo(t, &retry.Transport{}, t.Context(), "GET", srv.URL, "", "")
		if err != nil {
			t.Fatal(err)
		}
		read(t, resp)
	}
	if n := conns.Load(); n > 5 { // net/http may close one that is busy too long
		t.Errorf("%d connections for 10 requests one after the other", n)
	}
}

// http.Client ends a request by its context and by Request.Cancel, in any order.
func TestTheTimeoutOfAClientIsADeadline(t *testing.T) {
	srv := servers.Must[*servers.Server](t)(servers.NewSilent(servers.Options{}))
	for range 20 {
		var report retry.Report
		p := quick()
		p.OnDone = func(r retry.Report) { report = r }
		tr := transport(t, p, nil)
		resp, err := (&http.Client{Transport: tr, Timeout: 20 * time.Millisecond}).Get(srv.URL())
		if err == nil {
			resp.Body.Close()
			t.Fatal("a silent server has answered")
		}
		if report.Reason != retry.PastDeadline || report.Outcome() != "stopped" {
			t.Fatalf("%s because %s: %v", report.Outcome(), report.Reason, err)
		}
	}
}
