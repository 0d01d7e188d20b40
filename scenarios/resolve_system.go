package scenarios

import (
	"context"
	"errors"
	"net/netip"

	"github.com/retry-lab/retry-lab/netns"
	"github.com/retry-lab/retry-lab/servers"
)

// resolveSystem asks getaddrinfo(3), with the machine's libc, in a child whose
// only resolver is the lab's.
var resolveSystem = inChild(Case{
	ID: "resolve/system-eai-again", Source: "getaddrinfo(3): EAI_AGAIN; resolv.conf(5), nsswitch.conf(5)",
	Title: "the machine's own getaddrinfo says EAI_AGAIN: the resolver itself failed",
	Needs: "Linux, private mount and network namespaces, a binary with cgo",
}, netns.Spec{
	Namespaces: netns.Mount | netns.Network,
	Env:        []string{"GODEBUG=netdns=cgo"},
}, func(ctx context.Context, e *Env, child *netns.Child) (Run, error) {
	const name = "server-failure.invalid."
	loopback := netip.AddrFrom4([4]byte{127, 0, 0, 1})
	if err := errors.Join(child.LoopbackUp(), child.Resolver(loopback)); err != nil {
		return Run{}, err
	}
	addr := netip.AddrPortFrom(loopback, 53).String()
	dns, err := servers.NewResolver(servers.ResolverOptions{
		Addr: addr, Names: map[string]servers.NameAnswer{name: {Outcome: servers.SERVFAIL}},
	})
	if err != nil {
		return Run{}, &netns.Unavailable{Step: "run a resolver on " + addr, Err: err}
	}
	run, err := byHTTP(ctx, newClient(e, nil), dns, "http://"+name+"/", call{})
	if err != nil {
		return Run{}, err
	}
	// Go's own resolver names the server that it asked. getaddrinfo does not.
	if run.Attempts[0].Resolver != "" {
		return Run{}, &netns.Unavailable{Step: "ask getaddrinfo(3)", Err: errors.New("the answer is that of Go's own resolver: the binary was built without cgo, or with the tag netgo")}
	}
	if len(dns.Queries()) == 0 {
		return Run{}, &netns.Unavailable{Step: "make getaddrinfo(3) ask " + addr, Err: errors.New("it answered, and had not asked")}
	}
	return run, nil
})
