//go:build linux

package netns_test

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/retry-lab/retry-lab/netns"
	"golang.org/x/sys/unix"
)

func TestLoopbackUpMakesLoopbackWork(t *testing.T) {
	got := run[map[string]string](t, netns.Spec{Namespaces: netns.Network}, "loopback")
	want := map[string]string{"before": "ENETUNREACH", "127.0.0.1:0": "", "127.1.2.3:0": ""}
	if _, err := net.Listen("tcp", "[::1]:0"); err == nil {
		want["[::1]:0"] = ""
	}
	for addr, code := range want {
		if got[addr] != code {
			t.Errorf("%s: a connection fails with %q, want %q", addr, got[addr], code)
		}
	}
}

func childLoopback(c *netns.Child, _ []string) (any, error) {
	seen := map[string]string{"before": dialed("127.0.0.1:1")}
	if err := c.LoopbackUp(); err != nil {
		return nil, err
	}
	for _, addr := range []string{"127.0.0.1:0", "127.1.2.3:0", "[::1]:0"} {
		ln, err := net.Listen("tcp", addr)
		if err != nil {
			seen[addr] = err.Error()
			continue
		}
		seen[addr] = dialed(ln.Addr().String())
		if err := ln.Close(); err != nil {
			return nil, err
		}
	}
	return seen, nil
}

// dialed is the name of the errno that a connection to addr fails with, and
// the system call if that is not connect.
func dialed(addr string) string {
	conn, err := net.DialTimeout("tcp", addr, time.Minute)
	if err != nil {
		errno, _ := errors.AsType[unix.Errno](err)
		name := unix.ErrnoName(errno)
		if !strings.Contains(err.Error(), ": connect: ") {
			name = err.Error()
		}
		return name
	}
	if err := conn.Close(); err != nil {
		return err.Error()
	}
	return ""
}

func TestRoutesThatLeadNowhereFailConnectAtOnce(t *testing.T) {
	got := run[map[string]answer](t, netns.Spec{Namespaces: netns.Network}, "routes")
	rows := []struct{ why, addr, want string }{
		{"no route at all", "203.0.113.1:80", "ENETUNREACH"},
		{"unreachable", "192.0.2.1:80", "EHOSTUNREACH"},
		{"prohibit", "198.51.100.7:80", "EACCES"},
		{"prohibit holds for one address", "198.51.100.8:80", "ENETUNREACH"},
		{"blackhole, given with bits set below the prefix", "198.18.255.1:80", "EINVAL"},
		{"IPv6: unreachable", "[2001:db8:1::1]:80", "EHOSTUNREACH"},
		{"IPv6: prohibit", "[2001:db8:2::1]:80", "EACCES"},
		{"IPv6: blackhole", "[2001:db8:3::1]:80", "EINVAL"},
		{"IPv6: no route", "[2001:db8:4::1]:80", "ENETUNREACH"},
	}
	for _, r := range rows {
		t.Run(r.why, func(t *testing.T) {
			t.Logf("%s: %s after %v", r.addr, got[r.addr].Text, time.Duration(got[r.addr].NS))
			if got[r.addr].Text != r.want {
				t.Errorf("connect to %s: %q, want %s", r.addr, got[r.addr].Text, r.want)
			}
		})
	}
	if text := got["after a default route"].Text; text != "EHOSTUNREACH" {
		t.Errorf("with an unreachable default route: %s, want EHOSTUNREACH", text)
	}
	for why, want := range map[string]string{
		"twice":        "cannot add the route prohibit 198.51.100.7/32: rtnetlink: file exists",
		"zero kind":    "there is no RouteKind(0) to 192.0.2.0/24",
		"unknown kind": "there is no RouteKind(9) to 192.0.2.0/24",
		"no prefix":    "there is no blackhole to invalid Prefix",
	} {
		if !strings.Contains(got[why].Text, want) {
			t.Errorf("AddRoute, %s: %q, want %q", why, got[why].Text, want)
		}
	}
}

