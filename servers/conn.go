package servers

import (
	"bufio"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"syscall"
	"time"
)

// AttemptHeader carries the client's attempt number to the ledger.
const AttemptHeader = "Retry-Lab-Attempt"

// KeyHeader is the idempotency key's.
const KeyHeader = "Idempotency-Key"

// A Conn is one accepted connection in the hands of a fault.
type Conn struct {
	s    *Server
	tcp  *net.TCPConn
	rw   net.Conn // tcp, or TLS upon it
	in   source
	br   *bufio.Reader // of in
	n    int           // in the ledger; 0 past its bound
	last *entry        // the delivery under way, or the one before
	shut bool          // we have closed it
	gone bool          // the client has

	// Of an Origin's connection, for the goroutine that reads it.
	carried int   // deliveries
	call    *Call // of the latest
}

func newConn(s *Server, tcp *net.TCPConn) *Conn {
	c := &Conn{s: s, tcp: tcp, rw: tcp}
	if s.opts.TLS != nil {
		c.rw = tls.Server(tcp, s.opts.TLS)
	}
	c.in.c = c
	c.br = buffers.Get().(*bufio.Reader)
	c.br.Reset(&c.in)
	c.n = s.entered(tcp.RemoteAddr().(*net.TCPAddr).Port)
	return c
}

// buffers are of connections that have ended: a new one for each would be most
// of the garbage of a reset.
var buffers = sync.Pool{New: func() any { return bufio.NewReader(nil) }}

// recycle gives the buffer back once nobody reads from the connection any more.
func (c *Conn) recycle() {
	c.br.Reset(nil)
	buffers.Put(c.br)
	c.br = nil
}

// entered enters an accepted connection and returns its number.
func (s *Server) entered(port int) int {
	if s.origin != nil {
		return s.origin.opened()
	}
	return s.ledger.open(port)
}

// left enters that a connection has ended.
func (s *Server) left(c *Conn) {
	if s.origin != nil {
		s.origin.closed(c)
	}
}

// begin enters a delivery: its first byte is here.
func (c *Conn) begin() *entry {
	if c.s.origin != nil {
		return c.s.origin.begin(c)
	}
	return c.s.ledger.begin(c.n)
}

// enter enters a delivery's head of size bytes; complete: it announced no body.
func (c *Conn) enter(e *entry, r *http.Request, size int, complete bool) {
	if c.s.origin != nil {
		c.s.origin.route(c, e, r)
	}
	e.head(attemptOf(r.Header), r, size, complete)
	if c.s.origin != nil {
		c.s.origin.heard(e)
	}
}

// unserved enters that no fault will see a delivery.
func (c *Conn) unserved(e *entry) {
	if e != nil && e.turn != nil && e.turn.call != nil {
		e.turn.call.release()
	}
}

// taken is how many bytes have been used, less what is still buffered.
func (c *Conn) taken() int64 { return c.in.n - int64(c.br.Buffered()) }

// interrupt ends whatever the connection waits for; Close uses it.
func (c *Conn) interrupt() { c.tcp.Close() }

// finish closes what a fault left open.
func (c *Conn) finish() {
	switch {
	case c.shut:
	case c.s.closing():
		c.shut = true
		c.tcp.Close() // no goodbye of TLS: it may wait seconds
	default:
		c.FIN()
	}
}

// FIN closes in order. With unread data in the kernel's buffer the peer gets
// a reset instead (RFC 9112 section 9.6; tcp(7)), and that is what is entered.
func (c *Conn) FIN() {
	how := EndedFIN
	if c.unread() {
		how = EndedRST
	}
	c.last.end(how)
	c.shut = true
	c.rw.Close()
}

// CloseWrite sends the FIN and leaves our reading side open. Whatever the
// close that must follow does, the peer has seen an end first.
func (c *Conn) CloseWrite() {
	c.last.end(EndedFIN)
	c.tcp.CloseWrite()
}

// RST closes with a reset: SO_LINGER with a zero timeout, then close(2) below
// any TLS, which would say goodbye first.
func (c *Conn) RST() {
	c.shut = true
	if err := c.tcp.SetLinger(0); err == nil {
		c.last.end(EndedRST)
	}
	c.tcp.Close()
}

// Stall says nothing more until the client leaves or the server closes. What
// the client still sends is read and dropped.
func (c *Conn) Stall() {
	_, err := io.Copy(io.Discard, c.br)
	if err == nil {
		err = io.EOF
	}
	c.left(err)
}

// watch notices a client that leaves while a fault waits, and enters when. It
// reads ahead at most what the buffer holds. The caller must call stop before
// it touches the connection again.
func (c *Conn) watch() (stop func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		if _, err := c.br.Peek(1); err != nil {
			c.left(err)
		}
	}()
	return func() {
		c.tcp.SetReadDeadline(time.Unix(1, 0))
		<-done
		c.tcp.SetReadDeadline(time.Time{})
	}
}

// left enters that the client has left a delivery without its answer: it stays
// stalled, as it does when the server closes just before the client leaves.
func (c *Conn) left(err error) {
	if how := departure(err); how == "" || c.s.closing() {
		return
	}
	c.gone = true
	c.last.set(func(d *Delivery) {
		if d.EndedAt.IsZero() {
			d.EndedAt = time.Now()
		}
	})
}

// lost enters how the client left in the midst of a request. A connection that
// had been kept stays kept: closing an idle one is no part of the delivery
// before.
func (c *Conn) lost(err error) {
	if how := departure(err); how != "" && !c.s.closing() {
		c.gone = true
		c.last.end(how)
	}
}

// departure is how the peer left, by what a read or write returned; empty
// where it did not leave.
func departure(err error) string {
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, net.ErrClosed):
		return ""
	case errors.Is(err, syscall.ECONNRESET) || errors.Is(err, errReset):
		return EndedRST
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.EPIPE):
		return EndedFIN
	}
	return ""
}
