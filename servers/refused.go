package servers

import (
	"errors"
	"fmt"
	"net/netip"
	"sync"
)

// A Refused is a port, of 127.0.0.1 unless told otherwise, that is bound and never listens: connecting
// is refused, and nobody else can be given the port meanwhile.
type Refused struct {
	addr  netip.AddrPort
	close func() error
	once  sync.Once
	err   error
}

// NewRefused binds such a port.
func NewRefused() (*Refused, error) { return NewRefusedAt(Options{}) }

// NewRefusedAt binds that port. Of the options it uses Addr and Unsafe.
func NewRefusedAt(o Options) (*Refused, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	tcp, err := o.address()
	if err != nil {
		return nil, err
	}
	at := tcp.AddrPort()
	addr, closeSocket, err := bindOnly(netip.AddrPortFrom(at.Addr().Unmap(), at.Port()))
	if err != nil {
		return nil, fmt.Errorf("no port at %s: %w", o.Addr, err)
	}
	return &Refused{addr: addr, close: closeSocket}, nil
}

// NewRefusedDual binds one and the same port of 127.0.0.1 and of ::1. It fails
// where there is no ::1.
func NewRefusedDual() (*Refused, error) {
	for try := 1; ; try++ {
		v4, err := NewRefused()
		if err != nil {
			return nil, err
		}
		_, close6, err := bindOnly(netip.AddrPortFrom(netip.IPv6Loopback(), v4.addr.Port()))
		if err == nil {
			close4 := v4.close
			v4.close = func() error { return errors.Join(close4(), close6()) }
			return v4, nil
		}
		err = errors.Join(err, v4.Close())
		// The port may be free for one and taken for the other.
		if try == 100 || !isInUse(err) {
			return nil, err
		}
	}
}

// Addr is host:port.
func (r *Refused) Addr() string { return r.addr.String() }

// Port is the bound port.
func (r *Refused) Port() int { return int(r.addr.Port()) }

// URL is the root of the server that is not there, without a slash at its end.
func (r *Refused) URL() string { return "http://" + r.Addr() }

// Close gives the port back. It may be called more than once.
func (r *Refused) Close() error {
	r.once.Do(func() { r.err = r.close() })
	return r.err
}

// loopback is 127.0.0.1.
func loopback() netip.Addr { return netip.AddrFrom4([4]byte{127, 0, 0, 1}) }
