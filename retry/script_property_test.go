package retry_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/retry-lab/retry-lab/classifier"
	"github.com/retry-lab/retry-lab/retry"
	"github.com/retry-lab/retry-lab/servers"
)

// Any script of faults, met with any request under any policy, over real
// connections. What a server says of itself is true here: a fault that promises
// that nothing was done commits nothing.

// promises commit nothing; doubts may have committed.
var (
	promises = []string{"307", "308", "400", "401", "404", "408", "411", "413", "417", "421", "425", "429", "501", "503", "reset-head", "early-413"}
	doubts   = []string{"303", "500", "502", "504", "reset", "fin", "silent", "truncated", "truncated-reset", "body-stall", "slow"}

	doubts1   = []string{"truncated-chunked", "head-stall", "malformed"}
	promises2 = []string{"refused-stream", "goaway-above"}
	doubts2   = []string{"goaway-below", "protocol-error", "internal-error", "cancel", "enhance-your-calm", "http11-required"}
)

// line is a way to an Origin: a protocol, and a net/http transport for it.
type line struct {
	name   string
	origin *servers.Origin
	base   *openBodies
	faults [2][]string // promises, doubts
}

// openBodies is a base that counts the bodies that nobody has closed.
type openBodies struct {
	*http.Transport
	open atomic.Int64
}

func (b *openBodies) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := b.Transport.RoundTrip(r)
	if err == nil {
		b.open.Add(1)
		resp.Body = &openBody{ReadCloser: resp.Body, of: b}
	}
	return resp, err
}

type openBody struct {
	io.ReadCloser
	of   *openBodies
	once sync.Once
}

func (b *openBody) Close() error {
	b.once.Do(func() { b.of.open.Add(-1) })
	return b.ReadCloser.Close()
}

// lines are the ways that a script is tried over.
func lines(t *testing.T) []line {
	t.Helper()
	plain := servers.NewOrigin(t)
	ca, err := servers.NewAuthority()
	if err != nil {
		t.Fatal(err)
	}
	cert, err := ca.Issue(servers.CertOptions{})
	if err != nil {
		t.Fatal(err)
	}
	secured := servers.Must[*servers.Origin](t)(servers.OpenOrigin(servers.OriginOptions{
		Options: servers.Options{TLS: &tls.Config{Certificates: []tls.Certificate{cert}, NextProtos: []string{"h2", "http/1.1"}}},
	}))
	trust := &tls.Config{RootCAs: ca.Pool()}
	over1 := [2][]string{promises, slices.Concat(doubts, doubts1)}
	over2 := [2][]string{slices.Concat(promises, promises2), slices.Concat(doubts, doubts2)}
	list := []line{
		{"HTTP/1.1", plain, &openBodies{Transport: &http.Transport{ExpectContinueTimeout: 10 * time.Millisecond}}, over1},
		{"HTTP/1.1, one connection a request", plain, &openBodies{Transport: &http.Transport{DisableKeepAlives: true}}, over1},
		{"HTTP/1.1 over TLS, one connection", secured, &openBodies{Transport: &http.Transport{TLSClientConfig: trust, MaxConnsPerHost: 1}}, over1},
		{"HTTP/2", secured, &openBodies{Transport: &http.Transport{TLSClientConfig: trust, ForceAttemptHTTP2: true}}, over2},
		{"HTTP/2, one connection", secured, &openBodies{Transport: &http.Transport{TLSClientConfig: trust, ForceAttemptHTTP2: true, MaxConnsPerHost: 1}}, over2},
	}
	for _, l := range list {
		l.base.Transport = retry.Counting(l.base.Transport)
		t.Cleanup(l.base.CloseIdleConnections)
	}
	return list
}

// run is one request, and what became of it.
type run struct {
	line   line
	call   *servers.Call
	policy retry.Policy
	asked  map[int]time.Duration // Retry-After by status
	body   string
	key    string
	kind   string // of body
	waits  []time.Duration
	report []retry.Report // one a hop
	resp   *http.Response
	err    error
	readTo error // the end of the response's body
}

