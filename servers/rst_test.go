package servers

import (
	"errors"
	"io"
	"syscall"
	"testing"
	"time"
)

func TestAResetAfterTheWorkLooksLikeAnyOther(t *testing.T) {
	srv := Must[*Server](t)(NewRST(Options{}))
	if _, _, err := post(t, client(t), srv.URL(), "", "pay"); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("net/http: got %v, want ECONNRESET", err)
	}
	c := dial(t, srv.Addr())
	write(t, c, "POST / HTTP/1.1\r\nHost: lab\r\nContent-Length: 3\r\n\r\npay")
	if got, err := io.ReadAll(c); len(got) != 0 || !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("plain socket: got %q, %v; want ECONNRESET", got, err)
	}
	r := srv.Finish(time.Time{})
	if len(r.Deliveries) != 2 || r.Committed() != 2 {
		t.Fatalf("deliveries %+v, want two, both committed", r.Deliveries)
	}
	for _, d := range r.Deliveries {
		if d.Ended != EndedRST || d.Answered != 0 || d.BodyBytes != 3 {
			t.Errorf("delivery %+v", d)
		}
	}
}
