package servers

import (
	"bufio"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestAnEarlyAnswerOnADrainedConnectionAlwaysArrives(t *testing.T) {
	srv := Must[*Server](t)(NewEarly(EarlyOptions{Drain: true}))
	for range 20 {
		r, err := client(t).Post(srv.URL(), "text/plain", io.LimitReader(endless{}, 16<<20))
		if err != nil {
			t.Fatalf("POST: %v, want 413", err)
		}
		r.Body.Close()
		if r.StatusCode != 413 {
			t.Fatalf("POST: %s, want 413", r.Status)
		}
	}
	for _, d := range srv.Finish(time.Time{}).Deliveries {
		if d.Saw() != SawHead || d.Answered != 413 || d.Ended != EndedFIN {
			t.Fatalf("delivery %+v, want the head, 413, fin", d)
		}
	}
}

// The server has answered in any case; whether the client reads it before it
// writes into the reset is a race, and most uploads lose it.
func TestAResetHidesAnEarlyAnswerFromMostUploads(t *testing.T) {
	srv := Must[*Server](t)(NewEarly(EarlyOptions{}))
	const runs = 30
	lost := 0
	for range runs {
		r, err := client(t).Post(srv.URL(), "text/plain", io.LimitReader(endless{}, 16<<20))
		if err != nil {
			lost++
			continue
		}
		r.Body.Close()
	}
	if lost == 0 {
		t.Errorf("the answer arrived in %d of %d uploads: no reset", runs-lost, runs)
	}
	for _, d := range srv.Finish(time.Time{}).Deliveries {
		if d.Saw() != SawHead || d.Answered != 413 || d.Committed {
			t.Fatalf("delivery %+v, want the head, 413", d)
		}
	}
}

// A body that is held back leaves nothing unread, so there is no reset.
func TestAnEarlyAnswerToAnExpectationArrivesAndTheBodyStaysHome(t *testing.T) {
	srv := Must[*Server](t)(NewEarly(EarlyOptions{Status: 417}))
	for range 20 {
		c := dial(t, srv.Addr())
		write(t, c, "POST / HTTP/1.1\r\nHost: lab\r\nContent-Length: 8\r\nExpect: 100-continue\r\n\r\n")
		br := bufio.NewReader(c)
		if r, _ := respond(t, br, http.MethodPost); r.StatusCode != 417 {
			t.Fatalf("got %s, want 417", r.Status)
		}
		if b, err := br.ReadByte(); err != io.EOF {
			t.Fatalf("after the answer: %q, %v; want EOF", b, err)
		}
		c.Close()
	}
}

func TestAnEarlyAnswerIsAFinalOne(t *testing.T) {
	for _, status := range []int{-1, 100, 199, 1000} {
		if _, err := NewEarly(EarlyOptions{Status: status}); err == nil || !strings.Contains(err.Error(), "200 to 999") {
			t.Errorf("NewEarly(%d): %v, want the statuses that are allowed", status, err)
		}
	}
}