const payload = "amount=4200&currency=EUR"

func drawRun(t *rapid.T, ways []line) *run {
	w := &run{line: rapid.SampledFrom(ways).Draw(t, "line"), asked: map[int]time.Duration{}}
	w.policy = retry.Policy{
		MaxAttempts:    rapid.IntRange(0, 5).Draw(t, "attempts"),
		SingleRetry:    rapid.Float64Range(0, 1).Draw(t, "single") > 0.9,
		Strict:         rapid.Bool().Draw(t, "strict"),
		AttemptTimeout: 40 * time.Millisecond,
		Backoff:        retry.Backoff{Strategy: retry.Strategy(rapid.IntRange(0, 3).Draw(t, "strategy")), Jitter: retry.NoJitter},
		Budget:         retry.Budget{Off: true},
		ErrorOnStatus:  rapid.Bool().Draw(t, "error on status"),
		AttemptHeader:  servers.AttemptHeader,
		BufferBody:     rapid.SampledFrom([]int64{0, -1, 10}).Draw(t, "buffer"),
		OnDone:         func(r retry.Report) { w.report = append(w.report, r) },
		Sleep: func(ctx context.Context, d time.Duration) error {
			w.waits = append(w.waits, d)
			return ctx.Err()
		},
	}
	if rapid.Bool().Draw(t, "refetch") {
		w.policy.RefetchTruncated = rapid.Int64Range(1, 200).Draw(t, "refetched")
	}
	if rapid.Bool().Draw(t, "login") {
		w.policy.RefreshAuth = func(_ context.Context, next *http.Request, _ *http.Response) error {
			next.Header.Set("Authorization", "Bearer fresh")
			return nil
		}
	}
	if rapid.Bool().Draw(t, "meddling") {
		w.policy.Decide = func(_ classifier.Failure, d classifier.Decision) classifier.Decision {
			d.Verdict, d.Wait = classifier.Retry, 0
			return d
		}
	}
	if rapid.Bool().Draw(t, "lists") {
		w.policy.Statuses.Add = []int{404, 500}
		w.policy.Codes.Add = []classifier.Code{classifier.EOF, "MALFORMED"}
	}
	steps := make([]servers.Step, rapid.IntRange(1, 5).Draw(t, "steps"))
	for i := range steps {
		steps[i] = w.drawStep(t, i == len(steps)-1)
	}
	call, err := w.line.origin.Create(servers.Script{Steps: steps})
	if err != nil {
		t.Fatal(err)
	}
	w.call = call
	return w
}

func (w *run) drawStep(t *rapid.T, last bool) servers.Step {
	kinds := rapid.IntRange(0, 4).Draw(t, "kind")
	if kinds == 0 {
		return servers.Step{Fault: "200"} // commits
	}
	s := servers.Step{Fault: rapid.SampledFrom(w.line.faults[kinds%2]).Draw(t, "fault"), Commit: servers.CommitNone, PaceMS: 1}
	if kinds%2 == 1 {
		s.Commit = rapid.SampledFrom([]string{servers.CommitBefore, servers.CommitAfter, servers.CommitNone}).Draw(t, "commit")
	}
	s.DelayMS = float64(rapid.SampledFrom([]int{0, 0, 0, 2}).Draw(t, "delay"))
	status, err := strconv.Atoi(s.Fault)
	switch {
	case err == nil && status < 400 && last:
		return servers.Step{Fault: "200"} // or the client goes round for ever
	case err == nil && status < 400:
		s.Header = map[string]string{"Location": "/c/{call}/elsewhere"}
	case err == nil:
		if _, known := w.asked[status]; !known {
			w.asked[status] = time.Duration(rapid.SampledFrom([]int{0, 0, 3, 59, 7200}).Draw(t, "retry after")) * time.Second
		}
		if d := w.asked[status]; d > 0 {
			s.Header = map[string]string{"Retry-After": strconv.Itoa(int(d.Seconds()))}
		}
	}
	return s
}

