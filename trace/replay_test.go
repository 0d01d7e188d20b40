package trace_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"testing"
	"time"

	"github.com/retry-lab/retry-lab/classifier"
	"github.com/retry-lab/retry-lab/servers"
	"github.com/retry-lab/retry-lab/trace"
)

// quiet sends a request as an engine does that makes its own copy.
func quiet(t *testing.T, a *trace.Attempt, tr http.RoundTripper, ctx context.Context, url string) (*http.Response, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	out := req.WithContext(a.Context(req.Context()))
	a.Watch(out)
	return tr.RoundTrip(out)
}

func counting(t *testing.T) *http.Transport {
	tr := &http.Transport{DialContext: trace.Dial((&net.Dialer{}).DialContext)}
	t.Cleanup(tr.CloseIdleConnections)
	return tr
}

func TestTheZeroAttemptSeesWhatOneWithATimelineSees(t *testing.T) {
	a, err := servers.NewAuthority()
	if err != nil {
		t.Fatal(err)
	}
	cert, err := a.Issue(servers.CertOptions{})
	if err != nil {
		t.Fatal(err)
	}
	srv := servers.Must[*servers.Server](t)(servers.NewStatus(servers.Options{TLS: &tls.Config{Certificates: []tls.Certificate{cert}}}, 204, nil))
	evidence := func(rec *trace.Attempt) classifier.Evidence {
		tr := counting(t)
		tr.TLSClientConfig = &tls.Config{RootCAs: a.Pool()}
		resp, err := quiet(t, rec, tr, t.Context(), srv.URL())
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		ev := rec.End(t.Context(), t.Context())
		ev.BytesIn, ev.BytesOut = 0, 0
		return ev
	}
	loud := trace.Begin(1)
	want := evidence(loud)
	none := &trace.Attempt{}
	if got := evidence(none); got != want || !got.ConnectDone || !got.TLSDone || !got.FirstByte {
		t.Errorf("without a timeline %+v\nwith one %+v", got, want)
	}
	if len(none.Events()) != 0 || len(loud.Events()) < 8 {
		t.Errorf("%d and %d events", len(none.Events()), len(loud.Events()))
	}
}

func TestTheCallersOwnHooksAreCalledToo(t *testing.T) {
	srv := servers.Must[*servers.Server](t)(servers.NewStatus(servers.Options{}, 204, nil))
	var calls []string
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
		ConnectStart:         func(string, string) { calls = append(calls, "connect") },
		GotConn:              func(httptrace.GotConnInfo) { calls = append(calls, "connection") },
		GotFirstResponseByte: func() { calls = append(calls, "byte") },
	})
	rec := &trace.Attempt{}
	resp, err := quiet(t, rec, counting(t), ctx, srv.URL())
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if ev := rec.End(ctx, ctx); len(calls) != 3 || !ev.ConnectDone || !ev.FirstByte {
		t.Errorf("calls %v, evidence %+v", calls, ev)
	}
}

// net/http would send a GET again whose connection went away under it.
func TestAReplayIsStoppedAndTheFirstConnectionIsWhatIsSeen(t *testing.T) {
	for _, row := range []struct {
		end  string
		want error
	}{
		{servers.EndedFIN, io.EOF},
		{servers.EndedRST, nil},
	} {
		srv := servers.Must[*servers.Stale](t)(servers.NewStale(servers.StaleOptions{End: row.end}))
		tr := counting(t)
		resp, err := quiet(t, &trace.Attempt{}, tr, t.Context(), srv.URL()+servers.WarmUpPath)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		rec := &trace.Attempt{StopReplays: true}
		if _, err = quiet(t, rec, tr, t.Context(), srv.URL()); err == nil {
			t.Fatal("answered")
		}
		replay, stopped := rec.Replay()
		ev := rec.End(t.Context(), t.Context())
		if !stopped || replay.Unsent || replay.Cause == nil || row.want != nil && !errors.Is(replay.Cause, row.want) {
			t.Errorf("%s: %+v, %v", row.end, replay, stopped)
		}
		if !ev.GotConn || !ev.Reused || !ev.WroteRequest || ev.BytesOut == 0 || ev.Acquisitions != 1 || ev.Exposed {
			t.Errorf("%s: evidence %+v", row.end, ev)
		}
		if r := srv.Finish(time.Time{}); len(r.Asked()) != 1 {
			t.Errorf("%s: %d deliveries, want 1", row.end, len(r.Asked()))
		}
	}
}

