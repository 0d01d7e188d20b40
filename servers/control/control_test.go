package control

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/retry-lab/retry-lab/servers"
)

func TestACallIsMadeReadAndDeleted(t *testing.T) {
	a := newTestAPI(t, servers.OriginOptions{})
	made := a.ask("POST", "/calls", `{"id":"order-1","steps":["503","200"]}`)
	call := decode[record](t, made)
	if made.status != 201 || made.header.Get("Location") != "/calls/order-1" || call.URL != a.origin.URL()+"/c/order-1/" ||
		call.WarmURL != call.URL+"warm-up" || !strings.HasPrefix(call.TLSURL, "https://") || call.Ledger == nil {
		t.Fatalf("made %+v", made)
	}
	deliver(t, "POST", call.URL+"pay", "Idempotency-Key", "very-secret")
	deliver(t, "POST", call.URL+"pay", "Idempotency-Key", "very-secret", "Authorization", "Bearer very-secret")
	read := a.ask("GET", "/calls/order-1?wait=2", "")
	call = decode[record](t, read)
	if read.status != 200 || call.TimedOut || call.Deliveries != 2 || call.Commits != 1 || !call.Ledger[1].Committed || call.Ledger[1].Key != "set 1" {
		t.Errorf("read %+v", read)
	}
	if strings.Contains(read.body, "very-secret") {
		t.Errorf("a secret in %s", read.body)
	}
	if got := a.ask("GET", "/calls", ""); got.status != 200 || !strings.Contains(got.body, `"id":"order-1"`) || strings.Contains(got.body, "ledger") {
		t.Errorf("list %+v", got)
	}
	if got := a.ask("DELETE", "/calls/order-1", ""); got.status != 204 || got.body != "" {
		t.Errorf("delete %+v", got)
	}
	for _, method := range []string{"GET", "DELETE"} {
		if got := a.ask(method, "/calls/order-1", ""); got.status != 404 {
			t.Errorf("%s after the deletion: %+v", method, got)
		}
	}
}

func TestAStandingCallIsReadBeforeItIsAskedFor(t *testing.T) {
	a := newTestAPI(t, servers.OriginOptions{})
	if got := a.ask("GET", "/calls/418?wait=1&timeout_ms=1", ""); got.status != 200 || !decode[record](t, got).TimedOut {
		t.Errorf("%+v", got)
	}
	deliver(t, "GET", a.origin.URL()+"/418")
	if got := decode[record](t, a.ask("GET", "/calls/418", "")); got.Deliveries != 1 {
		t.Errorf("%+v", got)
	}
	if got := a.ask("DELETE", "/calls/418", ""); got.status != 204 {
		t.Errorf("%+v", got)
	}
	if got := decode[record](t, a.ask("GET", "/calls/418", "")); got.Deliveries != 0 {
		t.Errorf("%+v", got)
	}
}

