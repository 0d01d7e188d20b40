package trace_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/retry-lab/retry-lab/classifier"
	"github.com/retry-lab/retry-lab/trace"
)

func TestSentSaysWhatNetHTTPMayDoWithARequest(t *testing.T) {
	const page = "http://127.0.0.1:1/charge"
	body := func() io.Reader { return strings.NewReader("pay") }
	oneWay := func() io.Reader { return struct{ io.Reader }{body()} }
	for _, row := range []struct {
		why, method, url string
		body             io.Reader
		header           http.Header
		want             classifier.SentRequest
	}{
		{"without a body there is nothing to take again", "GET", page, nil, nil,
			classifier.SentRequest{Method: "GET", URL: page, Rewindable: true}},
		{"nor with one that says so", "POST", page, http.NoBody, nil,
			classifier.SentRequest{Method: "POST", URL: page, Rewindable: true}},
		{"net/http knows how to take a string again", "POST", page, body(), nil,
			classifier.SentRequest{Method: "POST", URL: page, Body: true, Rewindable: true}},
		{"not so a Reader of another kind", "POST", page, oneWay(), nil,
			classifier.SentRequest{Method: "POST", URL: page, Body: true}},
		{"a key", "POST", page, body(), http.Header{"Idempotency-Key": {"a"}},
			classifier.SentRequest{Method: "POST", URL: page, Key: true, Body: true, Rewindable: true}},
		{"its other name", "POST", page, body(), http.Header{"X-Idempotency-Key": {"a"}},
			classifier.SentRequest{Method: "POST", URL: page, Key: true, Body: true, Rewindable: true}},
		{"net/http asks for the name, and takes one without a value", "POST", page, body(), http.Header{"Idempotency-Key": nil},
			classifier.SentRequest{Method: "POST", URL: page, Key: true, Body: true, Rewindable: true}},
		{"https may be HTTP/2", "POST", "https://127.0.0.1:1/", body(), nil,
			classifier.SentRequest{Method: "POST", URL: "https://127.0.0.1:1/", Body: true, Rewindable: true, HTTP2: true}},
	} {
		req, err := http.NewRequest(row.method, row.url, row.body)
		if err != nil {
			t.Fatal(err)
		}
		if row.header != nil {
			req.Header = row.header
		}
		if got := *trace.Sent(req); got != row.want {
			t.Errorf("%s: %+v, want %+v", row.why, got, row.want)
		}
	}
}
