package trace_test

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/retry-lab/retry-lab/classifier"
	"github.com/retry-lab/retry-lab/trace"
)

// writers are the ways by which package net and io move bytes into a
// connection; each looks for methods of its own.
var writers = []struct {
	why  string
	send func(net.Conn) error
}{
	{"write(2)", func(c net.Conn) error { _, err := io.WriteString(c, "request"); return err }},
	{"writev(2), by net.Buffers", func(c net.Conn) error {
		_, err := (&net.Buffers{[]byte("req"), []byte("uest")}).WriteTo(c)
		return err
	}},
	{"ReadFrom, by io.Copy", func(c net.Conn) error {
		_, err := io.Copy(c, struct{ io.Reader }{strings.NewReader("request")})
		return err
	}},
}

// readers are the same for what comes back.
var readers = []struct {
	why  string
	read func(net.Conn) error
}{
	{"read(2)", func(c net.Conn) error { _, err := io.ReadAll(c); return err }},
	{"WriteTo, by io.Copy", func(c net.Conn) error { _, err := io.Copy(io.Discard, c); return err }},
	{"splice(2), by io.Copy to a file", func(c net.Conn) error {
		f, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		_, err = io.Copy(f, c)
		return errors.Join(err, f.Close())
	}},
}

func TestNoWayThroughAConnectionLeadsPastTheCounter(t *testing.T) {
	for _, w := range writers {
		for _, r := range readers {
			t.Run(w.why+", then "+r.why, func(t *testing.T) {
				ev := exchanged(t, w.send, r.read)
				if !ev.Counted || ev.BytesOut != 7 || ev.BytesIn != 6 || !ev.PeerEnded {
					t.Errorf("counted %v, %d bytes out, %d in, ended %v; want 7, 6 and the end",
						ev.Counted, ev.BytesOut, ev.BytesIn, ev.PeerEnded)
				}
			})
		}
	}
}

// The raw descriptor is a way past it, too.
func TestACountedConnectionHandsOutNoDescriptor(t *testing.T) {
	c, _ := dialled(t)
	for method, got := range map[string]bool{
		"SyscallConn": is[syscall.Conn](c),
		"File":        is[interface{ File() (*os.File, error) }](c),
		"WriteTo":     is[io.WriterTo](c),
	} {
		if got {
			t.Errorf("the counted connection has %s", method)
		}
	}
	if !is[interface{ CloseWrite() error }](c) {
		t.Error("the counted connection lacks CloseWrite, which moves nothing")
	}
}

func is[T any](v any) bool { _, ok := v.(T); return ok }

// dialled is a counted connection and its other end.
func dialled(t *testing.T) (client, server net.Conn) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	client, err = trace.Dial((&net.Dialer{}).DialContext)(t.Context(), "tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	server, err = ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	return client, server
}

// exchanged is what an attempt counted whose transport sends seven bytes and
// reads six and the end.
func exchanged(t *testing.T, send, read func(net.Conn) error) classifier.Evidence {
	t.Helper()
	client, server := dialled(t)
	req, err := http.NewRequest(http.MethodPost, "http://127.0.0.1/", nil)
	if err != nil {
		t.Fatal(err)
	}
	a := trace.Begin(1)
	hooks := httptrace.ContextClientTrace(a.Request(req).Context())
	hooks.GetConn("127.0.0.1:80")
	hooks.GotConn(httptrace.GotConnInfo{Conn: client})
	if err := send(client); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(server, make([]byte, 7)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(server, "answer"); err != nil {
		t.Fatal(err)
	}
	if err := server.Close(); err != nil {
		t.Fatal(err)
	}
	if err := read(client); err != nil {
		t.Fatal(err)
	}
	return a.End(t.Context(), t.Context())
}
