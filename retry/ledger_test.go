package retry_test

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/retry-lab/retry-lab/classifier"
	"github.com/retry-lab/retry-lab/retry"
	"github.com/retry-lab/retry-lab/servers"
)

// quick is the policy of the loopback tests: the waits are short, and of the
// rest nothing is changed.
func quick() retry.Policy {
	return retry.Policy{
		Backoff:       retry.Backoff{Base: 2 * time.Millisecond, Cap: 20 * time.Millisecond},
		AttemptHeader: servers.AttemptHeader,
	}
}

// transport is a retrying one with a base of its own.
func transport(t testing.TB, p retry.Policy, change func(*http.Transport)) *retry.Transport {
	t.Helper()
	base := &http.Transport{}
	if change != nil {
		change(base)
	}
	tr := &retry.Transport{Base: retry.Counting(base), Policy: p}
	t.Cleanup(tr.CloseIdleConnections)
	return tr
}

// sendTo sends one request; key "" is none.
func sendTo(t testing.TB, tr http.RoundTripper, ctx context.Context, method, url, body, key string) (*http.Response, error) {
	t.Helper()
	var r *http.Request
	var err error
	if body == "" {
		r, err = http.NewRequestWithContext(ctx, method, url, nil)
	} else {
		r, err = http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	}
	if err != nil {
		t.Fatal(err)
	}
	if key != "" {
		r.Header.Set(servers.KeyHeader, key)
	}
	return tr.RoundTrip(r)
}

// warm leaves an idle connection behind. net/http may not keep the first: if its
// writer has not said within 50 ms of the answer that the request is written,
// as on a busy machine, the connection is closed.
func warm(t *testing.T, tr *retry.Transport, url string) {
	t.Helper()
	for kept := false; !kept; {
		ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
			PutIdleConn: func(err error) { kept = err == nil }, // before there is a response
		})
		resp, err := sendTo(t, tr, retry.Off(ctx), "GET", url+servers.WarmUpPath, "", "")
		if err != nil {
			t.Fatal(err)
		}
		read(t, resp)
	}
}

func honoured() *retry.KeyPolicy { return &retry.KeyPolicy{} }

// What net/http does by itself is what the policy does now, or does not do.
func TestAStaleConnectionIsThePolicysBusiness(t *testing.T) {
	rows := []struct {
		why                   string
		method, key           string
		policy                func(*retry.Policy)
		attempts              int
		deliveries, committed int
		verdict               classifier.Verdict
	}{
		{"a GET is tried again", "GET", "", nil, 2, 2, 0, classifier.Done},
		{"a bare POST is not: it was acted on", "POST", "", nil, 1, 1, 1, classifier.Ambiguous},
		{"a PUT is", "PUT", "", nil, 2, 2, 2, classifier.Done},
		{"a key that nobody is known to honour changes nothing", "POST", "k", nil, 1, 1, 1, classifier.Ambiguous},
		{"one that is honoured does", "POST", "k", func(p *retry.Policy) { p.Key = honoured() }, 2, 2, 1, classifier.Done},
	}
	for _, end := range []string{servers.EndedFIN, servers.EndedRST} {
		for _, row := range rows {
			t.Run(end+": "+row.why, func(t *testing.T) {
				srv := servers.Must[*servers.Stale](t)(servers.NewStale(servers.StaleOptions{End: end}))
				p := quick()
				if row.policy != nil {
					row.policy(&p)
				}
				var report retry.Report
				p.OnDone = func(r retry.Report) { report = r }
				tr := transport(t, p, nil)
				warm(t, tr, srv.URL())
				body := ""
				if row.method != "GET" {
					body = "amount=4200"
				}
				resp, err := sendTo(t, tr, t.Context(), row.method, srv.URL(), body, row.key)
				if err == nil {
					read(t, resp)
				}
				r := srv.Finish(time.Time{})
				if got := len(r.Asked()); got != row.deliveries || r.Committed() != row.committed || r.Replays() != 0 {
					t.Errorf("%d deliveries, %d committed, %d replays; want %d, %d, 0", got, r.Committed(), r.Replays(), row.deliveries, row.committed)
				}
				if len(report.Attempts) != row.attempts || report.Verdict != row.verdict {
					t.Errorf("%v: %+v", err, report)
				}
				if first := report.Attempts[0]; row.method == "GET" && first.Wait != 0 {
					t.Errorf("net/http would not have waited %v", first.Wait)
				}
			})
		}
	}
}

