//go:build !linux

package servers

import (
	"errors"
	"fmt"
	"net"
	"os"
	"time"
)

// maxQueue is more than any system queues by default.
const maxQueue = 10_000

// fill dials until a connection stalls. Compiles, but has not run on any of
// these systems yet.
func (b *Backlog) fill() error {
	for len(b.inner) < maxQueue {
		c, err := net.DialTimeout("tcp", b.Addr(), 500*time.Millisecond)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("fill the accept queue: %w", err)
		}
		b.inner = append(b.inner, c)
	}
	return fmt.Errorf("accept queue took %d connections and is not full", maxQueue)
}
