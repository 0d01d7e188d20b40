package retry_test

import (
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"testing"

	"github.com/retry-lab/retry-lab/retry"
)

// reused is a base that answers at once and fires the hooks of a connection
// that had carried a request before.
type reused struct{ answer *http.Response }

func (s reused) RoundTrip(r *http.Request) (*http.Response, error) {
	if h := httptrace.ContextClientTrace(r.Context()); h != nil {
		h.GetConn("lab:80")
		h.GotConn(httptrace.GotConnInfo{Reused: true})
		h.WroteHeaders()
		h.WroteRequest(httptrace.WroteRequestInfo{})
		h.GotFirstResponseByte()
	}
	return s.answer, nil
}

func newReused() reused {
	return reused{&http.Response{StatusCode: 200, Status: "200 OK", Header: http.Header{}, Body: http.NoBody}}
}

func BenchmarkStubBare(b *testing.B) {
	benchmarkGet(b, newReused())
}

func BenchmarkStubTransport(b *testing.B) {
	benchmarkGet(b, &retry.Transport{Base: newReused()})
}

func benchmarkGet(b *testing.B, rt http.RoundTripper) {
	req, err := http.NewRequestWithContext(b.Context(), http.MethodGet, "http://lab/", nil)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		resp, err := rt.RoundTrip(req)
		if err != nil {
			b.Fatal(err)
		}
		resp.Body.Close()
	}
}

// maxAllocs is what an attempt that needs no second may cost above none.
const maxAllocs = 8

func TestAnAttemptCostsFewAllocations(t *testing.T) {
	for _, row := range []struct {
		why    string
		method string
		body   func() io.Reader
	}{
		{"a GET", http.MethodGet, func() io.Reader { return nil }},
		{"a POST from a string", http.MethodPost, func() io.Reader { return strings.NewReader("amount=4200") }},
	} {
		bare := allocations(t, newReused(), row.method, row.body)
		with := allocations(t, &retry.Transport{Base: newReused()}, row.method, row.body)
		if with > bare+maxAllocs {
			t.Errorf("%s: %v allocations, %v bare; want at most %d more", row.why, with, bare, maxAllocs)
		}
	}
}

func allocations(t *testing.T, rt http.RoundTripper, method string, body func() io.Reader) float64 {
	t.Helper()
	return testing.AllocsPerRun(200, func() {
		req, err := http.NewRequestWithContext(t.Context(), method, "http://lab/", body())
		if err != nil {
			t.Fatal(err)
		}
		resp, err := rt.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
	})
}
