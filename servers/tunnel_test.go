package servers

import (
	"bufio"
	"net/http"
	"net/url"
	"testing"
	"time"
)

func TestAConnectIsNoDelivery(t *testing.T) {
	srv := Must[*Server](t)(NewNoTunnel(Options{}, 407))
	c := client(t)
	c.Transport.(*http.Transport).Proxy = http.ProxyURL(&url.URL{Scheme: "http", Host: srv.Addr()})
	_, _, err := post(t, c, "https://shop.invalid/pay", "", "pay")
	if e, ok := err.(*url.Error); !ok || e.Err.Error() != "Proxy Authentication Required" {
		t.Errorf("got %v, want the text of 407", err)
	}
	if r := srv.Finish(time.Time{}); r.Saw() != SawConnection {
		t.Errorf("saw %q, deliveries %+v", r.Saw(), r.Deliveries)
	}
}

func TestAProxyThatMakesNoTunnelSaysSoAndCloses(t *testing.T) {
	srv := Must[*Server](t)(NewNoTunnel(Options{}, 407))
	c := dial(t, srv.Addr())
	c.SetDeadline(time.Now().Add(patience))
	write(t, c, "CONNECT shop.invalid:443 HTTP/1.1\r\nHost: shop.invalid:443\r\n\r\n")
	r, _ := respond(t, bufio.NewReader(c), http.MethodConnect)
	if r.StatusCode != 407 || r.Header.Get("Proxy-Authenticate") == "" || !r.Close {
		t.Errorf("got %v, want 407 with a challenge and the end", r)
	}
}

func TestARequestToAProxyThatIsNoConnectIsADelivery(t *testing.T) {
	srv := Must[*Server](t)(NewNoTunnel(Options{}, 502))
	c := client(t)
	c.Transport.(*http.Transport).Proxy = http.ProxyURL(&url.URL{Scheme: "http", Host: srv.Addr()})
	r, _, err := post(t, c, "http://shop.invalid/pay", "", "pay")
	if err != nil || r.StatusCode != 502 {
		t.Fatalf("got %v, %v; want 502", r, err)
	}
	if d := only(t, srv.Finish(time.Time{})); d.Path != "/pay" || d.Answered != 502 {
		t.Errorf("delivery %+v", d)
	}
}

func TestAStatusThatMakesATunnelIsRefused(t *testing.T) {
	for _, status := range []int{0, 100, 200, 204, 1000} {
		if _, err := NewNoTunnel(Options{}, status); err == nil {
			t.Errorf("status %d: no error", status)
		}
	}
}