// An answer is what something said and how long that took.
type answer struct {
	Text string
	NS   int64
}

func childRoutes(c *netns.Child, _ []string) (any, error) {
	if err := c.LoopbackUp(); err != nil {
		return nil, err
	}
	routes := map[string]netns.RouteKind{
		"192.0.2.0/24": netns.Unreachable, "198.51.100.7/32": netns.Prohibit, "198.18.9.9/15": netns.Blackhole,
		"2001:db8:1::/48": netns.Unreachable, "2001:db8:2::/48": netns.Prohibit, "2001:db8:3::/48": netns.Blackhole,
	}
	for prefix, kind := range routes {
		if err := c.AddRoute(netip.MustParsePrefix(prefix), kind); err != nil {
			return nil, err
		}
	}
	seen := map[string]answer{}
	for _, addr := range []string{
		"203.0.113.1:80", "192.0.2.1:80", "198.51.100.7:80", "198.51.100.8:80", "198.18.255.1:80",
		"[2001:db8:1::1]:80", "[2001:db8:2::1]:80", "[2001:db8:3::1]:80", "[2001:db8:4::1]:80",
	} {
		began := time.Now()
		text := dialed(addr)
		seen[addr] = answer{text, time.Since(began).Nanoseconds()}
	}
	test := netip.MustParsePrefix("192.0.2.0/24")
	seen["twice"] = answer{Text: fmt.Sprint(c.AddRoute(netip.MustParsePrefix("198.51.100.7/32"), netns.Prohibit))}
	seen["zero kind"] = answer{Text: fmt.Sprint(c.AddRoute(test, 0))}
	seen["unknown kind"] = answer{Text: fmt.Sprint(c.AddRoute(test, 9))}
	seen["no prefix"] = answer{Text: fmt.Sprint(c.AddRoute(netip.Prefix{}, netns.Blackhole))}
	if err := c.AddRoute(netip.MustParsePrefix("0.0.0.0/0"), netns.Unreachable); err != nil {
		return nil, err
	}
	seen["after a default route"] = answer{Text: dialed("203.0.113.1:80")}
	return seen, nil
}

func TestSysctlSetsTheNamespacesOwnParameter(t *testing.T) {
	got := run[map[string]string](t, netns.Spec{Namespaces: netns.Network}, "sysctl")
	if port, err := strconv.Atoi(got["port"]); err != nil || port < 50000 || port > 50003 {
		t.Errorf("a port of the range 50000 to 50003 is %q", got["port"])
	}
	for name, want := range map[string]string{
		"net.ipv4.no_such_parameter": "cannot set net.ipv4.no_such_parameter to \"1\": open /proc/sys/net/ipv4/no_such_parameter: no such file or directory",
		"kernel.pid_max":             "does not name a network parameter",
		"net.ipv4/../../kernel.x":    "does not name a network parameter",
		"net..ipv4":                  "does not name a network parameter",
		"":                           "does not name a network parameter",
	} {
		if !strings.Contains(got[name], want) {
			t.Errorf("Sysctl(%q) = %q, want %q", name, got[name], want)
		}
	}
}

func childSysctl(c *netns.Child, _ []string) (any, error) {
	if err := c.LoopbackUp(); err != nil {
		return nil, err
	}
	if err := c.Sysctl("net.ipv4.ip_local_port_range", "50000 50003"); err != nil {
		return nil, err
	}
	seen := map[string]string{}
	for _, name := range []string{"net.ipv4.no_such_parameter", "kernel.pid_max", "net.ipv4/../../kernel.x", "net..ipv4", ""} {
		seen[name] = fmt.Sprint(c.Sysctl(name, "1"))
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	_, seen["port"], err = net.SplitHostPort(ln.Addr().String())
	return seen, errors.Join(err, ln.Close())
}
