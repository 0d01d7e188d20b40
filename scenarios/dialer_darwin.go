package scenarios

import (
	"fmt"
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// kernelTimeout makes the kernel give up a connect(2) after one second
// (TCP_CONNECTIONTIMEOUT of XNU's netinet/tcp.h, in seconds). Not yet run on
// this system.
func kernelTimeout() *net.Dialer {
	return &net.Dialer{Control: func(_, _ string, raw syscall.RawConn) error {
		var opt error
		err := raw.Control(func(fd uintptr) {
			opt = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_CONNECTIONTIMEOUT, 1)
		})
		if err == nil {
			err = opt
		}
		if err != nil {
			return fmt.Errorf("set TCP_CONNECTIONTIMEOUT: %w", err)
		}
		return nil
	}}
}
