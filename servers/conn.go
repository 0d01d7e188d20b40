package servers

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
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
	in   *counter
	br   *bufio.Reader
	n    int // in the ledger; 0 past its bound
	last *entry
	shut bool
}

func newConn(s *Server, tcp *net.TCPConn) *Conn {
	c := &Conn{s: s, tcp: tcp, rw: tcp}
	if s.opts.TLS != nil {
		c.rw = tls.Server(tcp, s.opts.TLS)
	}
	c.in = &counter{r: c.rw}
	c.br = bufio.NewReader(c.in)
	c.n = s.ledger.open(tcp.RemoteAddr().(*net.TCPAddr).Port)
	return c
}

// counter counts what was read, so that a head that breaks off has a size.
type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// taken is how many bytes a fault has consumed, less what is still buffered.
func (c *Conn) taken() int64 { return c.in.n - int64(c.br.Buffered()) }

// interrupt ends whatever the connection waits for; Close uses it.
func (c *Conn) interrupt() { c.tcp.SetDeadline(time.Unix(1, 0)) }

// finish closes what a fault left open.
func (c *Conn) finish() {
	if !c.shut {
		c.shut = true
		c.rw.Close()
	}
}

// FIN closes in order. With unread data in the kernel's buffer the peer gets
// a reset instead (RFC 9112 section 9.6; tcp(7)).
func (c *Conn) FIN() {
	c.last.end(EndedFIN)
	c.finish()
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

// Stall says nothing more until the server closes.
func (c *Conn) Stall() { <-c.s.ctx.Done() }

// peek waits for the first byte of a request and enters its delivery; false
// when there is none to come.
func (c *Conn) peek() bool {
	if _, err := c.br.Peek(1); err != nil {
		c.lost(err)
		return false
	}
	c.last = c.s.ledger.begin(c.n)
	return true
}

// lost enters how the peer left. A connection that had been kept stays kept:
// closing an idle connection is no part of the delivery before.
func (c *Conn) lost(err error) {
	if c.last == nil || c.s.ctx.Err() != nil {
		return
	}
	how := EndedFIN
	if errors.Is(err, syscall.ECONNRESET) {
		how = EndedRST
	}
	c.last.set(func(d *Delivery) {
		if d.Ended == EndedStalled && d.Answered == 0 {
			d.Ended, d.EndedAt = how, time.Now()
		}
	})
}

// Arrived waits for the first bytes of a request, takes whatever one read
// gives and enters it, head, body or part of either, without waiting for more.
func (c *Conn) Arrived() bool {
	if !c.peek() {
		return false
	}
	buf, err := c.br.Peek(c.br.Buffered())
	if err != nil {
		return false
	}
	c.enterPart(buf)
	if _, err := c.br.Discard(len(buf)); err != nil {
		return false
	}
	return true
}

// enterPart enters a request of which only buf is here.
func (c *Conn) enterPart(buf []byte) {
	br := bufio.NewReader(bytes.NewReader(buf))
	req, err := http.ReadRequest(br)
	if err != nil {
		c.last.set(func(d *Delivery) { d.HeadBytes = len(buf) })
		return
	}
	c.enterHead(req, len(buf)-br.Buffered())
	h := sha256.New()
	n, err := io.Copy(h, req.Body)
	c.enterBody(n, h.Sum(nil), err == nil)
}

// enterHead enters a complete head.
func (c *Conn) enterHead(req *http.Request, size int) {
	attempt, err := strconv.Atoi(req.Header.Get(AttemptHeader))
	if err != nil || attempt < 0 || attempt > 1<<20 {
		attempt = 0
	}
	c.last.head(attempt, req.Method, req.URL.Path, req.Header.Get(KeyHeader))
	c.last.set(func(d *Delivery) {
		d.HeadBytes = size
		d.Complete = req.ContentLength == 0 && len(req.TransferEncoding) == 0
	})
}

// enterBody enters what was read of a body.
func (c *Conn) enterBody(n int64, sum []byte, complete bool) {
	c.last.set(func(d *Delivery) {
		d.BodyBytes, d.Complete = n, complete
		if n > 0 {
			d.BodySHA256 = hex.EncodeToString(sum)
		}
	})
}
