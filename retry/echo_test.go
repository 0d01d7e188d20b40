package retry_test

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/retry-lab/retry-lab/classifier"
	"github.com/retry-lab/retry-lab/retry"
)

// After an attempt that may have worked, the next answer may speak of that.
func TestAnAnswerMayBeTheEchoOfAnEarlierAttempt(t *testing.T) {
	key := &retry.KeyPolicy{Auto: true}
	exists := answer(409, "order already exists", "Content-Type", "text/plain")
	rows := []struct {
		why, method string
		key         *retry.KeyPolicy
		base        *script
		want        string
	}{
		{"what is gone may have been deleted by us", "DELETE", nil, play(status(500), status(404)), "ambiguous"},
		{"it was gone before", "DELETE", nil, play(status(404)), "failed"},
		{"and after an attempt that did no work", "DELETE", nil, play(status(503), status(404)), "failed"},
		{"a condition may have been met by us", "PUT", nil, play(fails(io.EOF), status(412)), "ambiguous"},
		{"it was not met before", "PUT", nil, play(status(412)), "failed"},
		{"what exists may be of our making", "POST", key, play(status(502), exists), "ambiguous"},
		{"a read has no echo", "GET", nil, play(status(500), status(404)), "failed"},
	}
	for _, row := range rows {
		t.Run(row.why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := steady()
				p.Key = row.key
				resp, err := (&retry.Transport{Base: row.base, Policy: p}).RoundTrip(request(t, t.Context(), row.method, ""))
				if err != nil {
					t.Fatal(err)
				}
				read(t, resp)
				if r, _ := retry.ReportOf(resp); r.Outcome() != row.want {
					t.Errorf("%s: %+v", r.Outcome(), r)
				}
			})
		})
	}
}

func TestTheConnectionOfAFailedAnswerIsUsedAgain(t *testing.T) {
	var asked atomic.Int64
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1) < 3 {
			w.WriteHeader(http.StatusServiceUnavailable)
			io.WriteString(w, strings.Repeat("sorry ", 5000))
		}
	}))
	defer srv.Close()
	dial, _ := connections()
	var dials atomic.Int64
	tr := transport(t, quick(), func(tr *http.Transport) {
		tr.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
			dials.Add(1)
			return dial(ctx, network, addr)
		}
	})
	resp, err := sendTo(t, tr, t.Context(), "GET", srv.URL, "", "")
	if err != nil {
		t.Fatal(err)
	}
	read(t, resp)
	if a := retry.Attempts(resp); len(a) != 3 || dials.Load() != 1 || !a[2].Reused {
		t.Errorf("%d connections for %+v", dials.Load(), a)
	}
}

// An answer that goes on for ever is not waited for.
func TestTheBodyOfAFailedAnswerIsNotReadForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		stalled := func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 503, Header: http.Header{}, Body: r}, nil
		}
		start := time.Now()
		resp, err := (&retry.Transport{Base: play(stalled, status(200)), Policy: steady()}).RoundTrip(request(t, t.Context(), "GET", ""))
		if err != nil {
			t.Fatal(err)
		}
		read(t, resp)
		if took := time.Since(start); took > 1500*time.Millisecond {
			t.Errorf("it took %v", took)
		}
		if _, err := w.Write([]byte("late")); err != io.ErrClosedPipe {
			t.Errorf("the body is open: %v", err)
		}
	})
}

func TestAStreamIsClosedWhenItWasSent(t *testing.T) {
	for _, code := range []int{200, 404} {
		body := &closing{Reader: oneWay{strings.NewReader("x")}}
		r, err := http.NewRequestWithContext(t.Context(), "POST", "http://lab/", body)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := (&retry.Transport{Base: play(status(code))}).RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		read(t, resp)
		if body.times != 1 {
			t.Errorf("%d: closed %d times, want once", code, body.times)
		}
	}
}

func TestWhatThePolicyAddsNeedsABodyTooThatCanBeSentAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := play(status(404))
		p := retry.Policy{BufferBody: -1, Statuses: retry.Changes[int]{Add: []int{404}}, Unsafe: true}
		r, err := http.NewRequestWithContext(t.Context(), "PUT", "http://lab/", oneWay{strings.NewReader("x")})
		if err != nil {
			t.Fatal(err)
		}
		resp, err := (&retry.Transport{Base: base, Policy: p}).RoundTrip(r)
		if err != nil || resp.StatusCode != 404 || len(base.sent) != 1 {
			t.Fatalf("%v, %v after %d requests", resp, err, len(base.sent))
		}
		read(t, resp)
	})
}

// A server that answers a range with another one has not continued.
func TestAnotherRangeIsNotTheRest(t *testing.T) {
	content := bytes.Repeat([]byte("0123456789"), 20_000)
	asked := 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		w.Header().Set("Etag", `"v1"`)
		if asked == 1 {
			c := &cutter{ResponseWriter: w, left: 100_000}
			http.ServeContent(c, r, "x.txt", time.Time{}, bytes.NewReader(content))
		}
		w.Header().Set("Content-Range", "bytes 99999-199999/200000")
		w.WriteHeader(http.StatusPartialContent)
		w.Write(content[99_999:])
	}))
	defer srv.Close()
	p := quick()
	p.RefetchTruncated = 1000
	resp, err := sendTo(t, transport(t, p, nil), t.Context(), "GET", srv.URL, "", "")
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	if err == nil || len(got) != 100_000 || asked != 2 {
		t.Errorf("%d bytes, %v, after %d requests", len(got), err, asked)
	}
}

// A connection of HTTP/2 that turned out to be dead took nothing: the next
// attempt needs no wait, whatever the request is.
func TestARequestThatFoundADeadConnectionIsSentAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dead := func(r *http.Request) (*http.Response, error) {
			hooks := httptrace.ContextClientTrace(r.Context())
			hooks.GetConn("lab:80")
			hooks.GotConn(httptrace.GotConnInfo{Reused: true})
			hooks.GotConn(httptrace.GotConnInfo{}) // net/http tries another one
			return nil, r.Context().Err()
		}
		start := time.Now()
		tr := &retry.Transport{Base: unread(dead, status(200)), Policy: steady()}
		resp, err := tr.RoundTrip(request(t, t.Context(), "POST", "")) // a bare one, without a body
		if err != nil {
			t.Fatal(err)
		}
		read(t, resp)
		a := retry.Attempts(resp)
		if len(a) != 2 || a[0].Phase != classifier.PhaseWrite || a[0].Basis != classifier.Guaranteed || time.Since(start) != 0 {
			t.Errorf("after %v: %+v", time.Since(start), a)
		}
	})
}
