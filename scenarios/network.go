package scenarios

import (
	"context"
	"fmt"
	"net"

	"github.com/retry-lab/retry-lab/servers"
)

// networkGroup is the table of the errors everybody has met, at the plain
// socket and again as net/http passes them on.
func networkGroup() Group {
	return Group{
		ID: "network", Title: "no answer at all: the plain socket, and what net/http makes of it",
		Source:  "errno(3), tcp(7), getaddrinfo(3); RFC 9112 section 9.6",
		Columns: columns("code", "syscall", "phase", "processed", "basis", "saw", "get", "post", "post_key", "untraced", "message"),
		Rows: []RowDef{
			{ID: "network/reset", Case: socketReset},
			{ID: "network/reset-http", Case: responseReset},
			{ID: "network/refused", Case: socketRefused},
			{ID: "network/refused-http", Case: connectRefused},
			{ID: "network/nxdomain", Case: socketNXDomain},
			{ID: "network/nxdomain-http", Case: resolveNXDomain},
			{ID: "network/unread", Case: socketUnread},
			{ID: "network/unread-http", Case: uploadUnread},
			{ID: "network/drained", Case: socketDrained},
			{ID: "network/drained-http", Case: uploadDrained},
			{ID: "network/backlog-full", Case: socketBacklog},
			{ID: "network/backlog-full-http", Case: connectBacklog},
		},
	}
}

// noSuchHost is rooted, so that no search list is tried, and reserved
// (RFC 6761 section 6.4), so that it can never exist.
const noSuchHost = "no-such-host.invalid."

var socketReset = &Case{
	ID: "network/reset", Source: "tcp(7); SO_LINGER in socket(7)",
	ByEngine: Terms{LeftOut: plainSocket},
	Title:    "the server reads the request and resets the connection",
	Run: func(ctx context.Context, e *Env) (Run, error) {
		srv, err := servers.NewReset(servers.Options{})
		if err != nil {
			return Run{}, fmt.Errorf("start server: %w", err)
		}
		return bySocket(ctx, e, srv, func(s *socket) error {
			if err := s.dial(ctx, &net.Dialer{}, srv.Addr()); err != nil {
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

var socketRefused = &Case{
	ID: "network/refused", Source: "connect(2): ECONNREFUSED",
	ByEngine: Terms{LeftOut: plainSocket},
	Title:    "nobody listens on the port",
	Run: func(ctx context.Context, e *Env) (Run, error) {
		port, err := servers.NewRefused()
		if err != nil {
			return Run{}, fmt.Errorf("hold a port: %w", err)
		}
		return bySocket(ctx, e, port, func(s *socket) error { return s.dial(ctx, &net.Dialer{}, port.Addr()) })
	},
}

var socketNXDomain = &Case{
	ID: "network/nxdomain", Source: "getaddrinfo(3): EAI_NONAME; RFC 1035 section 4.1.1",
	ByEngine: Terms{LeftOut: plainSocket},
	Title:    "the resolver says that there is no such name",
	Run: func(ctx context.Context, e *Env) (Run, error) {
		dns, err := servers.NewResolver(servers.ResolverOptions{})
		if err != nil {
			return Run{}, fmt.Errorf("start resolver: %w", err)
		}
		l := &lookup{dns: dns, name: noSuchHost}
		run, err := bySocket(ctx, e, dns, func(s *socket) error {
			err := s.lookup(ctx, l.resolver(), l.name)
			l.elsewhere.Store(err == nil)
			return err
		})
		return l.checked(ctx, run, err)
	},
}

var socketUnread = &Case{
	ID: "network/unread", Source: "RFC 9112 section 9.6; RFC 1122 section 4.2.2.13",
	ByEngine: Terms{LeftOut: plainSocket},
	Title:    "the server closes mid-upload with unread data: the kernel resets",
	Run: func(ctx context.Context, e *Env) (Run, error) {
		srv, err := servers.NewUnread(servers.Options{})
		if err != nil {
			return Run{}, fmt.Errorf("start server: %w", err)
		}
		return bySocket(ctx, e, srv, func(s *socket) error {
			if err := s.dial(ctx, &net.Dialer{}, srv.Addr()); err != nil {
				return err
			}
			return s.writeUntilError(rawHead(srv.Addr(), uploadSize), uploadSize)
		})
	},
}

var socketDrained = &Case{
	ID: "network/drained", Source: "write(2): EPIPE; tcp(7)",
	ByEngine: Terms{LeftOut: plainSocket},
	Title:    "the server reads what has come, closes in order, and the upload goes on",
	Run: func(ctx context.Context, e *Env) (Run, error) {
		srv, err := servers.NewDrained(servers.Options{})
		if err != nil {
			return Run{}, fmt.Errorf("start server: %w", err)
		}
		return bySocket(ctx, e, srv, func(s *socket) error {
			if err := s.dial(ctx, &net.Dialer{}, srv.Addr()); err != nil {
				return err
			}
			first := rawHead(srv.Addr(), uploadSize) + string(make([]byte, servers.DrainedFirst))
			if err := s.write(first, true); err != nil {
				return err
			}
			if err := s.readEOF(); err != nil {
				return err
			}
			return s.writeUntilError("", uploadSize-servers.DrainedFirst)
		})
	},
}

var socketBacklog = &Case{
	ID: "network/backlog-full", Source: "listen(2); tcp(7): tcp_syn_retries, TCP_USER_TIMEOUT", Waits: synRetry,
	ByEngine: Terms{LeftOut: plainSocket},
	Title:    "the accept queue is full: the kernel drops the SYN and gives up",
	Run: func(ctx context.Context, e *Env) (Run, error) {
		srv, err := servers.NewFullBacklog(servers.Options{})
		if err != nil {
			return Run{}, fmt.Errorf("fill a backlog: %w", err)
		}
		return bySocket(ctx, e, srv, func(s *socket) error { return s.dial(ctx, kernelTimeout(), srv.Addr()) })
	},
}

// uploadSize is a body that no socket buffer takes whole.
const uploadSize = 16 << 20

// writeUntilError sends first and then up to size zero bytes.
func (s *socket) writeUntilError(first string, size int) error {
	if first != "" {
		if err := s.write(first, true); err != nil {
			return err
		}
	}
	chunk := string(make([]byte, 64<<10))
	for sent := 0; sent < size; sent += len(chunk) {
		if err := s.write(chunk, false); err != nil {
			return err
		}
	}
	return nil
}
