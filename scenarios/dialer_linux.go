package scenarios

import (
	"fmt"
	"net"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// kernelTimeout makes the kernel give up with ETIMEDOUT: a connect(2) at the
// first retransmission of its SYN, one second on, instead of after 127 s, and
// an established connection soon after the first retransmission of what is not
// acknowledged, half a second on, instead of after a quarter of an hour
// (tcp(7): TCP_USER_TIMEOUT, tcp_syn_retries, tcp_retries2). It is the kernel's
// own timeout: no timer of the client's is involved.
func kernelTimeout() *net.Dialer {
	const limit = 100 * time.Millisecond // anything from 10 to 900 ms ends a connect in the same way
	return &net.Dialer{Control: func(_, _ string, raw syscall.RawConn) error {
		var opt error
		err := raw.Control(func(fd uintptr) {
			opt = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(limit.Milliseconds()))
		})
		if err == nil {
			err = opt
		}
		if err != nil {
			return fmt.Errorf("set TCP_USER_TIMEOUT: %w", err)
		}
		return nil
	}}
}
