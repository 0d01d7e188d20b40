package retry_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/retry-lab/retry-lab/retry"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A script is a base that plays one step a request, the last one again and
// again. It reads the request's body, and fires the hooks of a connection, as
// net/http would.
type script struct {
	steps []step

	mu   sync.Mutex
	sent []sent
}

type step func(*http.Request) (*http.Response, error)

// sent is what the base has seen of a request.
type sent struct {
	at     time.Time
	method string
	header http.Header
	body   string
	length int64
	close  bool
}

func play(steps ...step) *script { return &script{steps: steps} }

func (s *script) RoundTrip(r *http.Request) (*http.Response, error) {
	in := sent{at: time.Now(), method: r.Method, header: r.Header.Clone(), length: r.ContentLength, close: r.Close}
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	hooks := httptrace.ContextClientTrace(r.Context())
	hooks.GetConn("lab:80")
	hooks.GotConn(httptrace.GotConnInfo{})
	if r.Body != nil {
		b, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		r.Body.Close()
		in.body = string(b)
	}
	hooks.WroteHeaders()
	hooks.WroteRequest(httptrace.WroteRequestInfo{})
	s.mu.Lock()
	n := min(len(s.sent), len(s.steps)-1)
	s.sent = append(s.sent, in)
	s.mu.Unlock()
	return s.steps[n](r)
}

// gaps are the times between the requests.
func (s *script) gaps() []time.Duration {
	var gaps []time.Duration
	for i := 1; i < len(s.sent); i++ {
		gaps = append(gaps, s.sent[i].at.Sub(s.sent[i-1].at))
	}
	return gaps
}

// status answers, with header fields given as name and value in turn.
func status(code int, fields ...string) step { return answer(code, "the answer", fields...) }

func answer(code int, body string, fields ...string) step {
	return func(*http.Request) (*http.Response, error) {
		h := http.Header{}
		for i := 0; i < len(fields); i += 2 {
			h.Add(fields[i], fields[i+1])
		}
		return &http.Response{
			StatusCode: code, Status: http.StatusText(code), Header: h, ContentLength: int64(len(body)),
			Body: io.NopCloser(strings.NewReader(body)),
		}, nil
	}
}

// fails with an error.
func fails(err error) step {
	return func(*http.Request) (*http.Response, error) { return nil, err }
}

// refusedDial is the error of a dial that was refused, as package net makes it.
func refusedDial() error {
	return &net.OpError{Op: "dial", Net: "tcp", Err: errRefused}
}

// undialled is a base that fails before it has a connection.
type undialled struct {
	err   error
	calls int
}

func (u *undialled) RoundTrip(r *http.Request) (*http.Response, error) {
	u.calls++
	httptrace.ContextClientTrace(r.Context()).GetConn("lab:80")
	if r.Body != nil {
		r.Body.Close()
	}
	return nil, u.err
}

// request makes one; body "" is none.
func request(t testing.TB, ctx context.Context, method, body string) *http.Request {
	t.Helper()
	var rd io.Reader
	if body != "" {
		rd = strings.NewReader(body)
	}
	r, err := http.NewRequestWithContext(ctx, method, "http://lab/charge", rd)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// steady is the zero policy without the randomness: exponential from 1 s.
func steady() retry.Policy {
	return retry.Policy{Backoff: retry.Backoff{Jitter: retry.NoJitter}}
}

// read reads a body to its end and closes it.
func read(t testing.TB, resp *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if err := resp.Body.Close(); err != nil {
		t.Fatal(err)
	}
	return string(b)
}