func TestWhatIsRefused(t *testing.T) {
	a := newTestAPI(t, servers.OriginOptions{})
	a.call(`{"id":"here","steps":["503"]}`)
	huge := `{"steps":["503"],"id":"` + strings.Repeat("x", servers.MaxScript) + `"}`
	for _, tt := range []struct {
		method, path, body string
		header             []string
		status             int
		field              string
	}{
		{"POST", "/calls", ``, nil, 400, "script"},
		{"POST", "/calls", `{"steps":["503"`, nil, 400, "script"},
		{"POST", "/calls", `["nope"]`, nil, 400, "steps[0].fault"},
		{"POST", "/calls", `[{"fault":"503","delay_ms":-1}]`, nil, 400, "steps[0].delay_ms"},
		{"POST", "/calls", `{"steps":["503"],"id":"../x"}`, nil, 400, "id"},
		{"POST", "/calls", `{"steps":["503"],"more":1}`, nil, 400, "more"},
		{"POST", "/calls", huge, nil, 400, "script"},
		{"POST", "/calls", "[" + strings.Repeat(`"503",`, 1000) + `"503"]`, nil, 400, "steps"},
		{"POST", "/calls", `{"steps":["503"],"id":"here"}`, nil, 409, "id"},
		{"POST", "/calls", `{"steps":["503"],"id":"reset"}`, nil, 409, "id"},
		{"GET", "/calls/here?wait=0", "", nil, 400, "wait"},
		{"GET", "/calls/here?wait=x", "", nil, 400, "wait"},
		{"GET", "/calls/here?wait=1&wait=2", "", nil, 400, "wait"},
		{"GET", "/calls/here?timeout_ms=60001", "", nil, 400, "timeout_ms"},
		{"GET", "/calls/here?quiet_ms=-1", "", nil, 400, "quiet_ms"},
		{"GET", "/calls/here?quiet=1", "", nil, 400, "query"},
		{"GET", "/calls/here?%zz", "", nil, 400, "query"},
		{"GET", "/calls/nope", "", nil, 404, ""},
		{"GET", "/ports/nope", "", nil, 404, ""},
		{"GET", "/", "", nil, 404, ""},
		{"GET", "/calls", "", []string{"Host", "evil.example"}, 421, "Host"},
		{"GET", "/calls", "", []string{"Host", "127.0.0.1.evil.example:80"}, 421, "Host"},
		{"GET", "/calls", "", []string{"Host", ""}, 421, "Host"},
		{"POST", "/calls", `["503"]`, []string{"Origin", "http://evil.example"}, 403, "Origin"},
		{"DELETE", "/calls/here", "", []string{"Sec-Fetch-Site", "cross-site"}, 403, "Origin"},
	} {
		got := a.ask(tt.method, tt.path, tt.body, tt.header...)
		if p := decode[problem](t, got); got.status != tt.status || p.Field != tt.field || p.Error == "" || len(got.body) > 1000 {
			t.Errorf("%s %s %.40s: %+v, want %d for %q", tt.method, tt.path, tt.body, got, tt.status, tt.field)
		}
	}
	if n := len(a.origin.Calls()); n != 1 {
		t.Errorf("%d calls, want the first alone", n)
	}
}

func TestAPathThatOnlyLooksLikeACallIsNotFound(t *testing.T) {
	a := newTestAPI(t, servers.OriginOptions{})
	a.call(`{"id":"a","steps":["503"]}`)
	for _, path := range []string{
		"/calls/", "/calls/a/", "/calls/a/b", "/calls//a", "/calls/%61", "/calls/a%2f", "/calls/..", "/calls/../calls/a", "/calls/.%2e/a",
		"/calls/a%00", "/Calls/a", "/calls/A", "/c/a/", "//calls", "/calls/%", "/calls/1000", "/calls/199",
	} {
		r := "http://127.0.0.1" + path
		if path == "/calls/%" {
			continue // no URL at all: net/http answers 400 itself
		}
		if got := a.ask("GET", r, ""); got.status != 404 {
			t.Errorf("%s: %+v, want 404", path, got)
		}
	}
}

func TestAMethodThatThePathDoesNotHave(t *testing.T) {
	a := newTestAPI(t, servers.OriginOptions{})
	for path, allow := range map[string]string{
		"/calls": "GET, HEAD, POST", "/calls/x": "GET, HEAD, DELETE", "/faults": "GET, HEAD", "/ports": "GET, HEAD", "/ports/x": "GET, HEAD",
		"/metrics": "GET, HEAD", "/openapi.json": "GET, HEAD",
	} {
		if got := a.ask("PATCH", path, ""); got.status != 405 || got.header.Get("Allow") != allow {
			t.Errorf("%s: %+v, want 405 and %q", path, got, allow)
		}
	}
	if got := a.ask("HEAD", "/faults", ""); got.status != 200 {
		t.Errorf("HEAD: %+v", got)
	}
}

