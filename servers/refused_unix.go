//go:build unix

package servers

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// bindOnly binds an address, of which the port may be 0, and returns what it
// became and how to close its socket. The socket is prepared before.
func bindOnly(addr netip.AddrPort, prepare ...func(fd int) error) (netip.AddrPort, func() error, error) {
	var none netip.AddrPort
	family, sa := unix.AF_INET6, unix.Sockaddr(&unix.SockaddrInet6{Port: int(addr.Port()), Addr: addr.Addr().As16()})
	if addr.Addr().Is4() {
		family, sa = unix.AF_INET, &unix.SockaddrInet4{Port: int(addr.Port()), Addr: addr.Addr().As4()}
	}
	syscall.ForkLock.RLock() // no child inherits it
	fd, err := unix.Socket(family, unix.SOCK_STREAM, 0)
	if err == nil {
		unix.CloseOnExec(fd)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return none, nil, os.NewSyscallError("socket", err)
	}
	closeSocket := func() error { return os.NewSyscallError("close", unix.Close(fd)) }
	for _, f := range prepare {
		if err := f(fd); err != nil {
			return none, nil, errors.Join(err, closeSocket())
		}
	}
	if err := unix.Bind(fd, sa); err != nil {
		return none, nil, errors.Join(os.NewSyscallError("bind", err), closeSocket())
	}
	bound, err := unix.Getsockname(fd)
	if err != nil {
		return none, nil, errors.Join(os.NewSyscallError("getsockname", err), closeSocket())
	}
	switch b := bound.(type) {
	case *unix.SockaddrInet4:
		return netip.AddrPortFrom(addr.Addr(), uint16(b.Port)), closeSocket, nil
	case *unix.SockaddrInet6:
		return netip.AddrPortFrom(addr.Addr(), uint16(b.Port)), closeSocket, nil
	}
	return none, nil, errors.Join(fmt.Errorf("bound to %T", bound), closeSocket())
}

// isInUse: a bind failed because somebody has the port.
func isInUse(err error) bool { return errors.Is(err, unix.EADDRINUSE) }