// The hooks are called by hand: a transport that looks at no context.
func TestAReplayThatSlipsThroughIsCounted(t *testing.T) {
	for _, row := range []struct {
		why   string
		sends bool
	}{
		{"nothing was sent", false},
		{"something was", true},
	} {
		rec := &trace.Attempt{StopReplays: true}
		ctx := rec.Context(t.Context())
		hooks := httptrace.ContextClientTrace(ctx)
		hooks.GetConn("lab:80")
		hooks.GotConn(httptrace.GotConnInfo{})
		hooks.WroteHeaders()
		hooks.GetConn("lab:80")
		if ctx.Err() == nil || context.Cause(ctx) == context.Canceled {
			t.Errorf("%s: the attempt goes on: %v", row.why, context.Cause(ctx))
		}
		hooks.GotConn(httptrace.GotConnInfo{})
		if row.sends {
			hooks.WroteHeaders()
		}
		if ev := rec.End(t.Context(), t.Context()); ev.Exposed != row.sends || (ev.Acquisitions == 2) != row.sends {
			t.Errorf("%s: %+v", row.why, ev)
		}
	}
}

// The hooks are called by hand: net/http loses a connection between the pool
// and the first byte by a race.
func TestARequestThatWasNotSentIsKnownToBeSo(t *testing.T) {
	for _, row := range []struct {
		why    string
		wrote  bool
		unsent bool
	}{
		{"the head was not written", false, true},
		{"it was, and no counter says how far it came", true, false},
	} {
		rec := &trace.Attempt{StopReplays: true}
		hooks := httptrace.ContextClientTrace(rec.Context(t.Context()))
		hooks.GetConn("lab:80")
		hooks.GotConn(httptrace.GotConnInfo{Reused: true})
		if row.wrote {
			hooks.WroteHeaders()
		}
		hooks.GotConn(httptrace.GotConnInfo{}) // HTTP/2 may ask nobody
		if replay, stopped := rec.Replay(); !stopped || replay.Unsent != row.unsent {
			t.Errorf("%s: %+v, %v", row.why, replay, stopped)
		}
	}
}

// What was never given a connection was not sent, so that asking again is no
// replay: over HTTP/2 it happens when all streams are taken.
func TestASecondRequestForAConnectionIsNoReplayWhereThereWasNone(t *testing.T) {
	rec := &trace.Attempt{StopReplays: true}
	ctx := rec.Context(t.Context())
	hooks := httptrace.ContextClientTrace(ctx)
	hooks.GetConn("lab:80")
	hooks.GetConn("lab:80")
	hooks.GotConn(httptrace.GotConnInfo{})
	if _, stopped := rec.Replay(); stopped || ctx.Err() != nil {
		t.Error("stopped")
	}
	if rec.Release(); ctx.Err() != nil {
		t.Error("a context that nobody waited for has ended")
	}
}

