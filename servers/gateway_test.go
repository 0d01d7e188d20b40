package servers

import (
	"bufio"
	"context"
	"net/http"
	"strings"
	"testing"
	"time"
)

// gatewayTo is a gateway in front of a server.
func gatewayTo(t *testing.T, upstream string, change func(*GatewayOptions)) *Server {
	t.Helper()
	o := GatewayOptions{Upstream: upstream}
	if change != nil {
		change(&o)
	}
	return Must[*Server](t)(NewGateway(o))
}

func TestAGatewayPassesRequestAndAnswerAndMarksBoth(t *testing.T) {
	var via string
	upstream := Must[*Server](t)(start(Options{}, http1(func(x *Exchange) {
		via = x.Request.Header.Get("Via")
		if x.ReadBody() == nil {
			x.Commit()
			_ = x.Answer(201, http.Header{"Lab-Field": {"x"}}, "made\n")
		}
	})))
	gw := gatewayTo(t, upstream.URL(), nil)
	r, body, err := post(t, client(t), gw.URL()+"/pay?id=1", "order-1", "12 euros")
	if err != nil || r.StatusCode != 201 || body != "made\n" {
		t.Fatalf("got %v, %q, %v; want 201, made", r, body, err)
	}
	if r.Header.Get("Via") != "1.1 lab-gateway" || r.Header.Get("Lab-Field") != "x" {
		t.Errorf("header %v", r.Header)
	}
	front, back := only(t, gw.Finish(time.Time{})), only(t, upstream.Finish(time.Time{}))
	if via != "1.1 lab-gateway" {
		t.Errorf("the upstream saw Via %q", via)
	}
	if front.Committed || !back.Committed || front.Answered != 201 || back.Answered != 201 {
		t.Errorf("gateway %+v, upstream %+v", front, back)
	}
	if front.BodySHA256 != back.BodySHA256 || back.Key != "order-1" || back.Path != "/pay" || back.BodyBytes != 8 {
		t.Errorf("gateway %+v, upstream %+v", front, back)
	}
}

func TestAGatewaySaysWhyThereIsNoAnswer(t *testing.T) {
	dead := Must[*Refused](t)(NewRefused())
	for _, tc := range []struct {
		why      string
		upstream func(Options) (*Server, error) // nil: nobody listens
		status   int
		name     string
		saw      string
	}{
		{"nobody listens", nil, 502, "connection_refused", SawNothing},
		{"done, and closed in order", NewFIN, 503, "connection_terminated", SawCommitted},
		{"an answer that is cut", breaking(TruncatedLength), 503, "connection_terminated", SawCommitted},
		{"an answer that is none", breaking(Garbage), 502, "http_protocol_error", SawCommitted},
	} {
		url, saw := dead.URL(), func() string { return SawNothing }
		if tc.upstream != nil {
			srv := Must[*Server](t)(tc.upstream(Options{}))
			url, saw = srv.URL(), func() string { return srv.Finish(time.Time{}).Saw() }
		}
		gw := gatewayTo(t, url, func(o *GatewayOptions) { o.ProxyStatus = true })
		r, _, err := post(t, client(t), gw.URL(), "", "pay")
		if err != nil || r.StatusCode != tc.status || r.Header.Get("Via") == "" {
			t.Fatalf("%s: got %v, %v; want %d with Via", tc.why, r, err, tc.status)
		}
		if got, want := r.Header.Get("Proxy-Status"), "lab-gateway; error="+tc.name; got != want {
			t.Errorf("%s: Proxy-Status %q, want %q", tc.why, got, want)
		}
		if got := saw(); got != tc.saw {
			t.Errorf("%s: the upstream saw %q, want %q", tc.why, got, tc.saw)
		}
		if d := only(t, gw.Finish(time.Time{})); d.Committed || d.Answered != tc.status {
			t.Errorf("%s: gateway %+v", tc.why, d)
		}
	}
}

