package scenarios

import (
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/retry-lab/retry-lab/servers"
)

// answersItself is a resolver that Go never asks, as where nsswitch.conf leaves
// DNS out or the hosts file has the name: its answer is there already.
type answersItself struct{ io.Closer }

func (answersItself) NetResolver() *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		return nil, errors.New("asked")
	}}
}

func TestANameThatTheMachinesFilesAnswerSkipsTheCase(t *testing.T) {
	// An address stands for a name that is answered without a question.
	l := &lookup{dns: answersItself{nobody{}}, name: "127.0.0.1"}
	_, err := l.byHTTP(t.Context(), &Env{Epoch: time.Now()}, l.dialer())
	if skip, ok := errors.AsType[*Skip](err); !ok || !strings.Contains(skip.Why, "hosts(5) or nsswitch.conf(5)") {
		t.Errorf("%v, want a skip that says who answers", err)
	}
	if !l.elsewhere.Load() {
		t.Error("nothing kept the request from going to an address that is not the lab's")
	}
}

func TestANameThatTheLabsResolverAnswersIsTheCase(t *testing.T) {
	run, err := resolveNXDomain.Run(t.Context(), &Env{Epoch: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	if a := run.Attempts[0]; a.Code != "ENOTFOUND" || a.Resolver == "" {
		t.Errorf("attempt %+v, want ENOTFOUND from a resolver that was asked", a)
	}
}

func TestALookupConnectsToWhatItsResolverSaysOnly(t *testing.T) {
	l := &lookup{has: []netip.Addr{netip.IPv6Loopback(), netip.AddrFrom4([4]byte{127, 0, 0, 1})}}
	for _, row := range []struct {
		addr string
		ok   bool
	}{{"127.0.0.1:80", true}, {"[::1]:80", true}, {"[::ffff:127.0.0.1]:80", true}, {"127.0.0.2:80", false}, {"192.0.2.1:80", false}, {"", false}} {
		if err := l.control("tcp", row.addr, nil); (err == nil) != row.ok {
			t.Errorf("%q: %v, want it allowed: %v", row.addr, err, row.ok)
		}
	}
}

// Go reads resolv.conf(5) by itself, and its options choose the protocol.
func TestARefusedResolverReadsTheSameWhateverGoPrefers(t *testing.T) {
	dns, err := servers.NewRefusedResolver()
	if err != nil {
		t.Fatal(err)
	}
	defer dns.Close()
	r := dns.NetResolver()
	dial := r.Dial
	r.Dial = func(ctx context.Context, _, addr string) (net.Conn, error) { return dial(ctx, "tcp", addr) }
	_, err = r.LookupHost(t.Context(), noSuchHost)
	if err == nil || !strings.Contains(err.Error(), "read udp 127.0.0.1:") {
		t.Errorf("%v, want the read of a datagram to be refused", err)
	}
}