func TestNoMoreCallsThanThereMayBe(t *testing.T) {
	a := newTestAPI(t, servers.OriginOptions{MaxCalls: 2})
	a.call(`["200"]`)
	second := a.call(`["200"]`)
	if got := a.ask("POST", "/calls", `["200"]`); got.status != 503 || got.header.Get("Retry-After") != "1" {
		t.Errorf("a third call: %+v", got)
	}
	deliver(t, "GET", second.URL)
	a.finished(second.ID)
	a.call(`["200"]`)
	if got := a.ask("GET", "/calls/"+second.ID, ""); got.status != 404 {
		t.Errorf("the finished call: %+v", got)
	}
}

func TestTheEndpointsOfPortsAndFaults(t *testing.T) {
	a := newTestAPI(t, servers.OriginOptions{})
	deliver(t, "POST", a.reset.URL()+"/\u009b31m", "Idempotency-Key", "very-secret")
	got := a.ask("GET", "/ports/unavailable", "")
	p := decode[portRecord](t, got)
	if p.Deliveries != 1 || p.Connections != 1 || !p.Observed || p.Ledger[0].Answered != 503 || p.Ledger[0].Key != "set 1" || p.ConnectionLedger[0].Deliveries != 1 {
		t.Errorf("%+v", got)
	}
	if strings.ContainsFunc(got.body, func(r rune) bool { return r > '~' || r < ' ' && r != '\n' }) {
		t.Errorf("what a terminal obeys in %q", got.body)
	}
	if p := decode[portRecord](t, a.ask("GET", "/ports/refused", "")); p.Observed || p.Ledger == nil {
		t.Errorf("%+v", p)
	}
	faults := decode[struct{ Faults []servers.FaultInfo }](t, a.ask("GET", "/faults", "")).Faults
	if len(faults) != len(servers.Faults()) {
		t.Errorf("%d faults, want %d", len(faults), len(servers.Faults()))
	}
}

