package servers

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is how long a test waits for what must happen.
const patience = 30 * time.Second

// client is net/http as everybody has it, with connections of its own.
func client(t *testing.T) *http.Client {
	tr := http.DefaultTransport.(*http.Transport).Clone()
	tr.Proxy = nil
	tr.TLSClientConfig = clientTLS(t)
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr}
}

// dial is a plain socket that the test closes.
func dial(t *testing.T, addr string) *net.TCPConn {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatalf("dial: %v", err)
	}
	t.Cleanup(func() { c.Close() })
	return c.(*net.TCPConn)
}

// write sends s, which must be taken whole.
func write(t *testing.T, c io.Writer, s string) {
	t.Helper()
	if _, err := io.WriteString(c, s); err != nil {
		t.Fatalf("write: %v", err)
	}
}

// respond reads one response to a request of that method.
func respond(t *testing.T, br *bufio.Reader, method string) (*http.Response, string) {
	t.Helper()
	r, err := http.ReadResponse(br, &http.Request{Method: method})
	if err != nil {
		t.Fatalf("read response: %v", err)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatalf("read response body: %v", err)
	}
	return r, string(body)
}

// await waits for the server's side of an event.
func await(t *testing.T, l *Ledger, what string, done func(Record) bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := l.Await(ctx, done); err != nil {
		t.Fatalf("%s: %v; ledger %+v", what, err, l.Record(time.Time{}))
	}
}

// idle waits until every connection has been given up. That an answer was
// entered is too early to close: the entry comes before the bytes.
func idle(t *testing.T, srv *Server) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		srv.mu.Lock()
		n := len(srv.conns)
		srv.mu.Unlock()
		if n == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d connections are still open", n)
		}
	}
}

// only is the record's one delivery.
func only(t *testing.T, r Record) Delivery {
	t.Helper()
	if len(r.Deliveries) != 1 {
		t.Fatalf("%d deliveries, want 1: %+v", len(r.Deliveries), r.Deliveries)
	}
	return r.Deliveries[0]
}

// post is a POST with a body that net/http can rewind.
func post(t *testing.T, c *http.Client, url, key, body string) (*http.Response, string, error) {
	t.Helper()
	req, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if key != "" {
		req.Header.Set(KeyHeader, key)
	}
	r, err := c.Do(req)
	if err != nil {
		return nil, "", err
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	return r, string(b), err
}

// stalling is a server that reads requests and never answers.
func stalling(t *testing.T, o Options) *Server {
	return Must[*Server](t)(start(o, http1(func(x *Exchange) {
		if x.ReadBody() == nil {
			x.Stall()
		}
	})))
}
