package retry_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/retry-lab/retry-lab/classifier"
	"github.com/retry-lab/retry-lab/retry"
	"github.com/retry-lab/retry-lab/servers"
)

// cutting serves content, and breaks off the first cuts answers at byte at of
// their body.
type cutting struct {
	content []byte
	etag    string // of the whole; changed: another one from the second answer on
	changed string
	at      int
	cuts    int64
	asked   int64 // read once all are answered
	ranges  []string
}

func (c *cutting) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.asked++
	n := c.asked
	c.ranges = append(c.ranges, r.Header.Get("Range"))
	etag := c.etag
	if c.changed != "" && n > 1 {
		etag = c.changed
	}
	if etag != "" {
		w.Header().Set("Etag", etag)
	}
	if n <= c.cuts {
		w = &cutter{ResponseWriter: w, left: c.at}
	}
	http.ServeContent(w, r, "report.txt", time.Time{}, bytes.NewReader(c.content))
}

// cutter passes on so many bytes and then breaks the connection.
type cutter struct {
	http.ResponseWriter
	left int
}

func (c *cutter) Write(p []byte) (int, error) {
	if len(p) <= c.left {
		c.left -= len(p)
		return c.ResponseWriter.Write(p)
	}
	c.ResponseWriter.Write(p[:c.left])
	c.ResponseWriter.(http.Flusher).Flush()
	panic(http.ErrAbortHandler)
}

func TestATruncatedBodyIsFetchedAgain(t *testing.T) {
	content := bytes.Repeat([]byte("0123456789abcdef"), 20_000) // 320 kB
	const held = 64 << 10
	rows := []struct {
		why      string
		server   cutting
		refetch  int64
		whole    bool
		requests int64
		ranges   string
	}{
		{"not unless it is asked for", cutting{content: content, etag: `"v1"`, at: 1000, cuts: 1}, 0, false, 1, "[]"},
		{"within what is held back: all of it", cutting{content: content, at: 1000, cuts: 1}, held, true, 2, "[ ]"},
		{"twice", cutting{content: content, at: 1000, cuts: 2}, held, true, 3, "[  ]"},
		{"beyond it, the rest", cutting{content: content, etag: `"v1"`, at: 100_000, cuts: 1}, held, true, 2, "[ bytes=100000-]"},
		{"the rest of the rest", cutting{content: content, etag: `"v1"`, at: 100_000, cuts: 2}, held, true, 3, "[ bytes=100000- bytes=200000-]"},
		{"not without an ETag", cutting{content: content, at: 100_000, cuts: 1}, held, false, 1, "[]"},
		{"not with a weak one", cutting{content: content, etag: `W/"v1"`, at: 100_000, cuts: 1}, held, false, 1, "[]"},
		{"not of something else", cutting{content: content, etag: `"v1"`, changed: `"v2"`, at: 100_000, cuts: 1}, held, false, 2, "[ bytes=100000-]"},
		{"not more often than there are attempts", cutting{content: content, etag: `"v1"`, at: 80_000, cuts: 9}, held, false, 3, "[ bytes=80000- bytes=160000-]"},
	}
	for _, row := range rows {
		t.Run(row.why, func(t *testing.T) {
			srv := httptest.NewServer(&row.server)
			defer srv.Close()
			p := quick()
			p.RefetchTruncated = row.refetch
			resp, err := sendTo(t, transport(t, p, nil), t.Context(), "GET", srv.URL, "", "")
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			if whole := err == nil && bytes.Equal(got, content); whole != row.whole {
				t.Errorf("%d bytes, %v; want the whole %v", len(got), err, row.whole)
			}
			if err == nil != row.whole {
				t.Errorf("error %v", err)
			}
			if !bytes.HasPrefix(content, got) {
				t.Error("what was read is not what was served")
			}
			if n := row.server.asked; n != row.requests || fmt.Sprint(row.server.ranges) != row.ranges {
				t.Errorf("%d requests for %q; want %d for %s", n, row.server.ranges, row.requests, row.ranges)
			}
		})
	}
}