func overHTTP2(t *testing.T, f func(t *testing.T, o servers.HTTP2Options, change func(*http.Transport))) {
	t.Run("h2c", func(t *testing.T) {
		f(t, servers.HTTP2Options{}, func(tr *http.Transport) {
			tr.Protocols = new(http.Protocols)
			tr.Protocols.SetUnencryptedHTTP2(true)
		})
	})
	t.Run("tls", func(t *testing.T) {
		a, err := servers.NewAuthority()
		if err != nil {
			t.Fatal(err)
		}
		cert, err := a.Issue(servers.CertOptions{})
		if err != nil {
			t.Fatal(err)
		}
		o := servers.HTTP2Options{Options: servers.Options{TLS: &tls.Config{Certificates: []tls.Certificate{cert}}}}
		f(t, o, func(tr *http.Transport) {
			tr.TLSClientConfig, tr.ForceAttemptHTTP2 = &tls.Config{RootCAs: a.Pool()}, true
		})
	})
}

func TestHTTP2FaultsAreThePolicysBusiness(t *testing.T) {
	rows := []struct {
		fault, method        string
		attempts, deliveries int
		committed            int
		verdict              classifier.Verdict
	}{
		{"refused-stream", "POST", 2, 2, 1, classifier.Done},
		{"refused-stream", "GET", 2, 2, 1, classifier.Done},
		{"goaway-above", "POST", 2, 2, 1, classifier.Done},
		{"protocol-error", "POST", 1, 1, 1, classifier.Ambiguous},
		{"protocol-error", "GET", 2, 2, 2, classifier.Done},
		{"internal-error", "POST", 1, 1, 1, classifier.Ambiguous},
		{"internal-error", "PUT", 2, 2, 2, classifier.Done},
		{"connection-lost", "POST", 1, 1, 1, classifier.Ambiguous},
		{"goaway-below", "POST", 1, 1, 1, classifier.Ambiguous},
		{"goaway-below", "GET", 2, 2, 2, classifier.Done},
	}
	overHTTP2(t, func(t *testing.T, o servers.HTTP2Options, change func(*http.Transport)) {
		for _, row := range rows {
			t.Run(row.fault+" "+row.method, func(t *testing.T) {
				srv := servers.Must[*servers.Server](t)(servers.NewHTTP2Fault(servers.HTTP2FaultOptions{HTTP2Options: o, Fault: row.fault, First: 1}))
				p := quick()
				var report retry.Report
				p.OnDone = func(r retry.Report) { report = r }
				tr := transport(t, p, change)
				body := "amount=4200"
				if row.method == "GET" {
					body = ""
				}
				resp, err := sendTo(t, tr, t.Context(), row.method, srv.URL(), body, "")
				if err == nil {
					read(t, resp)
				}
				tr.CloseIdleConnections()
				r := srv.Finish(time.Time{})
				if got := len(r.Asked()); got != row.deliveries || r.Committed() != row.committed || r.Replays() != 0 || len(report.Attempts) != row.attempts || report.Verdict != row.verdict {
					t.Errorf("%d deliveries, %d committed, %d replays (%v)\nreport %+v", got, r.Committed(), r.Replays(), err, report)
				}
			})
		}
	})
}

// A POST without a body has no GetBody to hide: it is net/http that is stopped
// when it asks for another stream, and it tells nobody why it does.
func TestWhyAnHTTP2RequestWithoutABodyWasRefusedIsNotKnown(t *testing.T) {
	overHTTP2(t, func(t *testing.T, o servers.HTTP2Options, change func(*http.Transport)) {
		srv := servers.Must[*servers.Server](t)(servers.NewHTTP2Fault(servers.HTTP2FaultOptions{HTTP2Options: o, Fault: "refused-stream", First: 1}))
		p := quick()
		var report retry.Report
		p.OnDone = func(r retry.Report) { report = r }
		tr := transport(t, p, change)
		_, err := sendTo(t, tr, t.Context(), "POST", srv.URL(), "", "")
		tr.CloseIdleConnections()
		if n := len(srv.Finish(time.Time{}).Asked()); n != 1 || report.Outcome() != "ambiguous" || report.Replays != 0 {
			t.Errorf("%v after %d deliveries; report %+v", err, n, report)
		}
	})
}

