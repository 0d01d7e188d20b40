package servers

import (
	"errors"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

func TestADualRefusedPortRefusesOnBothAndIsHeld(t *testing.T) {
	port, err := NewRefusedDual()
	if ln, noIPv6 := net.Listen("tcp", "[::1]:0"); noIPv6 != nil {
		if err == nil {
			t.Errorf("bound on ::1, where listening fails: %v", noIPv6)
		}
		t.Skipf("no ::1 here: %v", noIPv6)
	} else if err := ln.Close(); err != nil {
		t.Fatal(err)
	}
	srv := Must[*Refused](t)(port, err)
	for _, host := range []string{"127.0.0.1", "::1"} {
		addr := net.JoinHostPort(host, strconv.Itoa(srv.Port()))
		c, err := net.Dial("tcp", addr)
		if err == nil {
			c.Close()
		}
		if !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("dial %s: %v, want ECONNREFUSED", addr, err)
		}
		if ln, err := net.Listen("tcp", addr); err == nil {
			ln.Close()
			t.Errorf("listen %s: somebody else was given the port", addr)
		}
	}
	if err := srv.Close(); err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"127.0.0.1", "::1"} {
		ln, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(srv.Port())))
		if err != nil {
			t.Errorf("after Close: %v, want the port given back", err)
			continue
		}
		ln.Close()
	}
}

func TestNetHTTPTriesBothAddressesAndNamesTheFirst(t *testing.T) {
	port, err := NewRefusedDual()
	if err != nil {
		t.Skip(err)
	}
	srv := Must[*Refused](t)(port, err)
	dns := Must[*Resolver](t)(NewResolver(ResolverOptions{Names: map[string]NameAnswer{"both.invalid": {Addrs: []netip.Addr{loopback(), netip.IPv6Loopback()}}}}))
	d := net.Dialer{Resolver: dns.NetResolver()}
	_, err = d.DialContext(t.Context(), "tcp", "both.invalid.:"+strconv.Itoa(srv.Port()))
	if !errors.Is(err, syscall.ECONNREFUSED) || !strings.Contains(err.Error(), "[::1]:"+strconv.Itoa(srv.Port())) {
		t.Errorf("dial: %v, want ECONNREFUSED by ::1", err)
	}
}
