package servers

import (
	"fmt"
	"net"
	"os"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// fill makes the queue as short as it gets, by listen(2) again with 0, and
// dials until TCP_INFO of the listener says that it is full: there unacked is
// the queue's length and sacked its bound, and full is above the bound
// (sk_acceptq_is_full in the kernel's include/net/sock.h). One dial does it.
func (b *Backlog) fill() error {
	rc, err := b.ln.SyscallConn()
	if err != nil {
		return err
	}
	control := func(f func(fd int) error) error {
		var inner error
		if err := rc.Control(func(fd uintptr) { inner = f(int(fd)) }); err != nil {
			return err
		}
		return inner
	}
	err = control(func(fd int) error { return os.NewSyscallError("listen", unix.Listen(fd, 0)) })
	if err != nil {
		return err
	}
	var queued, bound uint32
	look := func(fd int) error {
		info, err := unix.GetsockoptTCPInfo(fd, unix.IPPROTO_TCP, unix.TCP_INFO)
		if err != nil {
			return os.NewSyscallError("getsockopt", err)
		}
		queued, bound = info.Unacked, info.Sacked
		return nil
	}
	for deadline := time.Now().Add(10 * time.Second); ; {
		if err := control(look); err != nil {
			return err
		}
		if queued > bound {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("accept queue holds %d of %d and does not fill", queued, bound)
		}
		if int(queued) < len(b.inner) { // the last handshake is still going on
			runtime.Gosched()
			continue
		}
		c, err := net.DialTimeout("tcp", b.Addr(), 5*time.Second)
		if err != nil {
			return fmt.Errorf("fill the accept queue: %w", err)
		}
		b.inner = append(b.inner, c)
	}
}
