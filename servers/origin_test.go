package servers

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// asked is one request, and what became of it.
type asked struct {
	status int
	body   string
	header http.Header
	err    error // of the answer or of its body
}

// request sends a request on a connection of its own unless c keeps them.
func request(t *testing.T, c *http.Client, method, url, body string, header ...string) asked {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, url, struct{ io.Reader }{strings.NewReader(body)})
	if err != nil {
		t.Fatal(err)
	}
	if body == "" {
		req.Body = http.NoBody
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := c.Do(req)
	if err != nil {
		return asked{err: err}
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	return asked{res.StatusCode, string(raw), res.Header, err}
}

// settled is the call's record once nothing is under way.
func settled(t *testing.T, c *Call) CallRecord {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		r := c.Record()
		if r.InFlight == 0 && r.OpenConnections == 0 {
			return r
		}
		if err := c.Await(ctx, 0, 5*time.Millisecond); err != nil {
			t.Fatalf("%v, with %d in flight on %d connections", err, r.InFlight, r.OpenConnections)
		}
	}
}

func TestACallMeetsItsScriptStepByStep(t *testing.T) {
	o := NewOrigin(t)
	call, other := o.Call("503", "reset", "200"), o.Call("404")
	c := client(t)
	var got []string
	for range 4 {
		a := request(t, c, "POST", call.URL()+"pay?x=1", "amount=1")
		if a.err != nil {
			got = append(got, "error")
			continue
		}
		got = append(got, fmt.Sprint(a.status))
		request(t, c, "GET", other.URL(), "") // does not move the first call
	}
	if want := "[503 error 200 200]"; fmt.Sprint(got) != want {
		t.Errorf("answers %v, want %s", got, want)
	}
	c.CloseIdleConnections()
	r := settled(t, call)
	if r.Deliveries != 4 || r.Commits != 2 || !r.Finished || len(r.Ledger) != 4 {
		t.Errorf("record %+v", r)
	}
	if d := r.Ledger[1]; d.Fault != "reset" || d.Ended != EndedRST || d.Committed || d.BodyBytes != 8 || d.Path != "/c/"+call.ID()+"/pay" {
		t.Errorf("second delivery %+v", d)
	}
	if n := other.Record().Deliveries; n != 3 {
		t.Errorf("other call: %d deliveries, want 3", n)
	}
}

func TestA200CarriesTheTokenOfItsDelivery(t *testing.T) {
	call := NewOrigin(t).Call("200")
	c := client(t)
	for n := 1; n <= 2; n++ {
		a := request(t, c, "POST", call.URL(), "")
		var body struct {
			Call, Token string
			Delivery    int
		}
		if err := json.Unmarshal([]byte(a.body), &body); err != nil {
			t.Fatalf("%q: %v", a.body, err)
		}
		d := call.Record().Ledger[n-1]
		if body.Call != call.ID() || body.Delivery != n || body.Token != d.Token || !d.AnswerComplete || !d.Committed {
			t.Errorf("body %+v, delivery %+v", body, d)
		}
	}
}

func TestAWarmUpUsesNoStep(t *testing.T) {
	call := NewOrigin(t).Call("reset", "200")
	c := client(t)
	if a := request(t, c, "GET", call.WarmURL(), ""); a.status != 200 {
		t.Fatalf("warm-up: %+v", a)
	}
	if a := request(t, c, "POST", call.URL(), "x"); a.err == nil {
		t.Errorf("first delivery: %+v, want a reset", a)
	}
	r := settled(t, call)
	if r.WarmUps != 1 || r.Deliveries != 1 || !r.Ledger[0].Warm || !r.Ledger[1].Reused || r.Ledger[1].N != 1 {
		t.Errorf("record %+v", r)
	}
}

func TestTheHeaderNamesTheCallToo(t *testing.T) {
	o := NewOrigin(t)
	call := o.Call("418")
	if a := request(t, client(t), "GET", o.URL()+"/any/path", "", CallHeader, call.ID()); a.status != 418 {
		t.Errorf("%+v", a)
	}
}

func TestWhatIsNoCallIsNotFound(t *testing.T) {
	o := NewOrigin(t)
	call := o.Script(Script{ID: "a", Steps: []Step{{Fault: "200"}}})
	c := client(t)
	for _, path := range []string{
		"/c/nope/", "/c/", "/c/a%2f", "/c/%61/", "/c/..%2fa/", "/c/a%00/", "/nonsense", "/199", "/1000", "/c//a/", "/c/A/", "/200/",
	} {
		if a := request(t, c, "POST", o.URL()+path, "x"); a.status != 404 {
			t.Errorf("%s: %+v, want 404", path, a)
		}
	}
	if n := call.Record().Deliveries; n != 0 {
		t.Errorf("%d deliveries of a call that nobody asked for", n)
	}
	c.CloseIdleConnections()
	if n := o.Stats().Strays; n != 12 {
		t.Errorf("%d strays, want 12", n)
	}
}