func TestAnAttemptsContextIsItsCallers(t *testing.T) {
	type key struct{}
	parent, cancel := context.WithTimeout(context.WithValue(t.Context(), key{}, "value"), time.Hour)
	defer cancel()
	for _, stop := range []bool{false, true} {
		rec := &trace.Attempt{StopReplays: stop}
		ctx := rec.Context(parent)
		deadline, ok := ctx.Deadline()
		want, _ := parent.Deadline()
		if !ok || deadline != want || ctx.Value(key{}) != "value" || trace.FromContext(ctx) != rec || ctx.Err() != nil {
			t.Errorf("stop %v: %v, %v", stop, deadline, ctx.Value(key{}))
		}
		child, end := context.WithCancel(ctx)
		if ctx.Value(key{}) != "value" || rec.Held() != stop {
			t.Errorf("stop %v: held %v", stop, rec.Held())
		}
		if rec.Release(); (child.Err() != nil) != stop {
			t.Errorf("stop %v: released, %v", stop, child.Err())
		}
		end()
	}
	cancel()
	if ctx := (&trace.Attempt{StopReplays: true}).Context(parent); ctx.Err() == nil {
		t.Error("the caller has given up, and the attempt goes on")
	} else if _, open := <-ctx.Done(); open {
		t.Error("done is open")
	}
}

// hooksOf are the hooks of an attempt that stops replays, for a test to fire as
// a transport would.
func hooksOf(t *testing.T, a *trace.Attempt, url string) *httptrace.ClientTrace {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	a.StopReplays = true
	out := req.WithContext(a.Context(req.Context()))
	a.Watch(out)
	return httptrace.ContextClientTrace(out.Context())
}

func TestWhatIsAskedAfterAnAnswerIsNoReplay(t *testing.T) {
	for _, row := range []struct {
		why     string
		fire    func(*httptrace.ClientTrace)
		stopped bool
	}{
		{"nothing was answered", func(*httptrace.ClientTrace) {}, true},
		{"an answer, as to a challenge", func(h *httptrace.ClientTrace) { h.GotFirstResponseByte() }, false},
		{"an interim answer, after which HTTP/2 may send it again", func(h *httptrace.ClientTrace) {
			h.GotFirstResponseByte()
			if err := h.Got1xxResponse(http.StatusEarlyHints, nil); err != nil {
				t.Error(err)
			}
		}, true},
	} {
		a := &trace.Attempt{N: 1}
		h := hooksOf(t, a, "https://lab/") // of a transport that shows no connection, and so may speak HTTP/2
		h.GetConn("lab:443")
		h.GotConn(httptrace.GotConnInfo{})
		row.fire(h)
		h.GetConn("lab:443")
		if _, stopped := a.Replay(); stopped != row.stopped {
			t.Errorf("%s: stopped %v, want %v", row.why, stopped, row.stopped)
		}
		if ev := a.End(t.Context(), t.Context()); !row.stopped && (ev.Acquisitions != 2 || !ev.Exposed) {
			t.Errorf("%s: %d acquisitions, exposed %v; want 2, true", row.why, ev.Acquisitions, ev.Exposed)
		}
		a.Release()
	}
}

func TestAnAttemptBelowWatchesForItself(t *testing.T) {
	above := &trace.Attempt{N: 1, StopReplays: true}
	ctx := above.Context(t.Context())
	for n := 1; n <= 2; n++ {
		below := &trace.Attempt{N: n, StopReplays: true}
		h := httptrace.ContextClientTrace(below.Context(ctx))
		h.GetConn("lab:80")
		h.GotConn(httptrace.GotConnInfo{})
	}
	if _, stopped := above.Replay(); stopped || ctx.Err() != nil {
		t.Errorf("the second attempt below was stopped (%v): %v", stopped, ctx.Err())
	}
}

func TestTheContextOfAnAnswerOutlivesItsAttempt(t *testing.T) {
	type key struct{}
	parent, cancel := context.WithCancel(context.WithValue(t.Context(), key{}, "value"))
	a := &trace.Attempt{N: 1, StopReplays: true}
	own, answered := a.Context(parent), a.AnsweredContext()
	if own.Done() == nil {
		t.Fatal("the attempt cannot be ended")
	}
	a.Release()
	if own.Err() == nil || answered.Err() != nil || trace.FromContext(answered) != a || answered.Value(key{}) != "value" ||
		httptrace.ContextClientTrace(answered) != nil {
		t.Errorf("own %v, answered %v", own.Err(), answered.Err())
	}
	if cancel(); answered.Err() == nil {
		t.Error("the caller's end is not the answer's")
	}
}
