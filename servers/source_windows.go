package servers

import (
	"io"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Compiles, but has not run on Windows yet.

// errReset is what a read returns after the peer's reset: the Winsock number,
// which syscall.ECONNRESET is not.
const errReset = windows.WSAECONNRESET

// fionread asks ioctlsocket(2) how many bytes can be read.
const fionread = 0x4004667f

// peek says how much the receive buffer holds, without waiting. A socket of Go
// is in blocking mode here, so that MSG_PEEK would wait.
func peek(fd uintptr) (int, error) {
	var n, returned uint32
	err := windows.WSAIoctl(windows.Handle(fd), fionread, nil, 0,
		(*byte)(unsafe.Pointer(&n)), uint32(unsafe.Sizeof(n)), &returned, nil, 0)
	return int(n), err
}

// awaitUnread is AwaitUnread. Between two calls of the function the runtime
// waits until the socket is readable; readable without bytes is the end.
func awaitUnread(rc syscall.RawConn) error {
	var n, calls int
	var peekErr error
	err := rc.Read(func(fd uintptr) bool {
		calls++
		n, peekErr = peek(fd)
		return n > 0 || peekErr != nil || calls > 1
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
