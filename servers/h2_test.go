package servers

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// carriers are the two ways to HTTP/2: agreed upon in the TLS handshake, and
// known beforehand.
func carriers(t *testing.T, f func(t *testing.T, o HTTP2Options, c *http.Client)) {
	t.Run("tls", func(t *testing.T) {
		f(t, HTTP2Options{Options: Options{TLS: serverTLS(t)}}, client(t))
	})
	t.Run("h2c", func(t *testing.T) { f(t, HTTP2Options{}, clientH2C(t)) })
}

// clientH2C is net/http that speaks HTTP/2 on plain TCP.
func clientH2C(t *testing.T) *http.Client {
	c := client(t)
	tr := c.Transport.(*http.Transport)
	tr.Protocols = new(http.Protocols)
	tr.Protocols.SetUnencryptedHTTP2(true)
	return c
}

func sumOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

func TestAnswersOverHTTP2(t *testing.T) {
	carriers(t, func(t *testing.T, o HTTP2Options, c *http.Client) {
		srv := Must[*Server](t)(NewHTTP2(o, func(s *Stream) {
			if s.ReadBody() == nil {
				s.Commit()
				s.Answer(503, http.Header{"Retry-After": {"7"}, "Connection": {"close"}}, "later")
			}
		}))
		req, err := http.NewRequest(http.MethodPost, srv.URL()+"/pay?x=1", strings.NewReader("12 euros"))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set(AttemptHeader, "3")
		req.Header.Set(KeyHeader, "order-1")
		r, err := c.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(r.Body)
		r.Body.Close()
		if err != nil || string(body) != "later" || r.ProtoMajor != 2 || r.StatusCode != 503 ||
			r.Header.Get("Retry-After") != "7" || r.Header.Get("Date") == "" || r.ContentLength != 5 {
			t.Errorf("answer %v %q, %v", r, body, err)
		}
		d := only(t, srv.Finish(time.Time{}))
		if d.Attempt != 3 || d.Method != "POST" || d.Path != "/pay" || d.Key != "order-1" || !d.Complete || !d.Committed ||
			d.BodyBytes != 8 || d.BodySHA256 != sumOf([]byte("12 euros")) || d.Answered != 503 || d.Ended != EndedKept {
			t.Errorf("delivery %+v", d)
		}
	})
}

// Both bodies are longer than any window.
func TestLongBodiesFlowBothWays(t *testing.T) {
	carriers(t, func(t *testing.T, o HTTP2Options, c *http.Client) {
		c.Transport.(*http.Transport).HTTP2 = &http.HTTP2Config{MaxReceiveBufferPerStream: 64 << 10}
		srv := Must[*Server](t)(NewHTTP2(o, func(s *Stream) {
			if s.ReadBody() == nil {
				s.Answer(200, nil, strings.Repeat(s.BodySum(), 1<<13)) // 512 KiB
			}
		}))
		sent := bytes.Repeat([]byte("0123456789abcdef"), 3*h2OurWindow/16)
		r, got, err := post(t, c, srv.URL()+"/", "", string(sent))
		if err != nil || r.StatusCode != 200 || got != strings.Repeat(sumOf(sent), 1<<13) {
			t.Fatalf("got %v, %d bytes, %v", r, len(got), err)
		}
		d := only(t, srv.Finish(time.Time{}))
		if d.BodyBytes != int64(len(sent)) || d.BodySHA256 != sumOf(sent) || !d.Complete {
			t.Errorf("delivery %+v", d)
		}
	})
}

func TestABodyPastItsBoundIsCut(t *testing.T) {
	for _, size := range []int{1001, 1 << 20} { // whole in one frame, and far from whole
		bodyPastItsBound(t, size)
	}
}

func bodyPastItsBound(t *testing.T, size int) {
	carriers(t, func(t *testing.T, o HTTP2Options, c *http.Client) {
		o.MaxBody = 1000
		var failed error
		done := make(chan struct{})
		srv := Must[*Server](t)(NewHTTP2(o, func(s *Stream) {
			defer close(done)
			failed = s.ReadBody()
		}))
		_, _, err := post(t, c, srv.URL()+"/", "", strings.Repeat("x", size))
		if err == nil || !strings.Contains(err.Error(), "CANCEL") {
			t.Errorf("client: %v, want CANCEL", err)
		}
		<-done
		if d := only(t, srv.Finish(time.Time{})); failed != errBodyTooLong || d.Complete != (size == 1001) || d.Ended != EndedRST {
			t.Errorf("fault: %v; delivery %+v", failed, d)
		}
	})
}

func TestAClientMayHoldItsBodyBack(t *testing.T) {
	carriers(t, func(t *testing.T, o HTTP2Options, c *http.Client) {
		c.Transport.(*http.Transport).ExpectContinueTimeout = patience
		srv := Must[*Server](t)(NewHTTP2(o, func(s *Stream) {
			if s.ReadBody() == nil {
				s.Answer(200, nil, "")
			}
		}))
		req, err := http.NewRequest(http.MethodPost, srv.URL(), strings.NewReader("held"))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Expect", "100-continue")
		start := time.Now()
		r, err := c.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
		if took := time.Since(start); took > patience/2 {
			t.Errorf("the body came after %v", took)
		}
		if d := only(t, srv.Finish(time.Time{})); d.BodyBytes != 4 || d.Answered != 200 {
			t.Errorf("delivery %+v", d)
		}
	})
}

