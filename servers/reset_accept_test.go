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
	srv := Must[*Server](t)(NewResetOnAccept(Options{}))
	found := map[string]int{}
	for range runs {
		found[findReset(t, srv.Addr())]++
	}
	t.Logf("found by %v", found)
	r := srv.Finish(time.Time{})
	if len(r.Connections) != runs || len(r.Deliveries) != 0 || r.Saw() != SawConnection {
		t.Errorf("%d connections, %d deliveries, want %d and none", len(r.Connections), len(r.Deliveries), runs)
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
	srv := Must[*Server](t)(NewResetOnAccept(Options{}))
	if _, _, err := post(t, client(t), srv.URL(), "key", "body"); !errors.Is(err, syscall.ECONNRESET) && !errors.Is(err, syscall.EPIPE) {
		t.Errorf("post: %v, want ECONNRESET or EPIPE", err)
	}
	if r := srv.Finish(time.Time{}); len(r.Connections) != 1 || len(r.Deliveries) != 0 {
		t.Errorf("ledger %+v, want one connection and nothing on it", r)
	}
}
