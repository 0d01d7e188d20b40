package retry_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/retry-lab/retry-lab/retry"
)

// countedBody counts those that are open.
type countedBody struct {
	io.Reader
	open *atomic.Int64
	once sync.Once
}

func (b *countedBody) Close() error {
	b.once.Do(func() { b.open.Add(-1) })
	return nil
}

// A thousand goroutines share a Transport while its server fails in many ways.
// Afterwards nothing is left of it: goleak looks for goroutines at the end.
func TestAThousandGoroutinesLeaveNothingBehind(t *testing.T) {
	const goroutines, each = 1000, 3
	var n atomic.Int64
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch n.Add(1) % 7 {
		case 0:
			panic(http.ErrAbortHandler)
		case 1:
			w.WriteHeader(http.StatusServiceUnavailable)
		case 2:
			w.WriteHeader(http.StatusInternalServerError)
			io.WriteString(w, strings.Repeat("x", 100))
		case 3:
			io.WriteString(w, strings.Repeat("x", 5000))
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		default:
			io.Copy(io.Discard, r.Body)
			io.WriteString(w, "done")
		}
	}))
	defer srv.Close()
	srv.Config.ErrorLog = nil
	dialled, left := connections()
	p := quick()
	p.Budget.Off = true
	p.AttemptTimeout = 30 * time.Second
	p.RefetchTruncated = 1 << 10
	p.Key = &retry.KeyPolicy{Auto: true}
	tr := transport(t, p, func(tr *http.Transport) {
		tr.MaxConnsPerHost, tr.MaxIdleConnsPerHost, tr.DialContext = 64, 64, dialled
	})
	before := descriptors()
	var bodies atomic.Int64
	var all sync.WaitGroup
	for g := range goroutines {
		all.Go(func() {
			for i := range each {
				ctx, cancel := context.WithCancel(t.Context())
				if (g+i)%10 == 0 {
					time.AfterFunc(time.Millisecond, cancel)
				}
				one(t, ctx, tr, srv.URL, (g+i)%4, &bodies)
				cancel()
			}
		})
	}
	all.Wait()
	tr.CloseIdleConnections()
	srv.Close()
	eventually(t, "open request bodies", func() int { return int(bodies.Load()) }, 0)
	eventually(t, "open connections", left, 0)
	if before > 0 {
		eventually(t, "descriptors above before", func() int { return max(descriptors()-before, 0) }, 0)
	}
	if s := tr.Stats(); s.Operations != goroutines*each || s.Retries() == 0 || s.Replays != 0 {
		t.Errorf("stats %+v", s)
	}
}

// one sends a request of one of four kinds and reads what comes.
func one(t *testing.T, ctx context.Context, tr *retry.Transport, url string, kind int, bodies *atomic.Int64) {
	var body io.Reader
	method := "GET"
	if kind > 0 {
		method = []string{"POST", "PUT", "DELETE"}[kind-1]
		bodies.Add(1)
		body = &countedBody{Reader: strings.NewReader(strings.Repeat("a", 2000)), open: bodies}
	}
	r, err := http.NewRequestWithContext(ctx, method, url, body)
	if err != nil {
		t.Error(err)
		return
	}
	resp, err := tr.RoundTrip(r)
	if err != nil {
		return // as it may, or given up
	}
	io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
}

// connections is a dialer, and how many of its connections are open.
func connections() (dial func(context.Context, string, string) (net.Conn, error), open func() int) {
	var n atomic.Int64
	dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := (&net.Dialer{}).DialContext(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		n.Add(1)
		return &counted{Conn: c, n: &n}, nil
	}
	return dial, func() int { return int(n.Load()) }
}

type counted struct {
	net.Conn
	n    *atomic.Int64
	once sync.Once
}

func (c *counted) Close() error {
	c.once.Do(func() { c.n.Add(-1) })
	return c.Conn.Close()
}

// descriptors counts the process's open files; 0 where that cannot be read.
func descriptors() int {
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(list)
}