func TestAKeyAndAnIdenticalPutCommitOnce(t *testing.T) {
	o := NewOrigin(t)
	for _, tt := range []struct {
		name    string
		script  Script
		method  string
		key     [2]string
		body    [2]string
		commits int
	}{
		{"bare POST", Script{}, "POST", [2]string{}, [2]string{"a", "a"}, 2},
		{"one key", Script{}, "POST", [2]string{"k", "k"}, [2]string{"a", "a"}, 1},
		{"two keys", Script{}, "POST", [2]string{"k", "l"}, [2]string{"a", "a"}, 2},
		{"keys ignored", Script{IgnoreKeys: true}, "POST", [2]string{"k", "k"}, [2]string{"a", "a"}, 2},
		{"identical PUT", Script{}, "PUT", [2]string{}, [2]string{"a", "a"}, 1},
		{"PUT of another body", Script{}, "PUT", [2]string{}, [2]string{"a", ""}, 2},
		{"GET", Script{}, "GET", [2]string{}, [2]string{}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.script.Steps = []Step{{Fault: "200"}}
			call := o.Script(tt.script)
			for i := range 2 {
				request(t, client(t), tt.method, call.URL(), tt.body[i], KeyHeader, tt.key[i])
			}
			if n := call.Record().Commits; n != tt.commits {
				t.Errorf("%d commits, want %d", n, tt.commits)
			}
		})
	}
}

// Two queries are two targets: RFC 3986 section 3.4.
func TestTheQueryIsPartOfWhatIsDeleted(t *testing.T) {
	call := NewOrigin(t).Call("200")
	c := client(t)
	for _, query := range []string{"?id=1", "?id=2", "?id=2", "?id=1", ""} {
		if a := request(t, c, "DELETE", call.URL()+"item"+query, ""); a.status != 200 {
			t.Fatalf("%+v", a)
		}
	}
	if n := call.Record().Commits; n != 3 {
		t.Errorf("%d commits, want one for each of 3 targets", n)
	}
}

// Every fault, over both protocols: what the client gets, what the ledger says.
func TestEveryFault(t *testing.T) {
	authority, err := NewAuthority()
	if err != nil {
		t.Fatal(err)
	}
	cert, err := authority.Issue(CertOptions{})
	if err != nil {
		t.Fatal(err)
	}
	o := Must[*Origin](t)(OpenOrigin(OriginOptions{Options: Options{TLS: &tls.Config{Certificates: []tls.Certificate{cert}}}}))
	for _, f := range append(Faults(), FaultInfo{Name: "503", Protocols: []string{"1.1", "2"}, Reads: true})[1:] {
		for _, proto := range f.Protocols {
			t.Run(f.Name+" over HTTP/"+proto, func(t *testing.T) {
				step := Step{Fault: f.Name, PaceMS: 0.1}
				if f.Reads {
					step.Commit = CommitBefore
				}
				call := o.Script(Script{Steps: []Step{step}})
				tr := &http.Transport{ForceAttemptHTTP2: proto == "2", TLSClientConfig: &tls.Config{RootCAs: authority.Pool()}}
				ctx, cancel := context.WithCancel(t.Context())
				var wg sync.WaitGroup
				wg.Go(func() {
					req, err := http.NewRequestWithContext(ctx, "POST", call.URL(), struct{ io.Reader }{strings.NewReader("abc")})
					if err != nil {
						t.Error(err)
						return
					}
					res, err := tr.RoundTrip(req)
					if err == nil {
						_, err = io.Copy(io.Discard, res.Body)
						res.Body.Close()
					}
					whole := f.Name == "503" || f.Name == "slow" || f.Name == "early-413"
					if whole && err != nil && f.Name != "early-413" {
						t.Errorf("client: %v", err)
					}
					if !whole && err == nil {
						t.Error("client: no error")
					}
				})
				stalls := strings.HasSuffix(f.Name, "stall") || f.Name == "silent"
				if stalls {
					awaitCall(t, call, func(r CallRecord) bool { return r.Deliveries == 1 && r.Ledger[0].Complete })
					cancel()
				}
				wg.Wait()
				cancel()
				tr.CloseIdleConnections()
				awaitCall(t, call, func(r CallRecord) bool { return r.InFlight == 0 })
				d := call.Record().Ledger[0]
				if d.Fault != f.Name || d.Committed != f.Reads || d.Proto != map[string]string{"1.1": "HTTP/1.1", "2": "HTTP/2.0"}[proto] {
					t.Errorf("ledger %+v", d)
				}
				if d.AnswerComplete != (f.Name == "503" || f.Name == "slow" || f.Name == "early-413") {
					t.Errorf("answer complete: %v", d.AnswerComplete)
				}
				if stalls && d.Ended != EndedStalled {
					t.Errorf("ended %q, want stalled", d.Ended)
				}
			})
		}
	}
}

