package scenarios

import (
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"slices"
	"sync/atomic"
	"syscall"
)

// A nameserver is a resolver of the lab's, or a port without one.
type nameserver interface {
	io.Closer
	NetResolver() *net.Resolver
}

// A lookup is a name that only the lab's resolver is to be asked for. Go's own
// resolver, too, reads hosts(5) and nsswitch.conf(5), and nothing keeps it from
// that; so it is watched. Where this machine's files answer, the case cannot
// run, and nothing is sent to whom they name.
type lookup struct {
	dns  nameserver
	name string       // rooted
	has  []netip.Addr // what the lab's resolver answers

	asked     atomic.Bool // the lab's resolver was
	elsewhere atomic.Bool // and yet the address came from another
}

// resolver is the lab's, watched.
func (l *lookup) resolver() *net.Resolver {
	r := l.dns.NetResolver()
	dial := r.Dial
	r.Dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
		l.asked.Store(true)
		return dial(ctx, network, addr)
	}
	return r
}

// dialer connects to what the lab's resolver says, and to nobody else.
func (l *lookup) dialer() *net.Dialer { return &net.Dialer{Resolver: l.resolver(), Control: l.control} }

var errElsewhere = errors.New("not an address of the lab's resolver")

// control is net.Dialer's.
func (l *lookup) control(_, addr string, _ syscall.RawConn) error {
	if at, err := netip.ParseAddrPort(addr); err == nil && slices.Contains(l.has, at.Addr().Unmap()) {
		return nil
	}
	l.elsewhere.Store(true)
	return errElsewhere
}

// checked passes on what a call that needed the lookup came to, unless it was
// this machine's files that answered.
func (l *lookup) checked(ctx context.Context, run Run, err error) (Run, error) {
	if ctx.Err() == nil && (!l.asked.Load() || l.elsewhere.Load()) {
		return Run{}, &Skip{Why: "cannot have " + l.name + " asked of the lab's resolver only: hosts(5) or nsswitch.conf(5) of this machine answers for it"}
	}
	return run, err
}

// byHTTP is a call to the name through net/http.
func (l *lookup) byHTTP(ctx context.Context, e *Env, d *net.Dialer) (Run, error) {
	run, err := byHTTP(ctx, newClient(e, d), l.dns, "http://"+l.name+"/", call{})
	return l.checked(ctx, run, err)
}