func TestHTTP1IsUsedWhereTheServerWantsIt(t *testing.T) {
	overHTTP2(t, func(t *testing.T, o servers.HTTP2Options, change func(*http.Transport)) {
		srv := servers.Must[*servers.Server](t)(servers.NewHTTP2Fault(servers.HTTP2FaultOptions{HTTP2Options: o, Fault: "http11-required"}))
		tr := transport(t, quick(), change)
		resp, err := sendTo(t, tr, t.Context(), "GET", srv.URL(), "", "")
		if err != nil {
			t.Fatal(err)
		}
		read(t, resp)
		if a := retry.Attempts(resp); resp.ProtoMajor != 1 || len(a) != 2 || a[0].Modify != classifier.ModifyHTTP1 {
			t.Errorf("%s after %+v", resp.Proto, a)
		}
	})
}

// The client gives up on a charge that the server has made, and tries again.
func TestAChargeIsMadeOnce(t *testing.T) {
	rows := []struct {
		why     string
		key     *retry.KeyPolicy
		charges int
		outcome string
	}{
		{"a bare POST is not sent again, and says so", nil, 1, "ambiguous"},
		{"with a key it is, and the charge is not", &retry.KeyPolicy{Auto: true}, 1, "success"},
	}
	for _, row := range rows {
		t.Run(row.why, func(t *testing.T) {
			srv := servers.Must[*servers.Charge](t)(servers.NewCharge(servers.ChargeOptions{BeforeAnswer: time.Hour}))
			p := quick()
			p.Key = row.key
			var report retry.Report
			p.OnDone = func(r retry.Report) { report = r }
			ctx, giveUp := context.WithCancelCause(t.Context())
			defer giveUp(nil)
			tr := &retry.Transport{Base: patient{t, retry.Counting(&http.Transport{}), srv.Ledger()}, Policy: p}
			defer tr.CloseIdleConnections()
			resp, err := sendTo(t, tr, ctx, "POST", srv.URL(), "amount=4200", "")
			if err == nil {
				read(t, resp)
			}
			if got := srv.Count(); got != row.charges || report.Outcome() != row.outcome || report.Processed == classifier.Never {
				t.Errorf("%d charges, %v; report %+v", got, err, report)
			}
		})
	}
}

// patient is a base that gives up an attempt as soon as the server has
// committed it, as if its timer had run out.
type patient struct {
	t      *testing.T
	next   *http.Transport
	ledger *servers.Ledger
}

func (p patient) CloseIdleConnections() { p.next.CloseIdleConnections() }

func (p patient) RoundTrip(r *http.Request) (*http.Response, error) {
	n, err := strconv.Atoi(r.Header.Get(servers.AttemptHeader))
	if err != nil {
		p.t.Error(err)
	}
	ctx, cancel := context.WithDeadline(r.Context(), time.Now().Add(time.Hour))
	defer cancel()
	if n == 1 {
		expired, expire := context.WithDeadlineCause(ctx, time.Now().Add(-time.Second), nil)
		defer expire()
		done := make(chan struct{})
		soon, stop := context.WithCancel(ctx)
		defer stop()
		go func() {
			defer close(done)
			if p.ledger.Await(soon, func(rec servers.Record) bool { return rec.Committed() == 1 }) == nil {
				stop()
			}
		}()
		_, err := p.next.RoundTrip(r.WithContext(soon))
		stop()
		<-done
		if err != nil {
			return nil, expired.Err()
		}
	}
	return p.next.RoundTrip(r)
}

