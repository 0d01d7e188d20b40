package servers

import (
	"context"
	"errors"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestARefusedResolverRefusesByBothProtocols(t *testing.T) {
	r := Must[*RefusedResolver](t)(NewRefusedResolver())
	if c, err := net.Dial("tcp", r.Addr()); !errors.Is(err, syscall.ECONNREFUSED) {
		if err == nil {
			c.Close()
		}
		t.Errorf("dial over TCP: %v, want ECONNREFUSED", err)
	}
	c, err := net.Dial("udp", r.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	write(t, c, "anything")
	if _, err := c.Read(make([]byte, 1)); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("read after a datagram: %v, want ECONNREFUSED", err)
	}
	for _, network := range []string{"tcp", "udp"} {
		if err := listenOnce(network, r.Addr()); err == nil {
			t.Errorf("%s: somebody else was given the port", network)
		}
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	for _, network := range []string{"tcp", "udp"} {
		if err := listenOnce(network, r.Addr()); err != nil {
			t.Errorf("%s after Close: %v, want the port given back", network, err)
		}
	}
}

func listenOnce(network, addr string) error {
	if network == "tcp" {
		ln, err := net.Listen(network, addr)
		if err != nil {
			return err
		}
		return ln.Close()
	}
	c, err := net.ListenPacket(network, addr)
	if err != nil {
		return err
	}
	return c.Close()
}

func TestALookupFromARefusedResolverIsTemporaryAndNamesTheResolversPort(t *testing.T) {
	r := Must[*RefusedResolver](t)(NewRefusedResolver())
	_, err := r.NetResolver().LookupHost(t.Context(), "name.invalid.")
	dns, ok := errors.AsType[*net.DNSError](err)
	if !ok || !dns.IsTemporary || dns.IsNotFound || dns.IsTimeout {
		t.Errorf("lookup: %#v, want a temporary *net.DNSError", err)
	}
	if errors.Is(err, syscall.ECONNREFUSED) || !strings.Contains(err.Error(), "connection refused") || !strings.Contains(err.Error(), r.Addr()) {
		t.Errorf("lookup: %v, want the text alone to say that %s refused", err, r.Addr())
	}
}

// Package net alone would go on reading until the timeout of resolv.conf.
func TestALookupThatIsGivenUpEnds(t *testing.T) {
	const name = "silent.invalid"
	r := Must[*Resolver](t)(NewResolver(ResolverOptions{Names: map[string]NameAnswer{name: {Outcome: SILENT}}}))
	before := goleak.IgnoreCurrent()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := r.NetResolver().LookupHost(ctx, name+".")
	if dns, ok := errors.AsType[*net.DNSError](err); !ok || !dns.IsTimeout {
		t.Errorf("lookup: %v, want a timeout", err)
	}
	goleak.VerifyNone(t, before)
}

// "options use-vc" in resolv.conf(5) makes Go prefer TCP.
func TestARefusedResolverIsAskedByUDPWhateverGoPrefers(t *testing.T) {
	refused := Must[*RefusedResolver](t)(NewRefusedResolver())
	answering := Must[*Resolver](t)(NewResolver(ResolverOptions{}))
	for _, row := range []struct {
		why           string
		r             *net.Resolver
		network, want string
	}{
		{"a resolver that refuses", refused.NetResolver(), "tcp", "udp"},
		{"a resolver that refuses", refused.NetResolver(), "udp", "udp"},
		{"one that answers, and may cut an answer short", answering.NetResolver(), "tcp", "tcp"},
		{"one that answers", answering.NetResolver(), "udp", "udp"},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		c, err := row.r.Dial(ctx, row.network, "192.0.2.1:53")
		if err != nil {
			t.Fatalf("%s: %v", row.why, err)
		}
		if got := c.RemoteAddr().Network(); got != row.want {
			t.Errorf("%s, asked by %s: dials %s, want %s", row.why, row.network, got, row.want)
		}
		c.Close()
		cancel()
	}
}
