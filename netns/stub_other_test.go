//go:build !linux

// Compiled for darwin, windows and freebsd; not run on any of them yet.

package netns_test

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"testing"

	"github.com/retry-lab/retry-lab/netns"
)

func TestEverythingNeedsLinux(t *testing.T) {
	c := new(netns.Child)
	_, runErr := netns.Run(t.Context(), netns.Spec{Namespaces: netns.Network})
	_, enterErr := netns.Enter()
	_, writeErr := c.Result().Write([]byte("x"))
	for what, err := range map[string]error{
		"Run": runErr, "Enter": enterErr, "Result": writeErr,
		"LoopbackUp": c.LoopbackUp(),
		"Sysctl":     c.Sysctl("net.ipv4.ip_local_port_range", "50000 50003"),
		"AddRoute":   c.AddRoute(netip.MustParsePrefix("192.0.2.0/24"), netns.Prohibit),
		"Firewall":   c.Firewall(context.Background(), ""),
		"Resolver":   c.Resolver(netip.MustParseAddr("127.0.0.1")),
	} {
		if _, ok := errors.AsType[*netns.Unavailable](err); !ok || !strings.HasSuffix(err.Error(), ": needs linux") {
			t.Errorf("%s: %v, want an Unavailable that needs linux", what, err)
		}
	}
}