// A body may be closed by another goroutine than the one that reads it, while
// the rest is waited or asked for: both end at once.
func TestABodyThatIsClosedIsNotResumed(t *testing.T) {
	content := bytes.Repeat([]byte("0123456789abcdef"), 20_000)
	for _, row := range []struct {
		why  string
		wait bool // before the rest is asked for; else its answer never comes
	}{{"in the wait", true}, {"in the request for the rest", false}} {
		t.Run(row.why, func(t *testing.T) {
			asked, over := make(chan struct{}), make(chan struct{})
			serve := &cutting{content: content, etag: `"v1"`, at: 100_000, cuts: 1}
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Range") != "" {
					close(asked)
					<-over
					return
				}
				serve.ServeHTTP(w, r)
			}))
			defer srv.Close()
			defer close(over)
			p := quick()
			p.RefetchTruncated = 1000
			if row.wait {
				p.Sleep = func(ctx context.Context, _ time.Duration) error {
					close(asked)
					<-ctx.Done()
					return ctx.Err()
				}
			}
			resp, err := sendTo(t, transport(t, p, nil), t.Context(), "GET", srv.URL, "", "")
			if err != nil {
				t.Fatal(err)
			}
			read := make(chan error)
			go func() {
				_, err := io.ReadAll(resp.Body)
				read <- err
			}()
			<-asked
			resp.Body.Close()
			if err := <-read; err == nil {
				t.Error("the body is whole")
			}
			if _, err := resp.Body.Read(make([]byte, 1)); err == nil {
				t.Error("it can be read on")
			}
		})
	}
}

// The work is done, whatever became of its answer.
func TestATruncatedAnswerIsNoReasonToDoTheWorkAgain(t *testing.T) {
	for _, how := range []servers.Break{servers.TruncatedLength, servers.TruncatedChunk, servers.ResetMidBody} {
		srv := servers.Must[*servers.Server](t)(servers.NewBroken(servers.Options{}, how))
		p := quick()
		p.RefetchTruncated = 1 << 20
		resp, err := sendTo(t, transport(t, p, nil), t.Context(), "POST", srv.URL(), "amount=4200", "")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadAll(resp.Body); err == nil {
			t.Errorf("%s: the body is whole", how)
		}
		resp.Body.Close()
		report, _ := retry.ReportOf(resp)
		if r := srv.Finish(time.Time{}); r.Committed() != 1 || report.Processed != classifier.Yes {
			t.Errorf("%s: %d committed; report %+v", how, r.Committed(), report)
		}
	}
}

// A body that breaks off every time comes out as net/http gives it: what there
// is of it, and the error.
func TestABodyThatAlwaysBreaksOffComesOutAsItIs(t *testing.T) {
	srv := servers.Must[*servers.Server](t)(servers.NewBroken(servers.Options{}, servers.TruncatedLength))
	p := quick()
	p.RefetchTruncated = 1 << 20
	resp, err := sendTo(t, transport(t, p, nil), t.Context(), "GET", srv.URL(), "", "")
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(resp.Body)
	if err != io.ErrUnexpectedEOF || len(got) != servers.BrokenBody/2 {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	resp.Body.Close()
	a := retry.Attempts(resp)
	if len(a) != 3 || a[0].Code != classifier.Truncated || a[0].Phase != classifier.PhaseReadBody || a[0].Status != 200 {
		t.Errorf("%+v", a)
	}
}

func TestABodyThatStallsIsFetchedAgainWhenItsTimeIsUp(t *testing.T) {
	srv := servers.Must[*servers.Server](t)(servers.NewStall(servers.StallOptions{Begin: true}))
	p := quick()
	p.RefetchTruncated, p.AttemptTimeout = 1<<20, 50*time.Millisecond
	resp, err := sendTo(t, transport(t, p, nil), t.Context(), "GET", srv.URL(), "", "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(resp.Body); err == nil {
		t.Error("the body is whole")
	}
	resp.Body.Close()
	a := retry.Attempts(resp)
	if len(a) != 3 || a[0].Code != classifier.Timeout || a[0].Phase != classifier.PhaseReadBody {
		t.Errorf("%+v", a)
	}
}

func TestAnUpgradedConnectionKeepsItsWriter(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, rw, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer c.Close()
		io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
		line, err := rw.ReadString('\n')
		if err != nil {
			t.Error(err)
		}
		io.WriteString(c, strings.ToUpper(line))
	}))
	defer srv.Close()
	for _, timeout := range []time.Duration{0, time.Minute} {
		p := quick()
		p.AttemptTimeout = timeout
		r, err := http.NewRequestWithContext(t.Context(), "GET", srv.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Connection", "Upgrade")
		r.Header.Set("Upgrade", "echo")
		resp, err := transport(t, p, nil).RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		rw, ok := resp.Body.(io.ReadWriteCloser)
		if resp.StatusCode != 101 || !ok {
			t.Fatalf("%s with a body of %T", resp.Status, resp.Body)
		}
		if _, err := io.WriteString(rw, "hello\n"); err != nil {
			t.Fatal(err)
		}
		if got := read(t, resp); got != "HELLO\n" {
			t.Errorf("got %q", got)
		}
	}
}
