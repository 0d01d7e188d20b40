package retry_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/retry-lab/retry-lab/retry"
	"github.com/retry-lab/retry-lab/servers"
)

// A tap lies between a client and a server, and keeps what the client sends.
type tap struct {
	ln   net.Listener
	all  sync.WaitGroup
	mu   sync.Mutex
	sent bytes.Buffer
	open []net.Conn
}

func newTap(t *testing.T, server string) *tap {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &tap{ln: ln}
	p.all.Go(func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			up, err := net.Dial("tcp", server)
			if err != nil {
				t.Error(err)
				c.Close()
				return
			}
			p.mu.Lock()
			p.open = append(p.open, c, up)
			p.mu.Unlock()
			p.all.Go(func() {
				io.Copy(up, io.TeeReader(c, p))
				up.(*net.TCPConn).CloseWrite()
			})
			p.all.Go(func() {
				io.Copy(c, up)
				c.Close()
				up.Close()
			})
		}
	})
	return p
}

func (p *tap) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.sent.Write(b)
}

// finish returns what was sent. The request was answered, so all of it has
// come through.
func (p *tap) finish() []byte {
	p.ln.Close()
	p.mu.Lock()
	for _, c := range p.open {
		c.Close()
	}
	p.mu.Unlock()
	p.all.Wait()
	return p.sent.Bytes()
}

// A one-way body is of no type that net/http knows.
type oneWay struct{ io.Reader }

func wireRows() []struct {
	why, method string
	body        func() io.Reader
	change      func(*http.Request)
} {
	type row = struct {
		why, method string
		body        func() io.Reader
		change      func(*http.Request)
	}
	text := func() io.Reader { return strings.NewReader("amount=4200") }
	none := func() io.Reader { return nil }
	long := func() io.Reader { return bytes.NewReader(bytes.Repeat([]byte("0123456789"), 10_000)) }
	return []row{
		{"GET", http.MethodGet, none, nil},
		{"HEAD", http.MethodHead, none, nil},
		{"DELETE without a body", http.MethodDelete, none, nil},
		{"POST without a body", http.MethodPost, none, nil},
		{"POST with NoBody", http.MethodPost, func() io.Reader { return http.NoBody }, nil},
		{"POST from a string", http.MethodPost, text, nil},
		{"POST with an empty string", http.MethodPost, func() io.Reader { return strings.NewReader("") }, nil},
		{"PUT of 100 kB", http.MethodPut, long, nil},
		{"POST of a stream", http.MethodPost, func() io.Reader { return oneWay{text()} }, nil},
		{"POST of a stream that turns out empty", http.MethodPost, func() io.Reader { return oneWay{strings.NewReader("")} }, nil},
		{"POST of a stream of known length", http.MethodPost, func() io.Reader { return oneWay{text()} },
			func(r *http.Request) { r.ContentLength = 11 }},
		{"POST of a long stream", http.MethodPost, func() io.Reader { return oneWay{long()} }, nil},
		{"POST with a key", http.MethodPost, text, func(r *http.Request) { r.Header.Set("Idempotency-Key", "k") }},
		{"POST that waits for 100", http.MethodPost, text, func(r *http.Request) { r.Header.Set("Expect", "100-continue") }},
		{"GET that closes", http.MethodGet, none, func(r *http.Request) { r.Close = true }},
	}
}

func TestTheBytesOnTheWireAreThoseOfNetHTTP(t *testing.T) {
	for _, row := range wireRows() {
		t.Run(row.why, func(t *testing.T) {
			send := func(wrap func(*http.Transport) http.RoundTripper) []byte {
				srv := servers.Must[*servers.Server](t)(servers.NewStatus(servers.Options{}, 200, nil))
				p := newTap(t, srv.Addr())
				base := &http.Transport{}
				sendOne(t, wrap(base), row.method, p, row.body(), row.change)
				base.CloseIdleConnections()
				return p.finish()
			}
			bare := send(func(tr *http.Transport) http.RoundTripper { return tr })
			with := send(func(tr *http.Transport) http.RoundTripper { return &retry.Transport{Base: tr} })
			if !bytes.Equal(bare, with) {
				t.Errorf("bare\n%q\nwith a policy\n%q", short(bare), short(with))
			}
			if len(bare) == 0 {
				t.Error("nothing was sent")
			}
		})
	}
}

func TestTheFramesOnTheWireAreThoseOfNetHTTP(t *testing.T) {
	for _, row := range wireRows() {
		t.Run(row.why, func(t *testing.T) {
			send := func(wrap func(*http.Transport) http.RoundTripper) string {
				srv := servers.Must[*servers.Server](t)(servers.NewHTTP2(servers.HTTP2Options{}, func(s *servers.Stream) {
					if s.ReadBody() == nil {
						s.Answer(200, nil, "")
					}
				}))
				p := newTap(t, srv.Addr())
				base := &http.Transport{Protocols: new(http.Protocols)}
				base.Protocols.SetUnencryptedHTTP2(true)
				sendOne(t, wrap(base), row.method, p, row.body(), row.change)
				base.CloseIdleConnections()
				return frames(t, p.finish())
			}
			bare := send(func(tr *http.Transport) http.RoundTripper { return tr })
			with := send(func(tr *http.Transport) http.RoundTripper { return &retry.Transport{Base: tr} })
			if bare != with || !strings.HasPrefix(bare, "HEADERS") {
				t.Errorf("bare\n%s\nwith a policy\n%s", bare, with)
			}
		})
	}
}

// sendOne sends one request through the tap, under a name that is always the
// same.
func sendOne(t *testing.T, rt http.RoundTripper, method string, p *tap, body io.Reader, change func(*http.Request)) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, "http://"+p.ln.Addr().String()+"/charge", body)
	if err != nil {
		t.Fatal(err)
	}
	r.Host = "lab.example"
	if change != nil {
		change(r)
	}
	resp, err := rt.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	read(t, resp)
}

func short(b []byte) string {
	if len(b) > 600 {
		return fmt.Sprintf("%s … %d bytes", b[:600], len(b))
	}
	return string(b)
}

// frames lists the frames of HTTP/2 that belong to a request: the others come
// when they come. The data is one text, however it was cut.
func frames(t *testing.T, b []byte) string {
	t.Helper()
	const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
	b, ok := bytes.CutPrefix(b, []byte(preface))
	if !ok {
		t.Fatalf("no preface: %q", short(b))
	}
	var list strings.Builder
	data, ended := 0, 0
	for len(b) >= 9 {
		length := int(binary.BigEndian.Uint32(append([]byte{0}, b[:3]...)))
		kind, flags, payload := b[3], b[4], b[9:9+length]
		b = b[9+length:]
		switch kind {
		case 0:
			data += len(payload)
			ended += int(flags & 1)
			if len(payload) == 0 {
				fmt.Fprintf(&list, "empty DATA %x\n", flags)
			}
		case 1:
			fmt.Fprintf(&list, "HEADERS %x %q\n", flags, payload)
		case 3:
			fmt.Fprintf(&list, "RST_STREAM %x\n", payload)
		}
	}
	fmt.Fprintf(&list, "DATA %d bytes, ended %d times", data, ended)
	return list.String()
}