// An answer that does not wait for the body ends with NO_ERROR, so that the
// client keeps it (RFC 9113 section 8.1).
func TestAnAnswerBeforeTheBodyIsKept(t *testing.T) {
	carriers(t, func(t *testing.T, o HTTP2Options, c *http.Client) {
		srv := Must[*Server](t)(NewHTTP2(o, func(s *Stream) {
			if s.ReadSome(1) == nil {
				s.Answer(413, nil, "too much")
			}
		}))
		body, w := io.Pipe()
		defer w.Close()
		go io.WriteString(w, "and more to come")
		req, err := http.NewRequest(http.MethodPost, srv.URL(), body)
		if err != nil {
			t.Fatal(err)
		}
		r, err := c.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(r.Body)
		r.Body.Close()
		if err != nil || r.StatusCode != 413 || string(got) != "too much" {
			t.Errorf("answer %v %q, %v", r.Status, got, err)
		}
		if d := only(t, srv.Finish(time.Time{})); d.Answered != 413 || d.Complete || d.Ended != EndedKept {
			t.Errorf("delivery %+v", d)
		}
	})
}

func TestAClientThatGivesUpLeavesAStalledDelivery(t *testing.T) {
	carriers(t, func(t *testing.T, o HTTP2Options, c *http.Client) {
		ended := make(chan struct{})
		srv := Must[*Server](t)(NewHTTP2(o, func(s *Stream) {
			defer close(ended)
			if s.ReadBody() == nil {
				s.Commit()
				s.Stall()
			}
		}))
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			await(t, srv.Ledger(), "commit", func(r Record) bool { return r.Committed() == 1 })
			cancel()
		}()
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, srv.URL(), strings.NewReader("x"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Do(req); !errors.Is(err, context.Canceled) {
			t.Fatalf("client: %v", err)
		}
		<-ended
		d := only(t, srv.Finish(time.Time{}))
		if d.Ended != EndedStalled || d.EndedAt.IsZero() || d.Saw() != SawCommitted || d.Answered != 0 {
			t.Errorf("delivery %+v", d)
		}
	})
}

// A response that breaks off in its body, and whose stream alone is reset.
func TestAnAnswerMayBreakOff(t *testing.T) {
	carriers(t, func(t *testing.T, o HTTP2Options, c *http.Client) {
		srv := Must[*Server](t)(NewHTTP2(o, func(s *Stream) {
			if s.ReadBody() == nil {
				s.Commit()
				s.SendHead(200, http.Header{"Content-Length": {"10"}}, false)
				s.SendData("half", false)
				s.Reset(HTTP2InternalError)
			}
		}))
		r, got, err := post(t, c, srv.URL()+"/", "", "x")
		if r == nil || r.StatusCode != 200 || got != "half" || err == nil || !strings.Contains(err.Error(), "INTERNAL_ERROR") {
			t.Errorf("answer %v %q, %v", r, got, err)
		}
		if d := only(t, srv.Finish(time.Time{})); d.Answered != 200 || d.Ended != EndedRST || d.Saw() != SawCommitted {
			t.Errorf("delivery %+v", d)
		}
	})
}

func TestCloseEndsStalledStreams(t *testing.T) {
	carriers(t, func(t *testing.T, o HTTP2Options, c *http.Client) {
		srv := Must[*Server](t)(NewHTTP2(o, func(s *Stream) {
			if s.Wait(time.Hour) {
				t.Error("an hour has passed")
			}
			<-s.Closing()
			s.Stall()
		}))
		failed := make(chan error, 1)
		go func() {
			_, _, err := post(t, c, srv.URL()+"/", "", "x")
			failed <- err
		}()
		await(t, srv.Ledger(), "delivery", func(r Record) bool { return len(r.Deliveries) == 1 && r.Deliveries[0].Complete })
		if d := only(t, srv.Finish(time.Time{})); d.Ended != EndedStalled || !d.EndedAt.IsZero() {
			t.Errorf("delivery %+v", d)
		}
		if err := <-failed; err == nil {
			t.Error("the client has an answer that nobody gave")
		}
	})
}

func TestAClientOfHTTP1IsServedWhereThereIsOneForIt(t *testing.T) {
	o := HTTP2Options{HTTP1: commit1}
	srv := Must[*Server](t)(NewHTTP2(o, (*Stream).Stall))
	r, _, err := post(t, client(t), srv.URL()+"/", "", "x")
	if err != nil || r.StatusCode != 200 || r.ProtoMajor != 1 {
		t.Errorf("plain: %v, %v", r, err)
	}
	o.TLS = serverTLS(t)
	srv = Must[*Server](t)(NewHTTP2(o, (*Stream).Stall))
	c := client(t)
	c.Transport.(*http.Transport).Protocols = new(http.Protocols)
	c.Transport.(*http.Transport).Protocols.SetHTTP1(true)
	if r, _, err = post(t, c, srv.URL()+"/", "", "x"); err != nil || r.StatusCode != 200 || r.ProtoMajor != 1 {
		t.Errorf("tls: %v, %v", r, err)
	}
	srv = Must[*Server](t)(NewHTTP2(HTTP2Options{}, (*Stream).Stall))
	if r, _, err = post(t, client(t), srv.URL()+"/", "", "x"); err == nil {
		t.Errorf("without one: %v", r.Status)
	}
	if r := srv.Finish(time.Time{}); len(r.Deliveries) != 0 || r.Saw() != SawConnection {
		t.Errorf("without one: saw %q", r.Saw())
	}
}
