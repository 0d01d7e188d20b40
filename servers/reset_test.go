package servers

import (
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

func TestResetTakesWhatHasArrived(t *testing.T) {
	for _, row := range []struct{ why, sent, saw string }{
		{"one byte", "P", SawPartHead},
		{"part of a head", "POST / HTTP/1.1\r\nHo", SawPartHead},
		{"a head", uploadHead(9), SawHead},
		{"part of a body", uploadHead(9) + "half", SawPartBody},
		{"a request", uploadHead(3) + "pay", SawRequest},
		{"a request longer than one read", uploadHead(60_000) + strings.Repeat("x", 60_000), SawRequest},
		{"no HTTP", "hello\r\n\r\n", SawPartHead},
	} {
		srv := Must[*Server](t)(NewReset(Options{}))
		c := dial(t, srv.Addr())
		write(t, c, row.sent)
		if b, err := io.ReadAll(c); len(b) != 0 || !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("%s: read %q, %v; want ECONNRESET", row.why, b, err)
		}
		if d := only(t, srv.Finish(time.Time{})); d.Saw() != row.saw || d.Ended != EndedRST || d.Answered != 0 {
			t.Errorf("%s: saw %q, %+v", row.why, d.Saw(), d)
		}
	}
}

func TestResetLeavesASilentConnectionAlone(t *testing.T) {
	srv := Must[*Server](t)(NewReset(Options{}))
	c := dial(t, srv.Addr())
	c.CloseWrite()
	if _, err := c.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("read: %v, want EOF", err)
	}
	if r := srv.Finish(time.Time{}); r.Saw() != SawConnection {
		t.Errorf("saw %q", r.Saw())
	}
}

func TestResetTakesNoMoreThanABoundOfAnUpload(t *testing.T) {
	srv := Must[*Server](t)(NewReset(Options{}))
	c := dial(t, srv.Addr())
	io.WriteString(c, uploadHead(1<<40)) // may meet the reset already
	writeOn(c)
	if d := only(t, srv.Finish(time.Time{})); d.BodyBytes > arrivedMax || d.Ended != EndedRST {
		t.Errorf("delivery %+v", d)
	}
}

func TestAThousandClientsAreResetAndEnteredOnceEach(t *testing.T) {
	const clients = 1000
	srv := Must[*Server](t)(NewReset(Options{}))
	var wg sync.WaitGroup
	for range clients {
		wg.Go(func() {
			c, err := net.Dial("tcp", srv.Addr())
			if err != nil {
				t.Error(err)
				return
			}
			defer c.Close()
			if _, err := io.WriteString(c, uploadHead(3)+"pay"); err != nil {
				t.Error(err)
			}
			if _, err := c.Read(make([]byte, 1)); !errors.Is(err, syscall.ECONNRESET) {
				t.Errorf("read: %v, want ECONNRESET", err)
			}
		})
	}
	wg.Wait()
	r := srv.Finish(time.Time{})
	if len(r.Deliveries) != clients || len(r.Connections) != clients || r.Dropped != 0 {
		t.Errorf("%d deliveries, %d connections, %d dropped", len(r.Deliveries), len(r.Connections), r.Dropped)
	}
}
