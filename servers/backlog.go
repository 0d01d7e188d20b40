package servers

import (
	"errors"
	"net"
	"sync"
)

// A Backlog is a listener whose accept queue is full and which never accepts:
// a SYN that comes now is not answered.
type Backlog struct {
	ln    *net.TCPListener
	inner []net.Conn // the connections that fill the queue

	once sync.Once
	err  error
}

// NewFullBacklog listens and fills the accept queue. On Linux the kernel
// itself says that it is full; elsewhere a connection that stalls says so.
// Of the options it uses Addr and Unsafe.
func NewFullBacklog(o Options) (*Backlog, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	ln, err := listen(o)
	if err != nil {
		return nil, err
	}
	b := &Backlog{ln: ln}
	if err := b.fill(); err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return b, nil
}

// Addr is host:port.
func (b *Backlog) Addr() string { return b.ln.Addr().String() }

// Port is the listener's port.
func (b *Backlog) Port() int { return b.ln.Addr().(*net.TCPAddr).Port }

// URL is the server's root, without a slash at its end.
func (b *Backlog) URL() string { return "http://" + b.Addr() }

// Close gives the port and the connections in the queue back. It may be called
// more than once.
func (b *Backlog) Close() error {
	b.once.Do(func() {
		b.err = b.ln.Close()
		for _, c := range b.inner {
			b.err = errors.Join(b.err, c.Close())
		}
	})
	return b.err
}
