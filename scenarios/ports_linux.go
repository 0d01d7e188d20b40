package scenarios

import (
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// dialerFrom returns a dialer that connects from that port or not at all. Its
// error wraps errors.ErrUnsupported where the kernel is older than 6.3.
func dialerFrom(port int) (*net.Dialer, error) {
	narrow := func(fd int) error {
		both := port<<16 | port // the upper bound and the lower, ip(7)
		return os.NewSyscallError("setsockopt", unix.SetsockoptInt(fd, unix.IPPROTO_IP, unix.IP_LOCAL_PORT_RANGE, both))
	}
	err := onSocket(narrow)
	if errors.Is(err, unix.ENOPROTOOPT) {
		err = errors.Join(errors.ErrUnsupported, err)
	}
	if err != nil {
		return nil, fmt.Errorf("set IP_LOCAL_PORT_RANGE: %w", err)
	}
	return &net.Dialer{Control: func(_, _ string, raw syscall.RawConn) error {
		var opt error
		if err := raw.Control(func(fd uintptr) { opt = narrow(int(fd)) }); err != nil {
			return err
		}
		return opt
	}}, nil
}

// onSocket tries an option on a socket of its own.
func onSocket(set func(fd int) error) error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return os.NewSyscallError("socket", err)
	}
	return errors.Join(set(fd), os.NewSyscallError("close", unix.Close(fd)))
}
