package servers

import (
	"errors"
	"net"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// The kernel's own timeout, which TCP_USER_TIMEOUT brings forward to the first
// retransmission of the SYN; no timer of the client's is set.
func TestFactAFullBacklogEndsInTheKernelsTimeout(t *testing.T) {
	var wg sync.WaitGroup
	for range 20 {
		b := Must[*Backlog](t)(NewFullBacklog(Options{}))
		if len(b.inner) != 1 {
			t.Errorf("%d connections fill the queue, want 1", len(b.inner))
		}
		wg.Go(func() {
			d := net.Dialer{Control: func(_, _ string, rc syscall.RawConn) error {
				var inner error
				err := rc.Control(func(fd uintptr) {
					inner = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, 500)
				})
				return errors.Join(err, inner)
			}}
			start := time.Now()
			c, err := d.Dial("tcp", b.Addr())
			if err == nil {
				c.Close()
			}
			if !errors.Is(err, syscall.ETIMEDOUT) || time.Since(start) < time.Second {
				t.Errorf("dial: %v after %v, want ETIMEDOUT after a second", err, time.Since(start))
			}
		})
	}
	wg.Wait()
}
