package scenarios

import (
	"context"
	"fmt"
	"net"
	"syscall"
	"time"

	"github.com/retry-lab/retry-lab/servers"
)

// loopbackLimit is far beyond any load.
const loopbackLimit = 5 * time.Second

// tryLoopback tries what every case builds on: a server on this machine, and a
// connection to it. Without them each case would meet that fault and not its
// own.
func tryLoopback(ctx context.Context) error {
	if n := descriptors(); n < caseDescriptors {
		return fmt.Errorf("one case may need %d descriptors, the limit is %d: %w", caseDescriptors, n, syscall.EMFILE)
	}
	ctx, cancel := within(ctx, loopbackLimit)
	defer cancel()
	srv, err := servers.NewFIN(servers.Options{})
	if err != nil {
		return fmt.Errorf("start server: %w", err)
	}
	defer srv.Close()
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", srv.Addr())
	if err != nil {
		return overdue(ctx, fmt.Errorf("connect to a server on this machine: %w", err))
	}
	defer conn.Close()
	accepted := func(r servers.Record) bool { return len(r.Connections) > 0 }
	if err := srv.Ledger().Await(ctx, accepted); err != nil {
		return overdue(ctx, fmt.Errorf("accept a connection on this machine: %w", err))
	}
	return nil
}
