package trace

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"sync/atomic"
)

// A DialFunc is the shape of net.Dialer.DialContext and of
// http.Transport.DialContext.
type DialFunc func(ctx context.Context, network, addr string) (net.Conn, error)

// Dial counts the bytes of every connection that next makes. Without it an
// Evidence still has its hooks, but no proof that nothing was sent. A
// Transport with a DialContext speaks HTTP/2 only if ForceAttemptHTTP2 is set.
func Dial(next DialFunc) DialFunc {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := next(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		return count(c), nil
	}
}

// count keeps a TCP connection's ReadFrom, so that net/http takes the same way
// through the kernel, and prints the same errors, as without the counter.
func count(c net.Conn) net.Conn {
	if tcp, ok := c.(*net.TCPConn); ok {
		return &tcpConn{TCPConn: tcp}
	}
	return &conn{Conn: c}
}

// counts is what went through a connection since it was made.
type counts struct{ in, out atomic.Int64 }

func (c *counts) bytes() (in, out int64) { return c.in.Load(), c.out.Load() }

type counted interface{ bytes() (in, out int64) }

type tcpConn struct {
	*net.TCPConn
	counts
}

func (c *tcpConn) Read(p []byte) (int, error) {
	n, err := c.TCPConn.Read(p)
	c.in.Add(int64(n))
	return n, err
}

func (c *tcpConn) Write(p []byte) (int, error) {
	n, err := c.TCPConn.Write(p)
	c.out.Add(int64(n))
	return n, err
}

// ReadFrom is what net/http sends a long body with.
func (c *tcpConn) ReadFrom(r io.Reader) (int64, error) {
	n, err := c.TCPConn.ReadFrom(r)
	c.out.Add(n)
	return n, err
}

type conn struct {
	net.Conn
	counts
}

func (c *conn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.in.Add(int64(n))
	return n, err
}

func (c *conn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.out.Add(int64(n))
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
