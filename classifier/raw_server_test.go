package classifier

import (
	"bufio"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
)

// rawServer hands every connection to serve, in a goroutine of its own, and
// closes it afterwards. It is closed and joined at the end of the test.
func rawServer(t *testing.T, serve func(net.Conn)) (addr string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var conns []net.Conn
	var running sync.WaitGroup
	running.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			conns = append(conns, c)
			mu.Unlock()
			running.Go(func() {
				defer c.Close()
				serve(c)
			})
		}
	})
	t.Cleanup(func() {
		l.Close()
		mu.Lock()
		for _, c := range conns {
			c.Close()
		}
		mu.Unlock()
		running.Wait()
	})
	return l.Addr().String()
}

// answering reads one request, writes text and closes.
func answering(t *testing.T, text string) (url string) {
	t.Helper()
	return "http://" + rawServer(t, func(c net.Conn) {
		r, err := http.ReadRequest(bufio.NewReader(c))
		if err != nil {
			return
		}
		io.Copy(io.Discard, r.Body)
		io.WriteString(c, text)
	})
}

// stalling reads and never answers.
func stalling(t *testing.T) (url string) {
	t.Helper()
	return "http://" + rawServer(t, func(c net.Conn) { io.Copy(io.Discard, c) })
}

// HTTP/2 frames, by hand: the type's number, RFC 9113 section 6.
const (
	dataFrame      = 0
	headersFrame   = 1
	rstStreamFrame = 3
	settingsFrame  = 4
	goAwayFrame    = 7
)

func frame(kind, flags byte, stream uint32, payload ...byte) []byte {
	b := []byte{byte(len(payload) >> 16), byte(len(payload) >> 8), byte(len(payload)), kind, flags}
	b = binary.BigEndian.AppendUint32(b, stream)
	return append(b, payload...)
}

func uint32s(numbers ...uint32) []byte {
	var b []byte
	for _, n := range numbers {
		b = binary.BigEndian.AppendUint32(b, n)
	}
	return b
}

// http2Server speaks just enough HTTP/2 over plain TCP: it sends its settings
// and calls answer when a request is complete. Where answer returns false the
// connection is closed.
func http2Server(t *testing.T, settings []byte, answer func(c net.Conn, stream uint32) bool) (url string) {
	t.Helper()
	return "http://" + rawServer(t, func(c net.Conn) {
		r := bufio.NewReader(c)
		if _, err := io.CopyN(io.Discard, r, int64(len("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"))); err != nil {
			return
		}
		c.Write(frame(settingsFrame, 0, 0, settings...))
		for {
			var head [9]byte
			if _, err := io.ReadFull(r, head[:]); err != nil {
				return
			}
			size := int64(head[0])<<16 | int64(head[1])<<8 | int64(head[2])
			if _, err := io.CopyN(io.Discard, r, size); err != nil {
				return
			}
			switch kind, flags := head[3], head[4]; {
			case kind == settingsFrame && flags == 0:
				c.Write(frame(settingsFrame, 1, 0)) // acknowledged
			case (kind == headersFrame || kind == dataFrame) && flags&1 != 0: // the end of a request
				if !answer(c, binary.BigEndian.Uint32(head[5:])) {
					// Closing with unread frames would send a reset.
					c.(*net.TCPConn).CloseWrite()
					io.Copy(io.Discard, r)
					return
				}
			}
		}
	})
}

// http2Client is a transport that speaks HTTP/2 over plain TCP.
func http2Client(t *testing.T) *http.Transport {
	t.Helper()
	tr := &http.Transport{Protocols: new(http.Protocols)}
	tr.Protocols.SetUnencryptedHTTP2(true)
	t.Cleanup(tr.CloseIdleConnections)
	return tr
}

// http1Client is a transport without anything of the environment.
func http1Client(t *testing.T) *http.Transport {
	t.Helper()
	tr := &http.Transport{}
	t.Cleanup(tr.CloseIdleConnections)
	return tr
}
