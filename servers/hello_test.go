package servers

import (
	"errors"
	"io"
	"syscall"
	"testing"
	"time"
)

func TestAHandshakeThatTheServerEndsIsAConnectionAndNoDelivery(t *testing.T) {
	for _, tc := range []struct {
		end  string
		want error
	}{
		{EndedFIN, io.EOF},
		{EndedRST, syscall.ECONNRESET},
	} {
		srv := Must[*Hello](t)(NewHello(Options{}, tc.end))
		for run := range 50 {
			if _, _, err := post(t, client(t), srv.URL(), "", "pay"); !errors.Is(err, tc.want) {
				t.Fatalf("%s, run %d: got %v, want %v", tc.end, run, err, tc.want)
			}
		}
		r := srv.Finish(time.Time{})
		if r.Saw() != SawConnection || len(r.Connections) != 50 {
			t.Errorf("%s: saw %q, %d connections, deliveries %+v", tc.end, r.Saw(), len(r.Connections), r.Deliveries)
		}
	}
}

func TestAHelloIsReadWholeWhateverItsLength(t *testing.T) {
	srv := Must[*Hello](t)(NewHello(Options{}, EndedFIN))
	c := dial(t, srv.Addr())
	c.SetDeadline(time.Now().Add(patience))
	write(t, c, "\x16\x03\x01\x40\x00"+string(make([]byte, 1<<14)))
	if n, err := c.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("read %d, %v; want the end, and no reset", n, err)
	}
}

func TestWhatIsNoHelloIsADelivery(t *testing.T) {
	srv := Must[*Hello](t)(NewHello(Options{}, EndedRST))
	if _, _, err := post(t, client(t), "http://"+srv.Addr()+"/pay", "", "pay"); err == nil {
		t.Fatal("got an answer")
	}
	if d := only(t, srv.Finish(time.Time{})); d.Path != "/pay" || d.Ended != EndedRST {
		t.Errorf("delivery %+v", d)
	}
}

func TestAHelloHasOneOfTwoEnds(t *testing.T) {
	if _, err := NewHello(Options{}, EndedKept); err == nil {
		t.Error("no error")
	}
}