func breaking(how Break) func(Options) (*Server, error) {
	return func(o Options) (*Server, error) { return NewBroken(o, how) }
}

func TestAGatewayWithoutProxyStatusDoesNotSay(t *testing.T) {
	dead := Must[*Refused](t)(NewRefused())
	for _, unmarked := range []bool{false, true} {
		gw := gatewayTo(t, dead.URL(), func(o *GatewayOptions) { o.Unmarked = unmarked })
		r, _, err := post(t, client(t), gw.URL(), "", "pay")
		if err != nil {
			t.Fatal(err)
		}
		want := http.Header{"Via": {"1.1 lab-gateway"}}
		status := 502
		if unmarked {
			want, status = http.Header{}, 503
		}
		if r.StatusCode != status || r.Header.Get("Via") != want.Get("Via") || r.Header.Get("Proxy-Status") != "" || r.Header.Get("Retry-After") != "" {
			t.Errorf("unmarked %t: %v %v, want %d %v", unmarked, r.Status, r.Header, status, want)
		}
	}
}

// The gateway's answer comes first, then it hangs up, and only then does the
// upstream act.
func TestAGatewayThatGivesUpAnswersBeforeTheUpstreamActs(t *testing.T) {
	upstream := Must[*Server](t)(NewStall(StallOptions{Commit: CommitLate}))
	gw := gatewayTo(t, upstream.URL(), func(o *GatewayOptions) {
		o.GiveUp = func(ctx context.Context) error {
			return upstream.Ledger().Await(ctx, func(r Record) bool { return len(r.Deliveries) == 1 && r.Deliveries[0].Complete })
		}
	})
	r, _, err := post(t, client(t), gw.URL(), "", "pay")
	if err != nil || r.StatusCode != 504 {
		t.Fatalf("got %v, %v; want 504", r, err)
	}
	await(t, upstream.Ledger(), "late commit", func(r Record) bool { return r.Committed() == 1 })
	front, back := only(t, gw.Finish(time.Time{})), only(t, upstream.Finish(time.Time{}))
	if !front.AnsweredAt.Before(back.CommittedAt) {
		t.Errorf("answered at %v, committed at %v", front.AnsweredAt, back.CommittedAt)
	}
}

func TestCloseEndsAGatewayThatWaits(t *testing.T) {
	upstream := stalling(t, Options{})
	gw := gatewayTo(t, upstream.URL(), func(o *GatewayOptions) {
		o.GiveUp = func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	})
	c := dial(t, gw.Addr())
	write(t, c, "POST / HTTP/1.1\r\nHost: lab\r\nContent-Length: 3\r\n\r\npay")
	await(t, upstream.Ledger(), "the request", func(r Record) bool { return len(r.Deliveries) == 1 && r.Deliveries[0].Complete })
	gw.Close()
	if d := only(t, gw.Finish(time.Time{})); d.Answered != 0 {
		t.Errorf("delivery %+v, want no answer", d)
	}
}

func TestAGatewayPassesNoUpgradeOn(t *testing.T) {
	upstream := Must[*Server](t)(start(Options{}, http1(func(x *Exchange) {
		_ = x.Answer(200, nil, x.Request.Header.Get("Upgrade"))
	})))
	gw := gatewayTo(t, upstream.URL(), nil)
	c := dial(t, gw.Addr())
	write(t, c, "GET / HTTP/1.1\r\nHost: lab\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
	if r, body := respond(t, bufio.NewReader(c), "GET"); r.StatusCode != 200 || body != "" {
		t.Errorf("got %v, %q; want 200 and no upgrade", r, body)
	}
}

func TestAGatewayNeedsAnUpstream(t *testing.T) {
	for _, url := range []string{"", "nonsense", "http://%zz"} {
		if _, err := NewGateway(GatewayOptions{Upstream: url}); err == nil || !strings.HasPrefix(err.Error(), "upstream") {
			t.Errorf("upstream %q: %v", url, err)
		}
	}
}
