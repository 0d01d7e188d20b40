package servers

import (
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"
)

// testCert is good for 127.0.0.1, testAuthority vouches for it; both live as
// long as the test run.
var (
	testAuthority = sync.OnceValues(NewAuthority)
	testCert      = sync.OnceValues(func() (tls.Certificate, error) {
		a, err := testAuthority()
		if err != nil {
			return tls.Certificate{}, err
		}
		return a.Issue(CertOptions{})
	})
)

func clientTLS(t *testing.T) *tls.Config {
	a, err := testAuthority()
	if err != nil {
		t.Fatal(err)
	}
	return &tls.Config{RootCAs: a.Pool()}
}

func serverTLS(t *testing.T) *tls.Config {
	cert, err := testCert()
	if err != nil {
		t.Fatal(err)
	}
	return &tls.Config{Certificates: []tls.Certificate{cert}}
}

func TestAnswersOverTLS(t *testing.T) {
	srv := Must[*Server](t)(NewStatus(Options{TLS: serverTLS(t)}, 503, nil))
	r, _, err := post(t, client(t), srv.URL()+"/pay", "", "12 euros")
	if err != nil || r.StatusCode != 503 {
		t.Fatalf("got %v, %v; want 503", r, err)
	}
	if d := only(t, srv.Finish(time.Time{})); d.Saw() != SawRequest || d.Path != "/pay" || d.Ended != EndedKept {
		t.Errorf("delivery %+v", d)
	}
}

func TestHandshakeThatFailsIsAConnectionAndNoDelivery(t *testing.T) {
	srv := Must[*Server](t)(NewStatus(Options{TLS: serverTLS(t)}, 200, nil))
	c := dial(t, srv.Addr())
	write(t, c, "GET / HTTP/1.1\r\n\r\n")
	io.Copy(io.Discard, c) // until the server has given up
	if r := srv.Finish(time.Time{}); r.Saw() != SawConnection || len(r.Deliveries) != 0 {
		t.Errorf("saw %q, deliveries %+v", r.Saw(), r.Deliveries)
	}
}

// A goodbye of TLS has five seconds to be written, and a client that does not
// read can make it take them.
func TestCloseDoesNotWaitForTLSGoodbyes(t *testing.T) {
	flooded := make(chan struct{})
	srv := Must[*Server](t)(start(Options{TLS: serverTLS(t)}, http1(func(x *Exchange) {
		x.c.tcp.SetWriteDeadline(time.Now().Add(50 * time.Millisecond))
		for x.c.rw.(*tls.Conn).NetConn() != nil {
			if _, err := x.c.tcp.Write(make([]byte, 1<<20)); err != nil { // fills both buffers
				break
			}
		}
		close(flooded)
		x.FIN()
	})))
	c := tls.Client(dial(t, srv.Addr()), clientTLS(t).Clone())
	c.NetConn().(*net.TCPConn).SetReadBuffer(4096)
	c.SetDeadline(time.Now().Add(patience))
	cfg := clientTLS(t)
	cfg.ServerName = "127.0.0.1"
	c = tls.Client(c.NetConn(), cfg)
	write(t, c, "GET / HTTP/1.1\r\nHost: lab\r\n\r\n")
	<-flooded
	start := time.Now()
	srv.Close()
	if took := time.Since(start); took > 3*time.Second {
		t.Errorf("close took %v", took)
	}
}

func TestResetsBelowTLS(t *testing.T) {
	srv := Must[*Server](t)(NewReset(Options{TLS: serverTLS(t)}))
	req, err := http.NewRequest(http.MethodGet, srv.URL(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := client(t).Do(req); err == nil {
		r.Body.Close()
		t.Fatalf("got %v, want an error", r.Status)
	}
	if d := srv.Finish(time.Time{}).Deliveries[0]; d.Ended != EndedRST || d.Saw() != SawRequest {
		t.Errorf("delivery %+v", d)
	}
}
