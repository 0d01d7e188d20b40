package servers

import (
	"errors"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

func TestASilentServerShakesNoHands(t *testing.T) {
	srv := Must[*Server](t)(NewSilent(Options{}))
	c := client(t)
	c.Transport.(*http.Transport).TLSHandshakeTimeout = 50 * time.Millisecond
	_, err := c.Get("https://" + srv.Addr())
	if err == nil || !strings.Contains(err.Error(), "TLS handshake timeout") {
		t.Errorf("GET: %v, want TLS handshake timeout", err)
	}
}

func TestASilentServerEntersAConnectionAndNoDelivery(t *testing.T) {
	srv := Must[*Server](t)(NewSilent(Options{}))
	c := dial(t, srv.Addr())
	write(t, c, "GET / HTTP/1.1\r\nHost: lab\r\n\r\n")
	await(t, srv.Ledger(), "the connection", func(r Record) bool { return len(r.Connections) == 1 })
	c.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
	var timeout net.Error
	if n, err := c.Read(make([]byte, 1)); n != 0 || !errors.As(err, &timeout) || !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("read: %d, %v; want nothing", n, err)
	}
	if r := srv.Finish(time.Time{}); r.Saw() != SawConnection || len(r.Deliveries) != 0 {
		t.Errorf("saw %q, deliveries %+v", r.Saw(), r.Deliveries)
	}
}
