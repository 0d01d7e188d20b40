package servers

import (
	"errors"
	"fmt"
	"net/netip"
	"os"

	"golang.org/x/sys/windows"
)

// bindOnly binds an address, of which the port may be 0, and returns what it
// became and how to close its socket. Compiles, but has not run on Windows
// yet.
func bindOnly(addr netip.AddrPort) (netip.AddrPort, func() error, error) {
	var none netip.AddrPort
	family, sa := windows.AF_INET6, windows.Sockaddr(&windows.SockaddrInet6{Port: int(addr.Port()), Addr: addr.Addr().As16()})
	if addr.Addr().Is4() {
		family, sa = windows.AF_INET, &windows.SockaddrInet4{Port: int(addr.Port()), Addr: addr.Addr().As4()}
	}
	var data windows.WSAData
	if err := windows.WSAStartup(0x202, &data); err != nil {
		return none, nil, os.NewSyscallError("wsastartup", err)
	}
	cleanup := func() error { return os.NewSyscallError("wsacleanup", windows.WSACleanup()) }
	fd, err := windows.Socket(family, windows.SOCK_STREAM, windows.IPPROTO_TCP)
	if err != nil {
		return none, nil, errors.Join(os.NewSyscallError("socket", err), cleanup())
	}
	closeSocket := func() error {
		return errors.Join(os.NewSyscallError("closesocket", windows.Closesocket(fd)), cleanup())
	}
	if err := windows.Bind(fd, sa); err != nil {
		return none, nil, errors.Join(os.NewSyscallError("bind", err), closeSocket())
	}
	bound, err := windows.Getsockname(fd)
	if err != nil {
		return none, nil, errors.Join(os.NewSyscallError("getsockname", err), closeSocket())
	}
	switch b := bound.(type) {
	case *windows.SockaddrInet4:
		return netip.AddrPortFrom(addr.Addr(), uint16(b.Port)), closeSocket, nil
	case *windows.SockaddrInet6:
		return netip.AddrPortFrom(addr.Addr(), uint16(b.Port)), closeSocket, nil
	}
	return none, nil, errors.Join(fmt.Errorf("bound to %T", bound), closeSocket())
}

// isInUse: a bind failed because somebody has the port.
func isInUse(err error) bool { return errors.Is(err, windows.WSAEADDRINUSE) }
