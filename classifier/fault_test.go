package classifier

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"
)

// tlsServer answers 200 over TLS, quietly.
func tlsServer(t *testing.T, change func(*tls.Config)) (u string, client *http.Transport) {
	t.Helper()
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.TLS = &tls.Config{}
	change(s.TLS)
	s.StartTLS()
	t.Cleanup(s.Close)
	client = s.Client().Transport.(*http.Transport).Clone()
	t.Cleanup(client.CloseIdleConnections)
	return s.URL, client
}

// rst gets what a stream reset with that code makes of a POST whose body
// cannot be taken again.
func rst(code uint32) func(*testing.T) error {
	return over2(func(stream uint32) []byte { return frame(rstStreamFrame, 0, stream, uint32s(code)...) }, true)
}

// Every fault is real, and judged without a trace as a bare POST to the URL
// that the error names.
func TestRealFaultsAreNamed(t *testing.T) {
	for _, row := range []struct {
		name      string
		make      func(*testing.T) error
		code      Code
		call      Syscall
		phase     Phase
		processed Processed
	}{
		{"nobody listens", func(t *testing.T) error {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			l.Close()
			return get(t, http1Client(t), "http://"+l.Addr().String())
		}, "ECONNREFUSED", Connect, PhaseConnect, Never},
		{"the dialer's timer", func(t *testing.T) error {
			tr := http1Client(t)
			tr.DialContext = (&net.Dialer{Deadline: time.Unix(1, 0)}).DialContext
			return get(t, tr, stalling(t))
		}, Timeout, "", PhaseConnect, Never},
		{"closed without a word", func(t *testing.T) error { return get(t, http1Client(t), answering(t, "")) },
			EOF, "", PhaseUnknown, Maybe},
		{"reset without a word", func(t *testing.T) error {
			u := "http://" + rawServer(t, func(c net.Conn) {
				if _, err := c.Read(make([]byte, 1<<16)); err != nil {
					return
				}
				c.(*net.TCPConn).SetLinger(0)
			})
			return get(t, http1Client(t), u)
		}, "ECONNRESET", Read, PhaseUnknown, Maybe},
		{"cut between two fields", saying("HTTP/1.1 200 OK\r\nX: y\r\n"), Truncated, "", PhaseUnknown, Maybe},
		{"cut in a field, which reads as a bad one", saying("HTTP/1.1 200 OK\r\nContent-Le"), Malformed, "", PhaseReadHead, Yes},
		{"cut in the status, which reads as a bad one", saying("HTTP/1.1 20"), Malformed, "", PhaseReadHead, Maybe},
		{"cut in the body", saying("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc"), Truncated, "", PhaseUnknown, Maybe},
		{"no gzip", saying("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 12\r\n\r\nnot gzip 123"),
			Malformed, "", PhaseReadBody, Yes},
		{"the kernel takes nothing", func(t *testing.T) error {
			tr := http1Client(t)
			tr.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
				c, err := new(net.Dialer).DialContext(ctx, network, addr)
				if err == nil {
					err = c.(*net.TCPConn).CloseWrite()
				}
				return c, err
			}
			u := stalled(t)
			return notClosed(t, tr, func() *http.Request { return newRequest(t, "POST", u, nil) })
		}, "EPIPE", Write, PhaseWrite, Never},

		{"TLS to plain HTTP", func(t *testing.T) error {
			s := httptest.NewServer(http.NotFoundHandler())
			t.Cleanup(s.Close)
			return get(t, http1Client(t), strings.Replace(s.URL, "http:", "https:", 1))
		}, NotTLS, "", PhaseTLS, Never},
		{"TLS to something else", func(t *testing.T) error {
			addr := rawServer(t, func(c net.Conn) {
				io.WriteString(c, "220 mail.invalid ESMTP\r\n")
				io.Copy(io.Discard, c)
			})
			return get(t, http1Client(t), "https://"+addr)
		}, NotTLS, "", PhaseTLS, Never},
		{"nobody knows the authority", func(t *testing.T) error {
			u, _ := tlsServer(t, func(*tls.Config) {})
			return get(t, http1Client(t), u)
		}, TLSCert, "", PhaseTLS, Never},
		{"another host's certificate", func(t *testing.T) error {
			u, tr := tlsServer(t, func(*tls.Config) {})
			tr.TLSClientConfig.ServerName = "other.invalid"
			return get(t, tr, u)
		}, TLSCert, "", PhaseTLS, Never},
		{"the server wants a newer TLS", func(t *testing.T) error {
			u, tr := tlsServer(t, func(c *tls.Config) { c.MinVersion = tls.VersionTLS13 })
			tr.TLSClientConfig.MaxVersion = tls.VersionTLS12
			return get(t, tr, u)
		}, TLSAlert, "", PhaseTLS, Never},
		{"the server wants a certificate", func(t *testing.T) error {
			u, tr := tlsServer(t, func(c *tls.Config) { c.ClientAuth = tls.RequireAnyClientCert })
			for { // the alert comes after our Finished; a reset may overtake it
				if err := get(t, tr, u); strings.Contains(err.Error(), "certificate required") {
					return err
				}
			}
		}, TLSAlert, "", PhaseUnknown, Never},
		{"the handshake's own timer", func(t *testing.T) error {
			tr := http1Client(t)
			tr.TLSHandshakeTimeout = 10 * time.Millisecond
			return get(t, tr, strings.Replace(stalling(t), "http:", "https:", 1))
		}, TLSTimeout, "", PhaseTLS, Never},

		{"the proxy does not listen", func(t *testing.T) error {
			return throughProxy(t, "")
		}, "ECONNREFUSED", Connect, PhaseConnect, Never},
		{"the proxy wants credentials", func(t *testing.T) error {
			return throughProxy(t, "HTTP/1.1 407 Proxy Authentication Required\r\n\r\n")
		}, Proxy, "", PhaseProxy, Maybe},
		{"the proxy has no way", func(t *testing.T) error {
			return throughProxy(t, "HTTP/1.1 502 Bad Gateway\r\n\r\n")
		}, Proxy, "", PhaseProxy, Maybe},

		{"the caller cancels", func(t *testing.T) error {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			return get2(t, ctx, stalling(t))
		}, Canceled, "", PhaseUnknown, Maybe},
		{"the caller's time is up", func(t *testing.T) error {
			ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
			defer cancel()
			return get2(t, ctx, stalling(t))
		}, Timeout, "", PhaseUnknown, Maybe},
		{"the caller cancels for a reason, which hides it", func(t *testing.T) error {
			ctx, cancel := context.WithCancelCause(t.Context())
			cancel(errors.New("the window was closed"))
			err := get2(t, ctx, stalling(t))
			if errors.Is(err, context.Canceled) {
				t.Error("net/http now tells a cancellation with a cause")
			}
			return err
		}, Unknown, "", PhaseUnknown, Maybe},

		{"NO_ERROR", rst(0), "H2_NO_ERROR", "", PhaseUnknown, Maybe},
		{"PROTOCOL_ERROR", rst(1), "H2_PROTOCOL_ERROR", "", PhaseUnknown, Maybe},
		{"INTERNAL_ERROR", rst(2), "H2_INTERNAL_ERROR", "", PhaseUnknown, Maybe},
		{"FLOW_CONTROL_ERROR", rst(3), "H2_FLOW_CONTROL_ERROR", "", PhaseUnknown, Maybe},
		{"SETTINGS_TIMEOUT", rst(4), "H2_SETTINGS_TIMEOUT", "", PhaseUnknown, Maybe},
		{"STREAM_CLOSED", rst(5), "H2_STREAM_CLOSED", "", PhaseUnknown, Maybe},
		{"FRAME_SIZE_ERROR", rst(6), "H2_FRAME_SIZE_ERROR", "", PhaseUnknown, Maybe},
		{"REFUSED_STREAM", rst(7), "H2_REFUSED_STREAM", "", PhaseAwait, Never},
		{"CANCEL", rst(8), "H2_CANCEL", "", PhaseUnknown, Maybe},
		{"COMPRESSION_ERROR", rst(9), "H2_COMPRESSION_ERROR", "", PhaseUnknown, Maybe},
		{"CONNECT_ERROR", rst(10), "H2_CONNECT_ERROR", "", PhaseUnknown, Maybe},
		{"ENHANCE_YOUR_CALM", rst(11), "H2_ENHANCE_YOUR_CALM", "", PhaseUnknown, Maybe},
		{"INADEQUATE_SECURITY", rst(12), "H2_INADEQUATE_SECURITY", "", PhaseUnknown, Maybe},
		{"HTTP_1_1_REQUIRED", rst(13), "H2_HTTP_1_1_REQUIRED", "", PhaseUnknown, Maybe},
		{"a code nobody knows", rst(99), "H2_INTERNAL_ERROR", "", PhaseUnknown, Maybe},
		{"GOAWAY above the stream", over2(func(uint32) []byte { return frame(goAwayFrame, 0, 0, uint32s(0, 0)...) }, true),
			"H2_GOAWAY", "", PhaseAwait, Never},
		{"GOAWAY at the stream, then closed", over2(func(stream uint32) []byte {
			return frame(goAwayFrame, 0, 0, uint32s(stream, 0)...)
		}, false), "H2_GOAWAY", "", PhaseUnknown, Maybe},
		{"data on stream 0", over2(func(uint32) []byte { return frame(dataFrame, 0, 0, 'x') }, true),
			"H2_PROTOCOL_ERROR", "", PhaseUnknown, Maybe},
		{"HTTP/2 connection lost", over2(func(uint32) []byte { return nil }, false), Truncated, "", PhaseUnknown, Maybe},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			err := row.make(t)
			if err == nil {
				t.Fatal("no error")
			}
			f := FromError(err, Evidence{Request: barePOSTTo(err)})
			want := Failure{Code: row.code, Syscall: row.call, Phase: row.phase, Processed: row.processed, Basis: f.Basis, Status: f.Status}
			if f != want {
				t.Errorf("FromError(%v)\n = %s %s %s %s, want %s %s %s %s", err,
					f.Code, f.Syscall, f.Phase, f.Processed, row.code, row.call, row.phase, row.processed)
			}
			if row.code == Proxy && f.Status == 0 {
				t.Errorf("FromError(%v): no status", err)
			}
		})
	}
}

// stalled neither reads nor answers.
func stalled(t *testing.T) (u string) {
	t.Helper()
	end := make(chan struct{})
	u = "http://" + rawServer(t, func(net.Conn) { <-end })
	t.Cleanup(func() { close(end) })
	return u
}

func get2(t *testing.T, ctx context.Context, u string) error {
	t.Helper()
	return do(t, http1Client(t), newRequest(t, "GET", u, nil).WithContext(ctx))
}

// throughProxy asks a proxy for a tunnel; answer is what it says, empty: it is
// not there.
func throughProxy(t *testing.T, answer string) error {
	t.Helper()
	proxy := "http://127.0.0.1:1"
	if answer != "" {
		proxy = answering(t, answer)
	}
	tr := http1Client(t)
	tr.Proxy = func(*http.Request) (*url.URL, error) { return url.Parse(proxy) }
	return get(t, tr, "https://lab.invalid/")
}