// awaitCall waits for the server's side of an event.
func awaitCall(t *testing.T, c *Call, done func(CallRecord) bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for !done(c.Record()) {
		if err := c.Await(ctx, 0, time.Millisecond); err != nil {
			t.Fatalf("%v: %+v", err, c.Record())
		}
	}
}

func TestAFaultOfTheOtherProtocolSaysSo(t *testing.T) {
	call := NewOrigin(t).Call("refused-stream")
	if a := request(t, client(t), "GET", call.URL(), ""); a.status != 505 || !strings.Contains(a.body, "refused-stream") {
		t.Errorf("%+v", a)
	}
	if d := call.Record().Ledger[0]; !d.AnswerComplete || d.Answered != 505 {
		t.Errorf("delivery %+v", d)
	}
}

func TestBadScripts(t *testing.T) {
	for _, tt := range []struct{ script, field string }{
		{``, "script"},
		{`{"steps":[]}`, "steps"},
		{`[]`, "steps"},
		{`["503","nope"]`, "steps[1].fault"},
		{`["100"]`, "steps[0].fault"},
		{`[503]`, "steps[0]"},
		{`{"steps":["503"],"repeat":1}`, "repeat"},
		{`{"steps":["503"]} x`, "script"},
		{`{"steps":"503"}`, "steps"},
		{`{"id":"../x","steps":["503"]}`, "id"},
		{`[{"fault":"503","dellay_ms":1}]`, "steps[0].dellay_ms"},
		{`[{"fault":"503","delay_ms":-1}]`, "steps[0].delay_ms"},
		{`[{"fault":"503","delay_ms":1e99}]`, "steps[0].delay_ms"},
		{`[{"fault":"503","delay_ms":"1"}]`, "steps[0].delay_ms"},
		{`[{"fault":"503","header":{"A b":"x"}}]`, "steps[0].header.A b"},
		{`[{"fault":"503","header":{"A":"x\r\nB: y"}}]`, "steps[0].header.A"},
		{`[{"fault":"503","header":{"content-length":"1"}}]`, "steps[0].header.content-length"},
		{`[{"fault":"503","header":{"A-b":"1","a-B":"2"}}]`, "steps[0].header"},
		{`[{"fault":"503","commit":"now"}]`, "steps[0].commit"},
		{`[{"fault":"reset-head","commit":"before"}]`, "steps[0].commit"},
		{`[` + strings.Repeat(`"503",`, MaxSteps) + `"503"]`, "steps"},
		{`[{"fault":"503","body":"` + strings.Repeat("x", MaxStepBody+1) + `"}]`, "steps[0].body"},
		{`{"steps":[` + strings.Repeat("0,", MaxScript/2-10) + `0]}`, "script"},
		{strings.Repeat(" ", MaxScript+1), "script"},
		{strings.Repeat("[", 100_000), "script"},
	} {
		_, err := ParseScript(strings.NewReader(tt.script))
		var bad *ScriptError
		if !errors.As(err, &bad) || bad.Field != tt.field {
			t.Errorf("%.60s: %v, want an error of %s", tt.script, err, tt.field)
		}
		if err != nil && len(err.Error()) > 1000 {
			t.Errorf("%.60s: an error of %d bytes", tt.script, len(err.Error()))
		}
	}
}

func TestTheOldestFinishedCallGoesFirst(t *testing.T) {
	o := Must[*Origin](t)(OpenOrigin(OriginOptions{MaxCalls: 3}))
	a, b, c := o.Call("200"), o.Call("200"), o.Call("200")
	if _, err := o.Create(Script{Steps: a.script.Steps}); !errors.Is(err, ErrTooManyCalls) {
		t.Fatalf("a fourth call: %v", err)
	}
	hc := client(t)
	for _, call := range []*Call{c, b} {
		request(t, hc, "GET", call.URL(), "")
		awaitCall(t, call, func(r CallRecord) bool { return r.Finished })
	}
	o.Call("200")
	if _, known := o.Lookup(b.ID()); known {
		t.Error("the oldest finished call is still there")
	}
	for _, call := range []*Call{a, c} {
		if _, known := o.Lookup(call.ID()); !known {
			t.Error("another call has gone")
		}
	}
}