func TestPrintable(t *testing.T) {
	for in, want := range map[string]string{
		`"a"`: `"a"`, "\"\u009b\u202e\x7f\"": `"\u009b\u202e\u007f"`, `"é😀"`: `"\u00e9\ud83d\ude00"`,
	} {
		if got := string(printable([]byte(in))); got != want {
			t.Errorf("printable(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestLocalHosts(t *testing.T) {
	for host, want := range map[string]bool{
		"127.0.0.1:80": true, "127.0.0.1": true, "[::1]:80": true, "[::1]": true, "LocalHost:1": true, "192.168.1.2:3": true,
		"evil.example": false, "localhost.evil.example:80": false, "": false, ":80": false, "127.0.0.1.nip.io": false,
	} {
		if got := local(host); got != want {
			t.Errorf("local(%q) = %v", host, got)
		}
	}
}

// A wait ends with its deliveries, with quiet, or with its time, and says where
// what it waited for did not come.
func TestAWaitEnds(t *testing.T) {
	a := newTestAPI(t, servers.OriginOptions{})
	call := a.call(`["200"]`)
	deliver(t, "GET", call.URL)
	for _, tt := range []struct {
		query    string
		least    time.Duration
		timedOut bool
	}{
		{"", 0, false},
		{"?wait=1", 0, false},
		{"?wait=2&timeout_ms=30", 30 * time.Millisecond, true},
		{"?wait=2&quiet_ms=30", 0, false},
		{"?quiet_ms=30&timeout_ms=60000", 0, false},
	} {
		start := time.Now()
		got := a.ask("GET", "/calls/"+call.ID+tt.query, "")
		if took := time.Since(start); got.status != 200 || took < tt.least {
			t.Errorf("%s: %d after %v, want 200 after %v", tt.query, got.status, took, tt.least)
		}
		if rec := decode[record](t, got); rec.TimedOut != tt.timedOut {
			t.Errorf("%s: timed_out %v", tt.query, rec.TimedOut)
		}
	}
}

func TestAWish(t *testing.T) {
	a := newTestAPI(t, servers.OriginOptions{})
	for query, want := range map[string]wish{
		"":                         {0, 0, 10 * time.Second},
		"wait=3":                   {3, 0, 10 * time.Second},
		"quiet_ms=300&wait=1":      {1, 300 * time.Millisecond, 10 * time.Second},
		"timeout_ms=60000&wait=10": {10, 0, time.Minute},
	} {
		if got, bad := a.wish(query); bad != nil || got != want {
			t.Errorf("wish(%q) = %v, %v, want %v", query, got, bad, want)
		}
	}
}

func TestSoManyMayWaitAndNoMore(t *testing.T) {
	a := newTestAPI(t, servers.OriginOptions{})
	call := a.call(`["200"]`)
	for range cap(a.waits) {
		a.waits <- struct{}{}
	}
	if got := a.ask("GET", "/calls/"+call.ID+"?wait=1", ""); got.status != 503 || got.header.Get("Retry-After") == "" {
		t.Errorf("%+v", got)
	}
	if got := a.ask("GET", "/calls/"+call.ID, ""); got.status != 200 {
		t.Errorf("one that does not wait: %+v", got)
	}
}

func TestAURLIsByTheHostThatWasAskedWhereThatMayBeAny(t *testing.T) {
	a := newTestAPI(t, servers.OriginOptions{})
	_, port, _ := strings.Cut(strings.TrimPrefix(a.origin.URL(), "http://"), ":")
	for _, tt := range []struct {
		any        bool
		host, want string
	}{
		{true, "lab:9002", "http://lab:" + port + "/c/x/"},
		{true, "[fd00::2]:9002", "http://[fd00::2]:" + port + "/c/x/"},
		{true, "", "http://127.0.0.1:" + port + "/c/x/"},
		{false, "127.0.0.2:9002", "http://127.0.0.1:" + port + "/c/x/"},
	} {
		a.opts.AnyHost = tt.any
		got := a.ask("POST", "/calls", `{"id":"x","steps":["503"]}`, "Host", tt.host)
		if rec := decode[record](t, got); rec.URL != tt.want || rec.WarmURL != tt.want+"warm-up" {
			t.Errorf("%q: %+v, want %s", tt.host, rec, tt.want)
		}
		a.ask("DELETE", "/calls/x", "", "Host", tt.host)
	}
}

// Nothing can come any more of a call that is deleted, nor of one that has made
// room: whoever waits for it is told so at once.
func TestADeletedCallIsNotWaitedFor(t *testing.T) {
	a := newTestAPI(t, servers.OriginOptions{MaxCalls: 1})
	for _, tt := range []struct {
		sentence string
		end      func(id string)
	}{
		{"deleted", func(id string) { a.ask("DELETE", "/calls/"+id, "") }},
		{"made room", func(string) { a.call(`["200"]`) }},
	} {
		call := a.call(`["200"]`)
		deliver(t, "GET", call.URL)
		a.finished(call.ID)
		got := make(chan asked, 1)
		go func() { got <- a.ask("GET", "/calls/"+call.ID+"?wait=2&timeout_ms=60000", "") }()
		deadline := time.Now().Add(patience)
		for len(a.waits) == 0 {
			if time.Now().After(deadline) {
				t.Fatal("it does not wait")
			}
			time.Sleep(time.Millisecond)
		}
		tt.end(call.ID)
		select {
		case answer := <-got:
			if answer.status != http.StatusNotFound {
				t.Errorf("%s: %d %s", tt.sentence, answer.status, answer.body)
			}
		case <-time.After(patience):
			t.Fatalf("%s: still waited for", tt.sentence)
		}
		for _, c := range a.origin.Calls() {
			a.origin.Delete(c.ID())
		}
	}
}
