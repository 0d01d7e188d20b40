package servers

import (
	"errors"
	"io"
	"net"
	"syscall"
	"testing"
	"time"
)

func TestAResetOnAcceptReadsNothingWhoeverFindsIt(t *testing.T) {
	const runs = 100
	for _, within := range []time.Duration{0, 50 * time.Microsecond} {
		srv := Must[*Server](t)(NewResetOnAccept(ResetOnAcceptOptions{Within: within}))
		found := map[string]int{}
		for range runs {
			found[findReset(t, srv.Addr())]++
		}
		t.Logf("reset within %v of accept: found by %v", within, found)
		r := srv.Finish(time.Time{})
		if len(r.Connections) != runs || len(r.Deliveries) != 0 || r.Saw() != SawConnection {
			t.Errorf("reset within %v of accept: %d connections, %d deliveries, want %d and none",
				within, len(r.Connections), len(r.Deliveries), runs)
		}
	}
}

func TestAResetOnAcceptCannotComeBeforeIt(t *testing.T) {
	if srv, err := NewResetOnAccept(ResetOnAcceptOptions{Within: -1}); err == nil {
		srv.Close()
		t.Error("a negative time was accepted")
	}
}

// findReset is the call of a plain socket that finds the reset. Whichever it
// is, the errno is ECONNRESET.
func findReset(t *testing.T, addr string) string {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	op := "connect"
	if err == nil {
		defer c.Close()
		if err := c.SetDeadline(time.Now().Add(patience)); err != nil {
			t.Fatal(err)
		}
		op = "write"
		if _, err = io.WriteString(c, uploadHead(0)); err == nil {
			op = "read"
			_, err = c.Read(make([]byte, 1))
		}
	}
	if !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("%s: %v, want ECONNRESET", op, err)
	}
	return op
}

func TestNetHTTPSendsNothingAgainAfterAResetOnAccept(t *testing.T) {
	srv := Must[*Server](t)(NewResetOnAccept(ResetOnAcceptOptions{}))
	if _, _, err := post(t, client(t), srv.URL(), "key", "body"); !errors.Is(err, syscall.ECONNRESET) && !errors.Is(err, syscall.EPIPE) {
		t.Errorf("post: %v, want ECONNRESET or EPIPE", err)
	}
	if r := srv.Finish(time.Time{}); len(r.Connections) != 1 || len(r.Deliveries) != 0 {
		t.Errorf("ledger %+v, want one connection and nothing on it", r)
	}
}

func TestTheMomentOfAResetComesFromWhoIsAsked(t *testing.T) {
	drawn := make(chan time.Duration, 1)
	srv := Must[*Server](t)(NewResetOnAccept(ResetOnAcceptOptions{
		Within: time.Hour,
		Draw:   func(within time.Duration) time.Duration { drawn <- within; return 0 },
	}))
	findReset(t, srv.Addr())
	if within := <-drawn; within != time.Hour {
		t.Errorf("asked for a moment within %v, want an hour", within)
	}
}
