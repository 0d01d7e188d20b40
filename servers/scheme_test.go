package servers

import (
	"bufio"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestAClientOfTheWrongSchemeIsToldSoAndHasNoDelivery(t *testing.T) {
	t.Run("TLS to a plain server", func(t *testing.T) {
		srv := Must[*Server](t)(NewStatus(Options{}, 200, nil))
		_, _, err := post(t, client(t), "https://"+srv.Addr(), "", "pay")
		if !errors.Is(err, http.ErrSchemeMismatch) {
			t.Errorf("got %v, want %v", err, http.ErrSchemeMismatch)
		}
		if r := srv.Finish(time.Time{}); r.Saw() != SawConnection {
			t.Errorf("saw %q, deliveries %+v", r.Saw(), r.Deliveries)
		}
	})
	t.Run("HTTP to a TLS server", func(t *testing.T) {
		srv := Must[*Server](t)(NewStatus(Options{TLS: serverTLS(t)}, 200, nil))
		_, _, err := post(t, client(t), "http://"+srv.Addr(), "", "pay")
		if err == nil || !strings.Contains(err.Error(), `malformed HTTP response "\x15\x03\x03\x00\x02\x02`) {
			t.Errorf("got %v, want an alert that is no HTTP", err)
		}
		if r := srv.Finish(time.Time{}); r.Saw() != SawConnection {
			t.Errorf("saw %q, deliveries %+v", r.Saw(), r.Deliveries)
		}
	})
}

// A record that is longer than what the server looks at must not turn its
// answer into a reset.
func TestTheAnswerToTheWrongSchemeIsNotResetAway(t *testing.T) {
	for _, tc := range []struct {
		why, send, want string
		o               Options
	}{
		{"a handshake to a plain server", "\x16\x03\x01\x40\x00" + strings.Repeat("x", 1<<20), notHTTP, Options{}},
		{"a request to a TLS server", "POST / HTTP/1.1\r\nHost: lab\r\n\r\n" + strings.Repeat("x", 1<<20), notTLS, Options{TLS: serverTLS(t)}},
	} {
		srv := Must[*Server](t)(NewStatus(tc.o, 200, nil))
		c := dial(t, srv.Addr())
		c.SetDeadline(time.Now().Add(patience))
		write(t, c, tc.send)
		if got, err := io.ReadAll(c); string(got) != tc.want || err != nil {
			t.Errorf("%s: got %q, %v; want %q and the end", tc.why, got, err, tc.want)
		}
		c.Close()
		srv.Close()
	}
}

func TestCloseEndsALingeringConnection(t *testing.T) {
	srv := Must[*Server](t)(NewStatus(Options{}, 200, nil))
	c := dial(t, srv.Addr())
	c.SetDeadline(time.Now().Add(patience))
	write(t, c, "\x16")
	if r, body := respond(t, bufio.NewReader(c), http.MethodGet); r.StatusCode != 400 || !r.Close {
		t.Errorf("got %v, %q; want 400 and the end", r, body)
	}
	srv.Close() // the client is still there
}
