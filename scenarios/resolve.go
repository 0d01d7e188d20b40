package scenarios

import (
	"context"
	"fmt"
	"time"

	"github.com/retry-lab/retry-lab/servers"
)

// resolveGroup is what a resolver can say of a name, or not say. Nothing was
// sent in any of these rows.
func resolveGroup() Group {
	return Group{
		ID: "resolve", Title: "no address for the name: only the resolver's answer tells whether to ask again",
		Source:  "getaddrinfo(3); RFC 1035 section 4.1.1; RFC 2308",
		Columns: columns("code", "syscall", "phase", "processed", "basis", "saw", "get", "post", "post_key", "untraced", "message"),
		Rows: rows(
			resolveNXDomain, resolveNoData, resolveServFail, resolveSystem, resolveRefused, resolveSilent, resolveNoListener,
		),
	}
}

var resolveNXDomain = resolves("nxdomain", noSuchHost, servers.NXDOMAIN, "getaddrinfo(3): EAI_NONAME; RFC 1035 section 4.1.1",
	"the resolver says that there is no such name: asking again gets the same answer")

var resolveNoData = resolves("nodata", "no-address.invalid.", servers.NODATA, "getaddrinfo(3): EAI_NODATA; RFC 2308 section 2.2",
	"the name exists and has no address: the same text as for a name that does not exist")

var resolveServFail = resolves("servfail", "server-failure.invalid.", servers.SERVFAIL, "getaddrinfo(3): EAI_AGAIN; RFC 1035 section 4.1.1",
	"the resolver itself failed: the name may be well")

var resolveRefused = resolves("refused-rcode", "refused.invalid.", servers.REFUSED, "getaddrinfo(3): EAI_FAIL; RFC 1035 section 4.1.1",
	"the resolver refuses to answer this client: the same text as for servfail, and no errno tells them apart")

// resolves is a case in which the lab's resolver answers for a name with that
// outcome.
func resolves(id, name string, outcome servers.Outcome, source, title string) *Case {
	return &Case{
		ID: "resolve/" + id, Title: title, Source: source,
		Run: func(ctx context.Context, e *Env) (Run, error) {
			dns, err := servers.NewResolver(servers.ResolverOptions{Names: map[string]servers.NameAnswer{name: {Outcome: outcome}}})
			if err != nil {
				return Run{}, fmt.Errorf("start resolver: %w", err)
			}
			l := &lookup{dns: dns, name: name}
			return l.byHTTP(ctx, e, l.dialer())
		},
	}
}

// dialLimit is the dialer's timer where it is the fault. What it ends does not
// end by itself, so that it does not matter when it fires.
const dialLimit = 100 * time.Millisecond

var resolveSilent = &Case{
	ID: "resolve/silent", Source: "net: Dialer.Timeout; resolv.conf(5): timeout, attempts", Waits: 100 * time.Millisecond,
	Title: "the resolver does not answer and the dialer's timer ends the lookup",
	Run: func(ctx context.Context, e *Env) (Run, error) {
		const name = "silent.invalid."
		dns, err := servers.NewResolver(servers.ResolverOptions{Names: map[string]servers.NameAnswer{name: {Outcome: servers.SILENT}}})
		if err != nil {
			return Run{}, fmt.Errorf("start resolver: %w", err)
		}
		l := &lookup{dns: dns, name: name}
		d := l.dialer()
		d.Timeout = dialLimit
		return l.byHTTP(ctx, e, d)
	},
}

var resolveNoListener = &Case{
	ID: "resolve/no-listener", Source: "getaddrinfo(3): EAI_AGAIN; udp(7): ECONNREFUSED", Pair: "connect/refused",
	Title: "the connection that was refused is the resolver's: the server was never looked for",
	Run: func(ctx context.Context, e *Env) (Run, error) {
		dns, err := servers.NewRefusedResolver()
		if err != nil {
			return Run{}, fmt.Errorf("hold a port: %w", err)
		}
		l := &lookup{dns: dns, name: noSuchHost}
		return l.byHTTP(ctx, e, l.dialer())
	},
}
