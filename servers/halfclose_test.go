package servers

import (
	"errors"
	"io"
	"net"
	"net/http"
	"testing"
	"time"
)

func TestNetHTTPClosesTheConnectionUnderItsUploadWhenThePeerEnds(t *testing.T) {
	srv := Must[*Server](t)(NewHalfClose(Options{}))
	for range 20 {
		req, err := http.NewRequest(http.MethodPost, srv.URL(), endless{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := client(t).Do(req); !errors.Is(err, net.ErrClosed) {
			t.Fatalf("POST: %v, want use of closed network connection", err)
		}
	}
	for _, d := range srv.Finish(time.Time{}).Deliveries {
		if d.Saw() != SawPartBody || d.Committed || d.Answered != 0 || d.Ended != EndedFIN {
			t.Fatalf("delivery %+v, want part of the body, fin", d)
		}
	}
}

// A plain socket can go on writing for as long as it likes: nothing is reset.
func TestAHalfCloseResetsNothing(t *testing.T) {
	srv := Must[*Server](t)(NewHalfClose(Options{}))
	c := dial(t, srv.Addr())
	write(t, c, uploadHead(64<<20)+"x")
	if n, err := c.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Fatalf("read: %d, %v; want EOF", n, err)
	}
	if _, err := c.Write(make([]byte, 32<<20)); err != nil {
		t.Errorf("write after the peer's end: %v", err)
	}
}

func TestAHalfCloseWantsAnUpload(t *testing.T) {
	srv := Must[*Server](t)(NewHalfClose(Options{}))
	if r, _, err := post(t, client(t), srv.URL(), "", "x"); err != nil || r.StatusCode != 400 {
		t.Errorf("one byte: %v, %v; want 400", r, err)
	}
}