func TestWhatWasNeverSentIsSentAgain(t *testing.T) {
	dead := servers.Must[*servers.Refused](t)(servers.NewRefused())
	srv := servers.Must[*servers.Server](t)(servers.NewCommitted(servers.Options{}, 200, nil))
	dials := 0
	tr := transport(t, quick(), func(tr *http.Transport) {
		tr.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
			if dials++; dials <= 2 {
				addr = dead.Addr()
			}
			return (&net.Dialer{}).DialContext(ctx, network, addr)
		}
	})
	resp, err := sendTo(t, tr, t.Context(), "POST", srv.URL(), "amount=4200", "")
	if err != nil {
		t.Fatal(err)
	}
	read(t, resp)
	a := retry.Attempts(resp)
	if r := srv.Finish(time.Time{}); len(a) != 3 || r.Committed() != 1 || a[0].Code != "ECONNREFUSED" || a[0].Basis != classifier.Guaranteed {
		t.Errorf("%d committed after %+v", r.Committed(), a)
	}
}

func TestFaultsAfterTheRequestWasSent(t *testing.T) {
	reset := func() (*servers.Server, error) { return servers.NewReset(servers.Options{}) }
	truncated := func() (*servers.Server, error) { return servers.NewBroken(servers.Options{}, servers.TruncatedHead) }
	rows := []struct {
		why     string
		server  func() (*servers.Server, error)
		method  string
		most    int // deliveries
		outcome string
		worst   classifier.Processed
	}{
		{"a GET that is reset is tried three times", reset, "GET", 3, "stopped", classifier.Maybe},
		{"a bare POST once", reset, "POST", 1, "ambiguous", classifier.Maybe},
		{"a GET whose answer breaks off in the head", truncated, "GET", 3, "stopped", classifier.Yes},
		{"a bare POST whose answer does: it was answered", truncated, "POST", 1, "failed", classifier.Yes},
	}
	for _, row := range rows {
		t.Run(row.why, func(t *testing.T) {
			srv := servers.Must[*servers.Server](t)(row.server())
			p := quick()
			var report retry.Report
			p.OnDone = func(r retry.Report) { report = r }
			body := ""
			if row.method == "POST" {
				body = "amount=4200"
			}
			if _, err := sendTo(t, transport(t, p, nil), t.Context(), row.method, srv.URL(), body, ""); err == nil {
				t.Fatal("answered")
			}
			if r := srv.Finish(time.Time{}); len(r.Asked()) != row.most || report.Outcome() != row.outcome || report.Processed != row.worst {
				t.Errorf("%d deliveries; report %+v", len(r.Asked()), report)
			}
		})
	}
}

func TestALimitedRateIsObeyed(t *testing.T) {
	srv := servers.Must[*servers.Server](t)(servers.NewRateLimit(servers.Options{}, time.Hour))
	var asked []time.Duration
	p := quick()
	p.Backoff.Jitter = retry.NoJitter
	p.MaxWait = 2 * time.Hour
	p.Sleep = func(_ context.Context, d time.Duration) error { asked = append(asked, d); return nil }
	resp, err := sendTo(t, transport(t, p, nil), t.Context(), "POST", srv.URL(), "amount=4200", "")
	if err != nil {
		t.Fatal(err)
	}
	read(t, resp)
	if len(asked) != 2 || asked[0] != time.Hour || asked[1] < time.Hour-time.Minute {
		t.Errorf("waits %v, want what the server asked for", asked)
	}
}

func TestAClientsRedirectsAreKnown(t *testing.T) {
	dead := servers.Must[*servers.Refused](t)(servers.NewRefused())
	for _, row := range []struct {
		status    int
		processed classifier.Processed
	}{
		{303, classifier.Yes},
		{307, classifier.Never},
		{308, classifier.Never},
	} {
		srv := servers.Must[*servers.Server](t)(servers.NewRedirect(servers.RedirectOptions{Status: row.status, To: dead.URL()}))
		client := &http.Client{Transport: transport(t, quick(), nil)}
		_, err := client.Post(srv.URL(), "text/plain", strings.NewReader("amount=4200"))
		e, ok := errors.AsType[*retry.Error](err)
		if !ok || e.Processed != row.processed || len(e.Attempts) != 3 {
			t.Errorf("%d: %v, want processed %s", row.status, err, row.processed)
		}
	}
}

