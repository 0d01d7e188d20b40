package trace_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"strings"
	"testing"
	"time"

	"github.com/retry-lab/retry-lab/classifier"
	"github.com/retry-lab/retry-lab/servers"
	"github.com/retry-lab/retry-lab/trace"
)

// overHTTP2 runs f with a server's options and a counting transport, over TLS
// and over plain TCP.
func overHTTP2(t *testing.T, f func(t *testing.T, o servers.HTTP2Options, tr *http.Transport)) {
	transport := func(t *testing.T) *http.Transport {
		tr := &http.Transport{DialContext: trace.Dial((&net.Dialer{}).DialContext), ForceAttemptHTTP2: true}
		t.Cleanup(tr.CloseIdleConnections)
		return tr
	}
	t.Run("tls", func(t *testing.T) {
		a, err := servers.NewAuthority()
		if err != nil {
			t.Fatal(err)
		}
		cert, err := a.Issue(servers.CertOptions{})
		if err != nil {
			t.Fatal(err)
		}
		tr := transport(t)
		tr.TLSClientConfig = &tls.Config{RootCAs: a.Pool()}
		f(t, servers.HTTP2Options{Options: servers.Options{TLS: &tls.Config{Certificates: []tls.Certificate{cert}}}}, tr)
	})
	t.Run("h2c", func(t *testing.T) {
		tr := transport(t)
		tr.Protocols = new(http.Protocols)
		tr.Protocols.SetUnencryptedHTTP2(true)
		f(t, servers.HTTP2Options{}, tr)
	})
}

// attempt is one traced POST, and what it failed with.
func attempt(ctx context.Context, t *testing.T, tr *http.Transport, url string) (classifier.Evidence, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader("12 euros"))
	if err != nil {
		t.Fatal(err)
	}
	a := trace.Begin(1)
	resp, err := (&http.Client{Transport: tr}).Do(a.Request(req))
	if err == nil {
		resp.Body.Close()
	}
	return a.End(context.Background(), ctx), err
}

func TestHTTP2IsToldFromHTTP1(t *testing.T) {
	overHTTP2(t, func(t *testing.T, o servers.HTTP2Options, tr *http.Transport) {
		srv := servers.Must[*servers.Server](t)(servers.NewHTTP2(o, func(s *servers.Stream) {
			if s.ReadBody() == nil {
				s.Answer(200, nil, "")
			}
		}))
		for range 2 { // the first makes the connection, the second finds it
			if ev, err := attempt(t.Context(), t, tr, srv.URL()); err != nil || !ev.HTTP2 || !ev.Counted || ev.BytesOut == 0 {
				t.Errorf("%v, %+v", err, ev)
			}
		}
	})
	srv := servers.Must[*servers.Server](t)(servers.NewStatus(servers.Options{}, 200, nil))
	tr := &http.Transport{DialContext: trace.Dial((&net.Dialer{}).DialContext)}
	defer tr.CloseIdleConnections()
	if ev, err := attempt(t.Context(), t, tr, srv.URL()); err != nil || ev.HTTP2 || !ev.Counted {
		t.Errorf("HTTP/1: %v, %+v", err, ev)
	}
}

// RoundTrip returns at once when a context ends, with its hooks still to come:
// that none has fired proves nothing over HTTP/2.
func TestGivingUpOverHTTP2NeverLooksUnsent(t *testing.T) {
	overHTTP2(t, func(t *testing.T, o servers.HTTP2Options, tr *http.Transport) {
		for range 50 {
			srv := servers.Must[*servers.Server](t)(servers.NewHTTP2(o, func(s *servers.Stream) {
				if s.ReadBody() == nil {
					s.Commit()
					s.Stall()
				}
			}))
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				srv.Ledger().Await(t.Context(), func(r servers.Record) bool { return r.Committed() == 1 })
				cancel()
			}()
			ev, err := attempt(ctx, t, tr, srv.URL())
			if f := classifier.FromError(err, ev); f.Code != classifier.Canceled || f.Processed != classifier.Maybe {
				t.Fatalf("%v is %+v; evidence %+v", err, f, ev)
			}
			srv.Close()
		}
	})
}

// The server acts on a bare POST and resets it with PROTOCOL_ERROR; net/http
// sends it again, and finds nobody. The error is that of a refused dial.
func TestAReplayOntoADeadPortIsExposed(t *testing.T) {
	overHTTP2(t, func(t *testing.T, o servers.HTTP2Options, tr *http.Transport) {
		srv := servers.Must[*servers.Server](t)(servers.NewHTTP2Fault(servers.HTTP2FaultOptions{HTTP2Options: o, Fault: "protocol-error"}))
		dead := servers.Must[*servers.Refused](t)(servers.NewRefused())
		dials := 0
		tr.DialContext = trace.Dial(func(ctx context.Context, network, addr string) (net.Conn, error) {
			if dials++; dials > 1 {
				addr = dead.Addr()
			}
			return (&net.Dialer{}).DialContext(ctx, network, addr)
		})
		ev, err := attempt(t.Context(), t, tr, srv.URL())
		f := classifier.FromError(err, ev)
		if f.Code != "ECONNREFUSED" || f.Phase != classifier.PhaseConnect || !ev.Exposed || f.Processed != classifier.Maybe {
			t.Errorf("%v is %+v; evidence %+v", err, f, ev)
		}
		if r := srv.Finish(time.Time{}); r.Committed() != 1 {
			t.Errorf("%d committed, want 1", r.Committed())
		}
	})
}

// An earlier connection exposes what it took. The hooks are called by hand:
// net/http loses a connection between the pool and the first byte by a race.
func TestOnlyWhatAConnectionTookIsExposed(t *testing.T) {
	for _, tc := range []struct {
		why     string
		writes  bool
		exposed bool
	}{
		{"HTTP/2, the connection dead before the first byte", false, false},
		{"HTTP/2, something was sent", true, true},
	} {
		ours, peer := net.Pipe()
		go io.Copy(io.Discard, peer)
		c, err := trace.Dial(func(context.Context, string, string) (net.Conn, error) { return ours, nil })(t.Context(), "", "")
		if err != nil {
			t.Fatal(err)
		}
		write(t, c, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00")
		req, err := http.NewRequest(http.MethodPost, "http://lab/", nil)
		if err != nil {
			t.Fatal(err)
		}
		a := trace.Begin(1)
		hooks := httptrace.ContextClientTrace(a.Request(req).Context())
		hooks.GetConn("lab:80")
		hooks.GotConn(httptrace.GotConnInfo{Conn: c, Reused: true})
		if tc.writes {
			write(t, c, "frame")
		}
		hooks.GetConn("lab:80")
		hooks.GotConn(httptrace.GotConnInfo{Conn: c})
		ev := a.End(t.Context(), t.Context())
		if ev.Exposed != tc.exposed || !ev.HTTP2 || ev.Acquisitions != 2 {
			t.Errorf("%s: %+v", tc.why, ev)
		}
		if err := errors.Join(c.Close(), peer.Close()); err != nil {
			t.Error(err)
		}
	}
}

func write(t *testing.T, w io.Writer, s string) {
	t.Helper()
	if _, err := io.WriteString(w, s); err != nil {
		t.Fatal(err)
	}
}