// onlyReader hides what else a reader can, so that nobody can rewind it.
type onlyReader struct{ io.Reader }

type seekable struct{ *bytes.Reader }

func (seekable) Close() error { return nil }

// drawRequest makes one of the call.
func (w *run) drawRequest(t *rapid.T, ctx context.Context) *http.Request {
	method := rapid.SampledFrom([]string{"GET", "PUT", "DELETE", "POST", "POST", "POST", "PATCH"}).Draw(t, "method")
	w.kind = rapid.SampledFrom([]string{"none", "string", "stream", "seeker"}).Draw(t, "body")
	if method == "GET" {
		w.kind = "none"
	}
	var body io.Reader
	switch w.kind {
	case "string":
		body = strings.NewReader(payload)
	case "stream":
		body = onlyReader{strings.NewReader(payload)}
	case "seeker":
		body = seekable{bytes.NewReader([]byte(payload))}
	}
	r, err := http.NewRequestWithContext(ctx, method, w.call.URL(), body)
	if err != nil {
		t.Fatal(err)
	}
	if body != nil {
		w.body = payload
	}
	if w.kind == "seeker" && rapid.Bool().Draw(t, "length known") {
		r.ContentLength = int64(len(payload))
	}
	if rapid.Float64Range(0, 1).Draw(t, "expect") > 0.8 && body != nil {
		r.Header.Set("Expect", "100-continue")
	}
	r.Close = rapid.Float64Range(0, 1).Draw(t, "close") > 0.8
	switch rapid.IntRange(0, 3).Draw(t, "key") {
	case 0:
		w.key = "order-1"
		r.Header.Set(servers.KeyHeader, w.key)
		w.policy.Key = &retry.KeyPolicy{}
	case 1:
		w.policy.Key = &retry.KeyPolicy{Auto: true}
	}
	return r
}

// snapshot is what a caller can see of a request.
func snapshot(r *http.Request) string {
	return fmt.Sprint(r.Method, r.URL, r.Header, r.ContentLength, r.TransferEncoding, r.Close, r.Host, r.Body != nil, r.GetBody != nil, r.Trailer)
}

// send sends the request as a client does, and reads what comes.
func (w *run) send(t *rapid.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	client := &http.Client{}
	switch rapid.IntRange(0, 9).Draw(t, "patience") {
	case 0:
		cancel()
	case 1:
		client.Timeout = 30 * time.Millisecond
	case 2:
		w.policy.Deadline = 30 * time.Millisecond
	}
	r := w.drawRequest(t, ctx)
	before := snapshot(r)
	client.Transport = &retry.Transport{Base: w.line.base, Policy: w.policy}
	w.resp, w.err = client.Do(r)
	if w.err == nil {
		_, w.readTo = io.ReadAll(w.resp.Body)
		w.resp.Body.Close()
	}
	if after := snapshot(r); after != before {
		t.Errorf("the caller's request was %s and is %s", before, after)
	}
}

// settled is the call's record once nothing is under way.
func (w *run) settled(t *rapid.T) servers.CallRecord {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	for {
		r := w.call.Record()
		if r.InFlight == 0 {
			return r
		}
		if err := w.call.Await(ctx, 0, 2*time.Millisecond); err != nil {
			t.Fatalf("%v, with %d in flight", err, r.InFlight)
		}
	}
}