func TestARedirectThatKeepsTheMethodSendsTheBodyAgain(t *testing.T) {
	for _, status := range []int{307, 308} {
		end := servers.Must[*servers.Server](t)(servers.NewCommitted(servers.Options{}, 200, nil))
		srv := servers.Must[*servers.Server](t)(servers.NewRedirect(servers.RedirectOptions{Status: status, To: end.URL()}))
		client := &http.Client{Transport: transport(t, quick(), nil)}
		resp, err := client.Post(srv.URL(), "text/plain", strings.NewReader("amount=4200"))
		if err != nil {
			t.Fatal(err)
		}
		read(t, resp)
		first, last := srv.Finish(time.Time{}).Asked(), end.Finish(time.Time{}).Asked()
		if len(first) != 1 || len(last) != 1 || last[0].Method != "POST" || last[0].BodySHA256 != first[0].BodySHA256 {
			t.Errorf("%d: %+v, then %+v", status, first, last)
		}
	}
}

func TestARedirectKeepsTheKey(t *testing.T) {
	n := 0
	for _, row := range []struct {
		status int
		key    retry.KeyPolicy
		same   bool // the second request has the first one's key; else none
	}{
		{307, retry.KeyPolicy{Auto: true}, true},
		{308, retry.KeyPolicy{New: func(*http.Request) (string, error) { n++; return strconv.Itoa(n), nil }}, true},
		{303, retry.KeyPolicy{Auto: true}, false},
	} {
		end := servers.Must[*servers.Server](t)(servers.NewCommitted(servers.Options{}, 200, nil))
		srv := servers.Must[*servers.Server](t)(servers.NewRedirect(servers.RedirectOptions{Status: row.status, To: end.URL()}))
		p := quick()
		p.Key = &row.key
		client := &http.Client{Transport: transport(t, p, nil)}
		resp, err := client.Post(srv.URL(), "text/plain", strings.NewReader("amount=4200"))
		if err != nil {
			t.Fatal(err)
		}
		read(t, resp)
		first, last := srv.Finish(time.Time{}).Asked()[0].Key, end.Finish(time.Time{}).Asked()[0].Key
		if want := map[bool]string{true: first}[row.same]; first == "" || last != want {
			t.Errorf("%d: key %q, then %q; want %q", row.status, first, last, want)
		}
	}
}

// net/http would send it again at once; so does the policy, the first time, and
// waits from then on.
func TestWhatNetHTTPWouldSendAgainIsSentAgainAsSoon(t *testing.T) {
	o := servers.HTTP2Options{}
	srv := servers.Must[*servers.Server](t)(servers.NewHTTP2Fault(servers.HTTP2FaultOptions{HTTP2Options: o, Fault: "refused-stream"}))
	var waits []time.Duration
	p := quick()
	p.Budget = retry.Budget{MaxRetries: 1}
	p.Sleep = func(_ context.Context, d time.Duration) error { waits = append(waits, d); return nil }
	p.Backoff = retry.Backoff{Base: time.Second, Jitter: retry.NoJitter}
	tr := transport(t, p, func(tr *http.Transport) {
		tr.Protocols = new(http.Protocols)
		tr.Protocols.SetUnencryptedHTTP2(true)
	})
	for _, method := range []string{"GET", "POST"} {
		waits = nil
		body := ""
		if method == "POST" {
			body = "amount=4200"
		}
		_, err := sendTo(t, tr, t.Context(), method, srv.URL(), body, "")
		e, ok := errors.AsType[*retry.Error](err)
		if !ok || len(waits) == 0 || waits[0] != 0 {
			t.Fatalf("%s: %v after waits of %v", method, err, waits)
		}
		if len(waits) > 1 && waits[1] < time.Second {
			t.Errorf("%s: waits of %v", method, waits)
		}
		// One retry is all the budget has, and the first is not at its expense.
		if want := map[string]int{"GET": 3, "POST": 2}[method]; len(e.Attempts) != want {
			t.Errorf("%s: %d attempts, want %d: %v", method, len(e.Attempts), want, err)
		}
	}
}
