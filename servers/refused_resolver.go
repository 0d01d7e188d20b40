package servers

import (
	"errors"
	"fmt"
	"net"
	"sync"
)

// A RefusedResolver is the address of a resolver that does not run: a query
// over UDP or TCP is refused, and nobody else can be given the port meanwhile.
type RefusedResolver struct {
	tcp *Refused
	udp *net.UDPConn

	once sync.Once
	err  error
}

// NewRefusedResolver binds one port of 127.0.0.1 for both protocols. The UDP
// socket is connected elsewhere: a datagram of anybody else's finds no socket,
// and the kernel answers it with an ICMP port unreachable, where it would have
// queued it for one that is only bound (udp(7)).
func NewRefusedResolver() (*RefusedResolver, error) {
	for try := 1; ; try++ {
		tcp, err := NewRefused()
		if err != nil {
			return nil, err
		}
		here := &net.UDPAddr{IP: loopback().AsSlice(), Port: tcp.Port()}
		udp, err := net.DialUDP("udp", here, here) // to itself: nobody else can send from there
		if err == nil {
			return &RefusedResolver{tcp: tcp, udp: udp}, nil
		}
		err = errors.Join(err, tcp.Close())
		// The port may be free for one protocol and taken for the other.
		if try == 100 || !isInUse(err) {
			return nil, fmt.Errorf("hold a port: %w", err)
		}
	}
}

// Addr is host:port, the same for UDP and TCP.
func (r *RefusedResolver) Addr() string { return r.tcp.Addr() }

// NetResolver asks this resolver, as [Resolver.NetResolver] does, and by UDP
// only: by TCP it would be connect(2) that is refused, which reads differently,
// and "options use-vc" in resolv.conf would choose it.
func (r *RefusedResolver) NetResolver() *net.Resolver { return netResolver(r.Addr(), "udp") }

// Close gives the port back. It may be called more than once.
func (r *RefusedResolver) Close() error {
	r.once.Do(func() { r.err = errors.Join(r.udp.Close(), r.tcp.Close()) })
	return r.err
}
