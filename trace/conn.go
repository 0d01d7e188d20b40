package trace

import (
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"net"
	"sync/atomic"
	"time"
)

// A DialFunc is the shape of net.Dialer.DialContext and of
// http.Transport.DialContext.
type DialFunc func(ctx context.Context, network, addr string) (net.Conn, error)

// Dial counts the bytes of every connection that next makes. Without it an
// Evidence still has its hooks, but no proof that nothing was sent, and cannot
// tell HTTP/2 on plain TCP from HTTP/1. A
// Transport with a DialContext speaks HTTP/2 only if ForceAttemptHTTP2 is set.
func Dial(next DialFunc) DialFunc {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		if a := FromContext(ctx); a != nil {
			ctx = a.dialing(ctx)
		}
		c, err := next(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		return count(c), nil
	}
}

// count keeps a TCP connection's ReadFrom, so that net/http takes the same way
// through the kernel, and prints the same errors, as without the counter. What
// else would move bytes it hides: they would not be counted.
func count(c net.Conn) net.Conn {
	if tcp, ok := c.(*net.TCPConn); ok {
		return &tcpConn{plainTCP: tcp}
	}
	return &conn{Conn: c}
}

// counts is what went through a connection since it was made, whether it was
// read to its end, whether it began as HTTP/2 begins on plain TCP, and the
// error that broke it.
type counts struct {
	in, out atomic.Int64
	ended   atomic.Bool
	http2   atomic.Bool
	first   atomic.Pointer[error]
}

func (c *counts) bytes() (in, out int64) { return c.in.Load(), c.out.Load() }
func (c *counts) peerEnded() bool        { return c.ended.Load() }
func (c *counts) prefaced() bool         { return c.http2.Load() }

// broken is the first error of a Read or Write, nil while there was none.
func (c *counts) broken() error {
	if err := c.first.Load(); err != nil {
		return *err
	}
	return nil
}

// failed keeps the first error.
func (c *counts) failed(err error) {
	if err != nil {
		kept := err // on the heap only where there is one
		c.first.CompareAndSwap(nil, &kept)
	}
}

// preface is what a client of HTTP/2 sends before all else, alone or with its
// settings (RFC 9113 section 3.4). net/http does before it hands the
// connection to a request.
var preface = []byte("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")

// sent enters what a write has taken of p.
func (c *counts) sent(p []byte, n int, err error) {
	c.failed(err)
	if c.out.Add(int64(n)) == int64(n) && bytes.HasPrefix(p[:n], preface) {
		c.http2.Store(true)
	}
}

// received enters what a read returned.
func (c *counts) received(n int, err error) {
	c.in.Add(int64(n))
	c.failed(err)
	if err == io.EOF {
		c.ended.Store(true)
	}
}

type counted interface {
	bytes() (in, out int64)
	peerEnded() bool
	prefaced() bool
	broken() error
}

// plainTCP is what of a *net.TCPConn stays in sight: all but WriteTo, the
// writev(2) behind net.Buffers, SyscallConn and File, which lead past the
// counter. An embedded *net.TCPConn would have them, and none counted bytes
// would then be taken for the proof that nothing was sent.
type plainTCP interface {
	net.Conn
	io.ReaderFrom
	CloseRead() error
	CloseWrite() error
	SetKeepAlive(bool) error
	SetKeepAliveConfig(net.KeepAliveConfig) error
	SetKeepAlivePeriod(time.Duration) error
	SetLinger(int) error
	SetNoDelay(bool) error
	SetReadBuffer(int) error
	SetWriteBuffer(int) error
	MultipathTCP() (bool, error)
}

type tcpConn struct {
	plainTCP // a *net.TCPConn
	counts
}

func (c *tcpConn) Read(p []byte) (int, error) {
	n, err := c.plainTCP.Read(p)
	c.received(n, err)
	return n, err
}

func (c *tcpConn) Write(p []byte) (int, error) {
	n, err := c.plainTCP.Write(p)
	c.sent(p, n, err)
	return n, err
}

// ReadFrom is what net/http sends a long body with.
func (c *tcpConn) ReadFrom(r io.Reader) (int64, error) {
	n, err := c.plainTCP.ReadFrom(r)
	c.out.Add(n)
	return n, err // of the reader, maybe, so not kept
}

type conn struct {
	net.Conn
	counts
}

func (c *conn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.received(n, err)
	return n, err
}

func (c *conn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.sent(p, n, err)
	return n, err
}

// counterOf finds the counter under a connection, below TLS too; nil if the
// connection was not dialled through Dial.
func counterOf(c net.Conn) counted {
	for {
		switch t := c.(type) {
		case counted:
			return t
		case *tls.Conn:
			c = t.NetConn()
		default:
			return nil
		}
	}
}

var (
	_ net.Conn      = (*tcpConn)(nil)
	_ io.ReaderFrom = (*tcpConn)(nil)
	_ net.Conn      = (*conn)(nil)
)
