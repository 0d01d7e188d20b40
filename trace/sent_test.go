package trace_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"os"
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

// The error of a client that followed a redirect names the last URL, and the
// method of the first request. Where the last URL is the first one again,
// nothing in the error tells that there was an answer.
func TestARedirectBackToTheSameURLIsSeenByATraceOnly(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + ln.Addr().String() + "/charge"
	go func() {
		c, err := ln.Accept()
		ln.Close() // nobody listens by the time the answer is read
		if err != nil {
			return
		}
		defer c.Close()
		r, err := http.ReadRequest(bufio.NewReader(c))
		if err != nil {
			return
		}
		if _, err := io.Copy(io.Discard, r.Body); err == nil { // unread, it would become a reset
			io.WriteString(c, "HTTP/1.1 303 See Other\r\nLocation: "+url+"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
		}
	}()
	_, ev, err := postThrough(t, url)
	if err == nil {
		t.Fatal("the second request was answered")
	}
	if f := classifier.FromError(err, ev); f.Processed != classifier.Yes {
		t.Errorf("traced: %+v, want processed yes: the POST was answered with 303", f)
	}
	if f := classifier.FromError(err, classifier.Evidence{Request: ev.Request}); f.Processed != classifier.Never {
		t.Errorf("untraced: %+v; the documentation says that it is never, and wrong", f)
	}
}

// A foreign transport's connection is none of net/http's: what protocol it
// speaks is not known, nor whether its hooks come before the bytes.
func TestAConnectionThatShowsNoProtocolProvesNothing(t *testing.T) {
	ours, theirs := net.Pipe()
	defer ours.Close()
	defer theirs.Close()
	for _, row := range []struct {
		why  string
		conn net.Conn
	}{{"TLS of its own making", ours}, {"none at all", nil}} {
		req, err := http.NewRequest(http.MethodPost, "https://127.0.0.1/", strings.NewReader("12 euros"))
		if err != nil {
			t.Fatal(err)
		}
		a := trace.Begin(1)
		out := a.Request(req)
		hooks := httptrace.ContextClientTrace(out.Context())
		hooks.GetConn("127.0.0.1:443")
		hooks.GotConn(httptrace.GotConnInfo{Conn: row.conn})
		ev := a.End(t.Context(), t.Context())
		if f := classifier.FromError(os.ErrDeadlineExceeded, ev); f.Processed != classifier.Maybe {
			t.Errorf("%s: %s in phase %s, processed %s; want maybe", row.why, f.Code, f.Phase, f.Processed)
		}
	}
}