// eventually waits until what net/http ends in the background has ended.
func eventually(t *testing.T, what string, got func() int, want int) {
	t.Helper()
	end := time.Now().Add(20 * time.Second)
	for got() != want {
		if time.Now().After(end) {
			t.Errorf("%s: %d, want %d", what, got(), want)
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// A context that lives long must not remember the requests that are over.
func TestALongLivedContextForgetsWhatIsOver(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/busy":
			w.WriteHeader(http.StatusServiceUnavailable)
		case "/long":
			io.WriteString(w, strings.Repeat("x", 100_000))
		}
	}))
	defer srv.Close()
	for _, row := range []struct {
		why, path string
		finish    func(*http.Response)
		policy    func(*retry.Policy)
	}{
		{"no body", "/", func(r *http.Response) { r.Body.Close() }, nil},
		{"a body read to its end", "/long", func(r *http.Response) { io.Copy(io.Discard, r.Body) }, nil},
		{"a body closed unread", "/long", func(r *http.Response) { r.Body.Close() }, nil},
		{"several attempts", "/busy", func(r *http.Response) { r.Body.Close() }, nil},
		{"a timer", "/long", func(r *http.Response) { r.Body.Close() }, func(p *retry.Policy) { p.AttemptTimeout = time.Minute }},
		{"a deadline", "/long", func(r *http.Response) { r.Body.Close() }, func(p *retry.Policy) { p.Deadline = time.Minute }},
		{"an error", "/busy", func(r *http.Response) { r.Body.Close() }, func(p *retry.Policy) { p.ErrorOnStatus = true }},
		{"a body held back", "/long", func(r *http.Response) { r.Body.Close() }, func(p *retry.Policy) { p.RefetchTruncated = 10 }},
	} {
		p := quick()
		if row.policy != nil {
			row.policy(&p)
		}
		ctx := &rememberer{Context: context.Background(), done: make(chan struct{})}
		resp, err := sendTo(t, transport(t, p, nil), ctx, "GET", srv.URL+row.path, "", "")
		if ctx.all == 0 {
			t.Errorf("%s: the context was never asked to remember", row.why)
		}
		if err == nil {
			row.finish(resp)
		}
		eventually(t, row.why+": contexts that are remembered", ctx.held, 0)
	}
}

// rememberer is a context that counts who waits for its end.
type rememberer struct {
	context.Context
	done chan struct{}

	mu       sync.Mutex
	now, all int
}

func (r *rememberer) Done() <-chan struct{} { return r.done }

// AfterFunc is how package context waits for a context of another's make.
func (r *rememberer) AfterFunc(func()) (stop func() bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now++
	r.all++
	var once sync.Once
	return func() bool {
		once.Do(func() {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.now--
		})
		return true
	}
}

func (r *rememberer) held() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.now
}

// Over HTTP/2 net/http asks for a connection again when all streams of the one
// it had in mind are taken. Nothing was sent then, and nothing is tried again.
func TestMoreRequestsThanStreamsAreNoReplays(t *testing.T) {
	const requests, streams = 300, 100
	release := make(chan struct{})
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		<-release
		io.WriteString(w, "done")
	}))
	srv.EnableHTTP2 = true
	srv.Config.HTTP2 = &http.HTTP2Config{MaxConcurrentStreams: streams}
	srv.StartTLS()
	defer srv.Close()
	base := srv.Client().Transport.(*http.Transport).Clone()
	tr := &retry.Transport{Base: retry.Counting(base)}
	defer tr.CloseIdleConnections()
	var all sync.WaitGroup
	var more atomic.Int64
	for range requests {
		all.Go(func() {
			resp, err := sendTo(t, tr, t.Context(), "GET", srv.URL, "", "")
			if err != nil {
				t.Error(err)
				return
			}
			if read(t, resp); resp.ProtoMajor != 2 || len(retry.Attempts(resp)) > 1 {
				more.Add(1)
			}
		})
	}
	close(release)
	all.Wait()
	if s := tr.Stats(); more.Load() != 0 || s.Attempts != requests || s.Done != requests {
		t.Errorf("%d took more than one attempt: %+v", more.Load(), s)
	}
}
