package scenarios

import (
	"context"
	"fmt"
	"net/http/httptrace"
	"time"

	"github.com/retry-lab/retry-lab/netns"
	"github.com/retry-lab/retry-lab/servers"
)

var (
	connectRefusedAfter = lost("refused-after-processed", "connect/refused", "reject with icmp port-unreachable",
		"tcp(7): ECONNREFUSED, TCP_USER_TIMEOUT; RFC 1122 section 4.2.3.9",
		"ECONNREFUSED, and the work is done: the errno of a connect, on the read of a connection that broke after the request")
	connectTimedOutAfter = lost("etimedout-established", "connect/backlog-full", "drop",
		"tcp(7): ETIMEDOUT, TCP_USER_TIMEOUT",
		"ETIMEDOUT, and the work is done: the network went away after the request")
)

// lost is a case in which the network goes away once the request has arrived:
// of the server nothing comes any more, its acknowledgement included, and what
// the client repeats meets that verdict of the firewall.
func lost(id, pair, verdict, source, title string) *Case {
	return inChild(Case{
		ID: "connect/" + id, Title: title, Source: source, Pair: pair, Needs: needsNetwork + ", nft(8)", Waits: 500 * time.Millisecond,
	}, netns.Spec{Namespaces: netns.Network}, func(ctx context.Context, e *Env, child *netns.Child) (Run, error) {
		if err := child.LoopbackUp(); err != nil {
			return Run{}, err
		}
		srv, err := servers.NewStall(servers.StallOptions{Commit: servers.CommitAtOnce})
		if err != nil {
			return Run{}, fmt.Errorf("start server: %w", err)
		}
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		// Once the connection stands, and before anything is sent on it.
		cut := &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) {
			if err := child.Firewall(ctx, oneSegment(srv.Port(), verdict)); err != nil {
				cancel(err)
			}
		}}
		return byHTTPUntil(ctx, newClient(e, kernelTimeout()), srv, call{Hooks: cut}, worked)
	})
}

// oneSegment lets one segment with data through to the server's port, which is
// the request, and none back. One packet an hour: the second never passes.
func oneSegment(port int, verdict string) string {
	return fmt.Sprintf(`table inet lab {
	chain from_server { type filter hook output priority 0; tcp sport %[1]d drop; }
	chain to_server {
		type filter hook input priority 0
		tcp dport %[1]d tcp flags & psh == psh limit rate 1/hour burst 1 packets accept
		tcp dport %[1]d %[2]s
	}
}
`, port, verdict)
}
