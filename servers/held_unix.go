//go:build unix

package servers

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// listenHeld is listen with a second socket bound to the same port, which
// never listens: once the listener is closed the port refuses, and is still
// nobody else's. The returned function gives it back. Has run on Linux only.
func listenHeld(o Options) (*net.TCPListener, func() error, error) {
	ln, err := listenWith(o, func(_, _ string, rc syscall.RawConn) error {
		var inner error
		err := rc.Control(func(fd uintptr) { inner = sharePort(int(fd)) })
		return errors.Join(err, inner)
	})
	if err != nil {
		return nil, nil, err
	}
	at := ln.Addr().(*net.TCPAddr).AddrPort()
	_, release, err := bindOnly(netip.AddrPortFrom(at.Addr().Unmap(), at.Port()), sharePort)
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("hold the port: %w", err), ln.Close())
	}
	return ln, release, nil
}

// sharePort lets another socket be bound to the same port (socket(7):
// SO_REUSEPORT, which both must have).
func sharePort(fd int) error {
	return os.NewSyscallError("setsockopt", unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEPORT, 1))
}
