//go:build unix

package servers

import (
	"io"
	"syscall"

	"golang.org/x/sys/unix"
)

// errReset is what a read returns after the peer's reset.
const errReset = unix.ECONNRESET

// peek looks at the receive buffer without waiting: how much is there, at most
// one byte; 0 without an error is the peer's end; EAGAIN is nothing yet.
func peek(fd uintptr) (int, error) {
	var b [1]byte
	for {
		n, _, err := unix.Recvfrom(int(fd), b[:], unix.MSG_PEEK|unix.MSG_DONTWAIT)
		if err != unix.EINTR {
			return n, err
		}
	}
}

// awaitUnread is AwaitUnread.
func awaitUnread(rc syscall.RawConn) error {
	var n int
	var peekErr error
	err := rc.Read(func(fd uintptr) bool {
		n, peekErr = peek(fd)
		return peekErr != unix.EAGAIN
	})
	switch {
	case err != nil:
		return err
	case peekErr != nil:
		return peekErr
	case n == 0:
		return io.EOF
	}
	return nil
}
