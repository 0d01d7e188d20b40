package scenarios

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"time"

	"github.com/retry-lab/retry-lab/classifier"
	"github.com/retry-lab/retry-lab/servers"
)

// connectGroup is every way in which no connection comes about, each beside
// the failure of an established one that has the same errno.
func connectGroup() Group {
	return Group{
		ID: "connect", Title: "no connection, and its doubles: the same errno after the request was sent",
		Source:  "connect(2), tcp(7), ip(7)",
		Columns: columns("code", "syscall", "phase", "processed", "basis", "saw", "get", "post", "post_key", "untraced", "message"),
		Rows: []RowDef{
			{ID: "connect/refused", Case: connectRefused},
			{ID: "connect/refused-after-processed", Case: connectRefusedAfter},
			{ID: "connect/refused-dual-stack", Case: connectDualStack},
			{ID: "connect/reset-on-accept-connect", Case: connectResetOnAccept, Part: "connect"},
			{ID: "connect/reset-on-accept-write", Case: connectResetOnAccept, Part: "write"},
			{ID: "connect/reset-on-accept-read", Case: connectResetOnAccept, Part: "read"},
			{ID: "connect/backlog-full", Case: connectBacklog},
			{ID: "connect/dial-timeout", Case: connectDialTimeout},
			{ID: "connect/etimedout-established", Case: connectTimedOutAfter},
			{ID: "connect/net-unreachable", Case: connectNetUnreachable},
			{ID: "connect/host-unreachable", Case: connectHostUnreachable},
			{ID: "connect/prohibited", Case: connectProhibited},
			{ID: "connect/blackhole", Case: connectBlackhole},
			{ID: "connect/no-ports", Case: connectNoPorts},
			{ID: "connect/no-files", Case: connectNoFiles},
		},
	}
}

var connectRefused = &Case{
	ID: "connect/refused", Source: "connect(2): ECONNREFUSED", Pair: "connect/refused-after-processed",
	Title: "nobody listens on the port: nothing was sent, the safest error there is",
	Run: func(ctx context.Context, e *Env) (Run, error) {
		port, err := servers.NewRefused()
		if err != nil {
			return Run{}, fmt.Errorf("hold a port: %w", err)
		}
		return byHTTP(ctx, newClient(e, nil), port, port.URL(), call{})
	},
}

var connectDualStack = &Case{
	ID: "connect/refused-dual-stack", Source: "RFC 8305; connect(2): ECONNREFUSED",
	Title: "the name has two addresses and nobody listens on either: the error names the first only",
	Needs: "IPv6 on the loopback interface",
	Run: func(ctx context.Context, e *Env) (Run, error) {
		const name = "dual-stack.invalid."
		port, err := servers.NewRefusedDual()
		if err != nil {
			return Run{}, &Skip{Why: fmt.Sprintf("cannot hold a port of both 127.0.0.1 and ::1: %v", err)}
		}
		defer port.Close()
		both := []netip.Addr{netip.IPv6Loopback(), netip.AddrFrom4([4]byte{127, 0, 0, 1})}
		dns, err := servers.NewResolver(servers.ResolverOptions{Names: map[string]servers.NameAnswer{name: {Addrs: both}}})
		if err != nil {
			return Run{}, fmt.Errorf("start resolver: %w", err)
		}
		defer dns.Close()
		l := &lookup{dns: dns, name: name, has: both}
		run, err := byHTTP(ctx, newClient(e, l.dialer()), port, "http://"+net.JoinHostPort(name, strconv.Itoa(port.Port()))+"/", call{})
		return l.checked(ctx, run, err)
	},
}

// resetWithin is the time in which the server resets, and in which the client
// writes: so short, and each moment drawn anew, that either may come first.
const resetWithin = 50 * time.Microsecond

// connectResetOnAccept is a plain socket's: the reader and the writer of
// net/http run side by side, and it prints now one text of this, now another.
var connectResetOnAccept = &Case{
	ID: "connect/reset-on-accept", Source: "tcp(7); SO_LINGER in socket(7)", Runs: racyRuns,
	ByEngine: Terms{LeftOut: plainSocket},
	Title:    "the server resets on accept: connect, write or read finds it, and only before the last was anything sent",
	Part:     foundIn,
	Run: func(ctx context.Context, e *Env) (Run, error) {
		srv, err := servers.NewResetOnAccept(servers.ResetOnAcceptOptions{Within: resetWithin, Draw: e.draw})
		if err != nil {
			return Run{}, fmt.Errorf("start server: %w", err)
		}
		return bySocket(ctx, e, srv, func(s *socket) error {
			if err := s.dial(ctx, &net.Dialer{}, srv.Addr()); err != nil {
				return err
			}
			if err := sleep(ctx, e.draw(resetWithin)); err != nil {
				return err
			}
			request := rawHead(srv.Addr(), len(defaultBody)) + defaultBody
			if err := s.write(request, true); err != nil {
				return err
			}
			return s.read()
		})
	},
}

// foundIn is the part of the call that found the reset.
func foundIn(r Run) string {
	switch r.Attempts[0].Phase {
	case classifier.PhaseConnect:
		return "connect"
	case classifier.PhaseWrite:
		return "write"
	}
	return "read"
}

var connectBacklog = &Case{
	ID: "connect/backlog-full", Source: "listen(2); tcp(7): tcp_syn_retries, TCP_USER_TIMEOUT", Pair: "connect/etimedout-established", Waits: synRetry,
	Title: "the accept queue is full: the kernel's own timeout, overload looks like a dead host",
	Run: func(ctx context.Context, e *Env) (Run, error) {
		return intoFullBacklog(ctx, newClient(e, kernelTimeout()))
	},
}

var connectDialTimeout = &Case{
	ID: "connect/dial-timeout", Source: "net: Dialer.Timeout", Pair: "connect/backlog-full", Waits: 100 * time.Millisecond,
	Title: "the accept queue is full: the dialer's own timer, and no errno",
	Run: func(ctx context.Context, e *Env) (Run, error) {
		return intoFullBacklog(ctx, newClient(e, &net.Dialer{Timeout: dialLimit}))
	},
}

func intoFullBacklog(ctx context.Context, c *client) (Run, error) {
	srv, err := servers.NewFullBacklog(servers.Options{})
	if err != nil {
		return Run{}, fmt.Errorf("fill a backlog: %w", err)
	}
	return byHTTP(ctx, c, srv, srv.URL(), call{})
}