func TestScriptsTogetherAreBounded(t *testing.T) {
	o := NewOrigin(t)
	big := Script{Steps: []Step{{Fault: "200", Body: strings.Repeat("x", MaxStepBody)}}}
	var calls []*Call
	for range maxScripts / MaxStepBody {
		calls = append(calls, o.Script(big))
	}
	if _, err := o.Create(big); !errors.Is(err, ErrTooManyCalls) {
		t.Fatalf("one more: %v", err)
	}
	o.Delete(calls[0].ID())
	calls[0] = o.Script(big)
	request(t, client(t), "GET", calls[7].URL(), "")
	awaitCall(t, calls[7], func(r CallRecord) bool { return r.Finished })
	o.Script(big)
	if _, known := o.Lookup(calls[7].ID()); known {
		t.Error("the finished call is still there")
	}
}

func TestACallKeepsItsFirstAndAStandingOneItsLatest(t *testing.T) {
	o := Must[*Origin](t)(OpenOrigin(OriginOptions{MaxDeliveries: 3}))
	call, c := o.Call("200"), client(t)
	for range 5 {
		request(t, c, "GET", call.URL(), "")
		request(t, c, "GET", o.URL()+"/503", "")
	}
	standing, _ := o.Lookup("503")
	for _, tt := range []struct {
		call  *Call
		first int
	}{{call, 1}, {standing, 3}} {
		r := tt.call.Record()
		if r.Deliveries != 5 || r.Dropped != 2 || len(r.Ledger) != 3 || r.Ledger[0].N != tt.first {
			t.Errorf("%s: %+v", r.ID, r)
		}
	}
}

// Two hundred clients at once, each with a script of its own.
func TestNoCallSeesAnothersScript(t *testing.T) {
	o := NewOrigin(t)
	var wg sync.WaitGroup
	for i := range 200 {
		wg.Go(func() {
			c := client(t)
			first, second := fmt.Sprint(400+i%50), fmt.Sprint(500+i%11)
			call := o.Call(first, "reset", second)
			got := []string{}
			for range 4 {
				a := request(t, c, "POST", call.URL(), "body of "+call.ID())
				got = append(got, fmt.Sprint(a.status))
				if a.err == nil && !strings.Contains(a.body, call.ID()) {
					t.Errorf("an answer of another call: %s", a.body)
				}
			}
			if want := []string{first, "0", second, second}; fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("answers %v, want %v", got, want)
			}
			if r := call.Record(); r.Deliveries != 4 {
				t.Errorf("%d deliveries, want 4", r.Deliveries)
			}
		})
	}
	wg.Wait()
}

func TestCommitAfterHappensWhenTheClientHasLeft(t *testing.T) {
	call := NewOrigin(t).Script(Script{Steps: []Step{{Fault: "silent", Commit: CommitAfter}}})
	ctx, cancel := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, "POST", call.URL(), strings.NewReader("x"))
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		if res, err := client(t).Do(req); err == nil {
			res.Body.Close()
			t.Error("an answer")
		}
	})
	awaitCall(t, call, func(r CallRecord) bool { return r.Deliveries == 1 && r.Ledger[0].Complete })
	if call.Record().Commits != 0 {
		t.Error("committed before the client has left")
	}
	cancel()
	wg.Wait()
	awaitCall(t, call, func(r CallRecord) bool { return r.InFlight == 0 })
	r := call.Record()
	if d := r.Ledger[0]; r.Commits != 1 || *d.CommittedAtMS < *d.EndedAtMS {
		t.Errorf("record %+v", r)
	}
}

func TestAwaitEndsWithTheNumberTheQuietOrTheContext(t *testing.T) {
	call := NewOrigin(t).Call("200")
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := call.Await(ctx, 1, 0); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("nothing came: %v", err)
	}
	if err := call.Await(t.Context(), 1, time.Millisecond); err != nil {
		t.Errorf("quiet: %v", err)
	}
	request(t, client(t), "GET", call.URL(), "")
	if err := call.Await(t.Context(), 1, 0); err != nil {
		t.Errorf("one delivery: %v", err)
	}
}
