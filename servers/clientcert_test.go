package servers

import (
	"crypto/tls"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestAClientWithoutACertificateHearsOfItAfterItsRequest(t *testing.T) {
	srv := Must[*Server](t)(NewClientCert(Options{TLS: serverTLS(t)}))
	for run := range 50 {
		_, _, err := post(t, client(t), srv.URL(), "", "pay")
		if err == nil || !strings.HasSuffix(err.Error(), ": remote error: tls: certificate required") {
			t.Fatalf("run %d: got %v, want the alert", run, err)
		}
	}
	if r := srv.Finish(time.Time{}); r.Saw() != SawConnection || len(r.Connections) != 50 {
		t.Errorf("saw %q, %d connections, deliveries %+v", r.Saw(), len(r.Connections), r.Deliveries)
	}
}

func TestAClientWithACertificateIsServed(t *testing.T) {
	srv := Must[*Server](t)(NewClientCert(Options{TLS: serverTLS(t)}))
	c := client(t)
	cert, err := testCert()
	if err != nil {
		t.Fatal(err)
	}
	c.Transport.(*http.Transport).TLSClientConfig.Certificates = []tls.Certificate{cert}
	if r, _, err := post(t, c, srv.URL(), "", "pay"); err != nil || r.StatusCode != 200 {
		t.Fatalf("got %v, %v; want 200", r, err)
	}
	if d := only(t, srv.Finish(time.Time{})); d.Saw() != SawCommitted || d.Ended != EndedKept {
		t.Errorf("delivery %+v", d)
	}
}

// Close must not wait for a request that never comes.
func TestCloseEndsAHandshakeThatWaitsForARequest(t *testing.T) {
	srv := Must[*Server](t)(NewClientCert(Options{TLS: serverTLS(t)}))
	cfg := clientTLS(t)
	cfg.ServerName = "127.0.0.1"
	c := tls.Client(dial(t, srv.Addr()), cfg)
	c.SetDeadline(time.Now().Add(patience))
	if err := c.Handshake(); err != nil { // ours ends before the server's
		t.Fatal(err)
	}
	srv.Close()
}

func TestAClientsCertificateNeedsTLS(t *testing.T) {
	if _, err := NewClientCert(Options{}); err == nil {
		t.Error("no error")
	}
}
