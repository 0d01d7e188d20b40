package retry_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/retry-lab/retry-lab/classifier"
	"github.com/retry-lab/retry-lab/retry"
)

// aging answers the first request of each of its connections once there are
// that many; on the second it closes without an answer. seconds counts those.
type aging struct {
	ln      net.Listener
	first   sync.WaitGroup
	seconds atomic.Int64
	all     sync.WaitGroup
}

func newAging(t *testing.T, connections int) *aging {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	a := &aging{ln: ln}
	a.first.Add(connections)
	a.all.Go(func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			a.all.Go(func() { a.serve(c) })
		}
	})
	t.Cleanup(func() {
		ln.Close()
		a.all.Wait()
	})
	return a
}

func (a *aging) serve(c net.Conn) {
	defer c.Close()
	r := bufio.NewReader(c)
	if _, err := http.ReadRequest(r); err != nil {
		return
	}
	a.first.Done()
	a.first.Wait()
	if _, err := io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"); err != nil {
		return
	}
	if _, err := http.ReadRequest(r); err == nil {
		a.seconds.Add(1)
	}
}

// With an idle connection at hand net/http may have the replay on its way
// before it looks at the context.
func TestNoReplaySlipsThroughWithConnectionsAtHand(t *testing.T) {
	want := 780
	if testing.Short() {
		want = 50
	}
	for rounds := 0; rounds < want; {
		if slipRound(t, 4) {
			rounds++
		}
	}
}

// slipRound lets one of a few idle connections break. It is false if net/http
// has not kept all of them, see warm: then there may be none at hand.
func slipRound(t *testing.T, idle int) bool {
	srv := newAging(t, idle)
	var report retry.Report
	p := quick()
	p.MaxAttempts = 1
	p.OnDone = func(r retry.Report) { report = r }
	tr := transport(t, p, func(tr *http.Transport) { tr.MaxIdleConnsPerHost = idle })
	url := "http://" + srv.ln.Addr().String()
	var all sync.WaitGroup
	var kept atomic.Int64
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{PutIdleConn: func(err error) {
		if err == nil {
			kept.Add(1)
		}
	}})
	for range idle {
		all.Go(func() {
			resp, err := sendTo(t, tr, retry.Off(ctx), "GET", url, "", "")
			if err != nil {
				t.Error(err)
				return
			}
			read(t, resp)
		})
	}
	all.Wait()
	if int(kept.Load()) < idle {
		tr.CloseIdleConnections()
		return false
	}
	_, err := sendTo(t, tr, t.Context(), "GET", url, "", "")
	if err == nil {
		t.Fatal("the second request of a connection is never answered")
	}
	tr.CloseIdleConnections()
	srv.ln.Close()
	srv.all.Wait()
	if n := srv.seconds.Load(); n != 1 || report.Replays != 0 {
		t.Fatalf("%d deliveries; report %+v", n, report)
	}
	first := report.Attempts[0]
	if first.Code != classifier.EOF || first.Phase != classifier.PhaseAwait || first.Processed != classifier.Maybe || !first.Reused {
		t.Errorf("the attempt is %+v", first)
	}
	return true
}
