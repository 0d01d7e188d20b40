package scenarios

import (
	"context"
	"net/netip"

	"github.com/retry-lab/retry-lab/netns"
)

const needsNetwork = "Linux, a private network namespace"

var (
	connectNetUnreachable = unroutable("net-unreachable", "connect(2): ENETUNREACH", 0,
		"there is no route to the address: nothing was sent")
	connectHostUnreachable = unroutable("host-unreachable", "connect(2): EHOSTUNREACH; ip-route(8): unreachable", netns.Unreachable,
		"the route says that the host cannot be reached: nothing was sent")
	connectProhibited = unroutable("prohibited", "connect(2): EACCES; ip-route(8): prohibit", netns.Prohibit,
		"the route forbids the address: asking again gets the same answer")
	connectBlackhole = unroutable("blackhole", "connect(2): EINVAL; ip-route(8): blackhole", netns.Blackhole,
		"the route swallows the address: the errno says \"invalid argument\", and asking again gets it again")
)

// unroutable is a case in which the machine's own routing refuses the address:
// by a route of that kind, or for want of any where it is 0.
func unroutable(id, source string, kind netns.RouteKind, title string) *Case {
	return inChild(Case{
		ID: "connect/" + id, Title: title, Source: source, Needs: needsNetwork,
	}, netns.Spec{Namespaces: netns.Network}, func(ctx context.Context, e *Env, child *netns.Child) (Run, error) {
		// One of the addresses for documentation (RFC 5737), and not of the
		// machine, whose own are routed before any table is asked.
		elsewhere := netip.AddrFrom4([4]byte{192, 0, 2, 1})
		if kind != 0 {
			if err := child.AddRoute(netip.PrefixFrom(elsewhere, elsewhere.BitLen()), kind); err != nil {
				return Run{}, err
			}
		}
		return byHTTP(ctx, newClient(e, nil), nobody{}, "http://"+elsewhere.String()+"/", call{})
	})
}

// nobody is the other side where there is none.
type nobody struct{}

func (nobody) Close() error { return nil }
