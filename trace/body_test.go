package trace

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

const emptyAnswer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"

// answering answers one connection and ends it; without an answer it only
// reads. got is what its first read returned.
func answering(t *testing.T, answer string) (url string, got func() string) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	first := make(chan string, 1)
	go func() {
		defer close(first)
		c, err := ln.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		b := make([]byte, 64<<10)
		n, _ := c.Read(b)
		first <- string(b[:n])
		if answer != "" {
			io.WriteString(c, answer)
			c.(*net.TCPConn).CloseWrite()
		}
		io.Copy(io.Discard, c)
	}()
	return "http://" + ln.Addr().String(), func() string { return <-first }
}

// A client that is watched must send what it would send unwatched: net/http
// sends a body that it knows to be in memory together with the head.
func TestABodyInMemoryGoesOutWithTheHeadAsItDoesUntraced(t *testing.T) {
	for _, row := range []struct {
		why  string
		body io.Reader
	}{
		{"a strings.Reader", strings.NewReader("amount=4200")},
		{"a bytes.Reader", bytes.NewReader([]byte("amount=4200"))},
		{"a bytes.Buffer", bytes.NewBufferString("amount=4200")},
	} {
		url, got := answering(t, emptyAnswer)
		req, err := http.NewRequest(http.MethodPost, url, row.body)
		if err != nil {
			t.Fatal(err)
		}
		tr := &http.Transport{DialContext: Dial((&net.Dialer{}).DialContext)}
		defer tr.CloseIdleConnections()
		a := Begin(1)
		resp, err := tr.RoundTrip(a.Request(req))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if s := got(); !strings.HasSuffix(s, "\r\n\r\namount=4200") {
			t.Errorf("%s: the first write is %q, want head and body", row.why, s)
		}
		ev := a.End(context.Background(), req.Context())
		if ev.BodyRead != 11 || ev.BodySize != 11 {
			t.Errorf("%s: body read %d of %d, want 11 of 11", row.why, ev.BodyRead, ev.BodySize)
		}
	}
}

type failingBody struct{ err error }

func (f failingBody) Read([]byte) (int, error) { return 0, f.err }

func TestABodyThatFailsIsNoNetworkError(t *testing.T) {
	url, _ := answering(t, "")
	why := errors.New("the export job stopped")
	req, err := http.NewRequest(http.MethodPost, url, io.MultiReader(strings.NewReader("half"), failingBody{why}))
	if err != nil {
		t.Fatal(err)
	}
	tr := &http.Transport{DialContext: Dial((&net.Dialer{}).DialContext)}
	defer tr.CloseIdleConnections()
	a := Begin(1)
	if _, err := tr.RoundTrip(a.Request(req)); !errors.Is(err, why) {
		t.Fatalf("got %v, want the body's own error", err)
	}
	if ev := a.End(context.Background(), req.Context()); !ev.BodyErr || ev.BodyRead != 4 || ev.BodySize != -1 {
		t.Errorf("body failed %v, read %d of %d; want true, 4 of -1", ev.BodyErr, ev.BodyRead, ev.BodySize)
	}
}

// net/http closes the body of a request that has failed otherwise, over HTTP/2
// while it reads it.
func TestABodyThatIsReadAfterItsCloseHasNotFailed(t *testing.T) {
	pr, pw := io.Pipe()
	defer pw.Close()
	req, err := http.NewRequest(http.MethodPost, "http://127.0.0.1/", pr)
	if err != nil {
		t.Fatal(err)
	}
	a := Begin(1)
	out := a.Request(req)
	if err := out.Body.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Body.Read(make([]byte, 1)); !errors.Is(err, io.ErrClosedPipe) {
		t.Fatalf("read after close: %v, want io.ErrClosedPipe", err)
	}
	if ev := a.End(context.Background(), req.Context()); ev.BodyErr {
		t.Error("the body's Reader counts as failed, and was closed")
	}
}

func TestAnAttemptThatWasOverBeforeItWasMadeSaysSo(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, row := range []struct {
		ctx  context.Context
		want bool
	}{{ended, true}, {t.Context(), false}} {
		req, err := http.NewRequestWithContext(row.ctx, http.MethodGet, "http://127.0.0.1/", nil)
		if err != nil {
			t.Fatal(err)
		}
		a := Begin(1)
		a.Request(req)
		if ev := a.End(t.Context(), row.ctx); ev.EndedBefore != row.want {
			t.Errorf("context ended with %v: EndedBefore %v, want %v", row.ctx.Err(), ev.EndedBefore, row.want)
		}
	}
}

func TestTheEndOfAConnectionIsSeen(t *testing.T) {
	for _, row := range []struct {
		why, answer string
		ended       bool
	}{
		{"the head was cut", "HTTP/1.1 200 OK\r\nContent-Le", true},
		{"the head is nonsense, and complete", "HTTP/1.1 200 OK\r\nContent Length\r\n\r\n", false},
	} {
		url, _ := answering(t, row.answer)
		tr := &http.Transport{DialContext: Dial((&net.Dialer{}).DialContext)}
		defer tr.CloseIdleConnections()
		req, err := http.NewRequest(http.MethodGet, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		a := Begin(1)
		if _, err := tr.RoundTrip(a.Request(req)); err == nil {
			t.Fatalf("%s: no error", row.why)
		}
		if ev := a.End(context.Background(), req.Context()); ev.PeerEnded != row.ended || !ev.FirstByte {
			t.Errorf("%s: peer ended %v, first byte %v; want %v, true", row.why, ev.PeerEnded, ev.FirstByte, row.ended)
		}
	}
}
