package servers

import (
	"errors"
	"net"
	"strings"
	"syscall"
	"testing"
)

func TestARefusedPortRefusesAndStaysOurs(t *testing.T) {
	r := Must[*Refused](t)(NewRefused())
	for range 100 {
		c, err := net.Dial("tcp", r.Addr())
		if !errors.Is(err, syscall.ECONNREFUSED) {
			if err == nil {
				c.Close()
			}
			t.Fatalf("dial: %v, want ECONNREFUSED", err)
		}
	}
	if _, _, err := post(t, client(t), r.URL(), "", "x"); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("net/http: %v, want ECONNREFUSED", err)
	}
	if ln, err := net.Listen("tcp", r.Addr()); err == nil {
		ln.Close()
		t.Error("somebody else got the port")
	}
	if err := errors.Join(r.Close(), r.Close()); err != nil {
		t.Error(err)
	}
	ln, err := net.Listen("tcp", r.Addr())
	if err != nil {
		t.Fatalf("after Close: %v", err)
	}
	ln.Close()
}

func TestARefusedPortHasAURL(t *testing.T) {
	r := Must[*Refused](t)(NewRefused())
	if r.Port() == 0 || !strings.HasPrefix(r.URL(), "http://127.0.0.1:") || !strings.HasSuffix(r.URL(), r.Addr()) {
		t.Errorf("URL %q, port %d", r.URL(), r.Port())
	}
}