// checkResult: one of the two comes out, and nothing stays open.
func (w *run) checkResult(t *rapid.T) {
	if (w.resp == nil) == (w.err == nil) || len(w.report) == 0 {
		t.Fatalf("response %v, error %v, %d reports", w.resp, w.err, len(w.report))
	}
	if n := w.line.base.open.Load(); n != 0 {
		w.line.base.open.Store(0)
		t.Errorf("%d bodies of responses are open", n)
	}
	last := w.report[len(w.report)-1]
	if e, ok := errors.AsType[*retry.Error](w.err); ok && (e.Processed != last.Processed || len(e.Attempts) != len(last.Attempts)) {
		t.Errorf("the error says %+v, the report %+v", e, last)
	}
	if whole := w.err == nil && w.readTo == nil; whole && w.resp.StatusCode == 200 && last.Outcome() != "success" && w.policy.Decide == nil {
		t.Errorf("status 200 is %s because %s", last.Outcome(), last.Reason)
	}
}

// checkCharges: who commits twice has charged somebody twice.
func (w *run) checkCharges(t *rapid.T, r servers.CallRecord) {
	commits := map[string]int{}
	for _, d := range r.Ledger {
		if d.Committed {
			commits[d.Method]++
		}
		if d.Complete && d.Method != "GET" && d.BodyBytes != int64(len(w.body)) {
			t.Errorf("delivery %d has %d bytes of %d", d.N, d.BodyBytes, len(w.body))
		}
	}
	for _, method := range []string{"POST", "PATCH"} {
		if commits[method] > 1 {
			t.Errorf("%s (key %q, policy's %+v) committed %d times", method, w.key, w.policy.Key, commits[method])
		}
	}
	if last := w.report[len(w.report)-1]; last.Processed == classifier.Never && len(commits) > 0 {
		t.Errorf("never processed, and committed: %v", commits)
	}
	attempts := 0
	for _, rep := range w.report {
		attempts += len(rep.Attempts) + rep.Replays
	}
	if r.Deliveries > attempts {
		t.Errorf("%d deliveries of %d attempts", r.Deliveries, attempts)
	}
}

// checkAttempts: as many as the policy allows, and waits as it has them.
func (w *run) checkAttempts(t *rapid.T) {
	limit := w.policy.MaxAttempts
	if limit == 0 {
		limit = retry.DefaultMaxAttempts
	}
	if w.policy.SingleRetry {
		limit = min(limit, 2)
	}
	var waits []time.Duration
	for _, rep := range w.report {
		fresh, hasty := 0, 0
		for i, a := range rep.Attempts {
			if i == len(rep.Attempts)-1 {
				break
			}
			waits = append(waits, a.Wait)
			asked := w.asked[a.Status]
			if a.Modify == retry.ModifyCredentials {
				fresh++
			}
			switch {
			case a.Wait < asked:
				t.Errorf("waited %v after a %d that asked for %v", a.Wait, a.Status, asked)
			case a.Wait == 0 && a.Modify == "":
				hasty++
			case a.Wait != 0 && a.Wait != asked && a.Wait != w.policy.Backoff.Delay(a.N-fresh):
				t.Errorf("waited %v before retry %d", a.Wait, a.N)
			}
		}
		if len(rep.Attempts) > limit+fresh || fresh > 1 || hasty > 1 {
			t.Errorf("%d attempts of %d, %d with fresh credentials, %d retries without a wait", len(rep.Attempts), limit, fresh, hasty)
		}
	}
	broken := len(w.waits) == len(waits)+1 // the last one was broken off
	if !broken && !slices.Equal(w.waits, waits) {
		t.Errorf("waited %v, the attempts say %v", w.waits, waits)
	}
}

func TestNoScriptOfFaultsMakesAPolicyUnsafe(t *testing.T) {
	ways := lines(t)
	met := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		w := drawRun(t, ways)
		defer w.line.origin.Delete(w.call.ID())
		w.send(t)
		w.checkResult(t)
		w.checkAttempts(t)
		r := w.settled(t)
		w.checkCharges(t, r)
		met[w.report[len(w.report)-1].Outcome()]++
	})
	t.Logf("outcomes: %v", met)
	if !testing.Short() && !t.Failed() && (met["success"] == 0 || met["stopped"] == 0) {
		t.Error("the scripts test little")
	}
}
