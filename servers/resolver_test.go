package servers

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

func addrs(list ...string) NameAnswer {
	var a NameAnswer
	for _, s := range list {
		a.Addrs = append(a.Addrs, netip.MustParseAddr(s))
	}
	return a
}

// overTCP asks as a resolv.conf with use-vc makes Go ask.
func overTCP(r *net.Resolver) *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, addr string) (net.Conn, error) {
		return r.Dial(ctx, "tcp", addr)
	}}
}

func TestWhatGosResolverMakesOfEachOutcome(t *testing.T) {
	r := Must[*Resolver](t)(NewResolver(ResolverOptions{Names: map[string]NameAnswer{
		"nodata.invalid":    {Outcome: NODATA},
		"servfail.invalid":  {Outcome: SERVFAIL},
		"Refused.Invalid.":  {Outcome: REFUSED},
		"four.invalid":      addrs("127.0.0.7"),
		"both.invalid":      addrs("127.0.0.8", "::1"),
		"many.invalid":      many(60),
		"addresses.invalid": {Outcome: SERVFAIL, Addrs: []netip.Addr{netip.MustParseAddr("127.0.0.9")}},
	}}))
	for transport, res := range map[string]*net.Resolver{"udp": r.NetResolver(), "tcp": overTCP(r.NetResolver())} {
		for _, row := range []struct {
			name      string
			notFound  bool
			temporary bool
			text      string
			found     int
		}{
			{name: "nxdomain.invalid.", notFound: true, text: "no such host"},
			{name: "nodata.invalid.", notFound: true, text: "no such host"},
			{name: "servfail.invalid.", temporary: true, text: "server misbehaving"},
			{name: "refused.invalid.", text: "server misbehaving"},
			{name: "REFUSED.invalid.", text: "server misbehaving"},
			{name: "four.invalid.", found: 1},
			{name: "both.invalid.", found: 2},
			{name: "addresses.invalid.", found: 1},
			{name: "many.invalid.", found: 60},
		} {
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			got, err := res.LookupHost(ctx, row.name)
			cancel()
			if row.found > 0 {
				if err != nil || len(got) != row.found {
					t.Errorf("%s over %s: %d addresses, %v; want %d", row.name, transport, len(got), err, row.found)
				}
				continue
			}
			var e *net.DNSError
			if !errors.As(err, &e) || e.IsNotFound != row.notFound || e.IsTemporary != row.temporary ||
				e.IsTimeout || !strings.Contains(e.Error(), row.text) {
				t.Errorf("%s over %s: %#v", row.name, transport, err)
			}
		}
	}
}

// many are more addresses than fit in 512 bytes.
func many(n int) NameAnswer {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf("127.0.1.%d", i))
	}
	return addrs(list...)
}

func TestASilentNameIsNeverAnswered(t *testing.T) {
	r := Must[*Resolver](t)(NewResolver(ResolverOptions{Names: map[string]NameAnswer{"silent.invalid": {Outcome: SILENT}}}))
	for transport, res := range map[string]*net.Resolver{"udp": r.NetResolver(), "tcp": overTCP(r.NetResolver())} {
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		_, err := res.LookupHost(ctx, "silent.invalid.")
		cancel()
		var e *net.DNSError
		if !errors.As(err, &e) || !e.IsTimeout || e.IsNotFound {
			t.Errorf("over %s: %#v, want a timeout", transport, err)
		}
	}
	if len(r.Queries()) == 0 {
		t.Error("nothing was asked")
	}
}

func TestQueriesAreRememberedAndBounded(t *testing.T) {
	r := Must[*Resolver](t)(NewResolver(ResolverOptions{MaxQueries: 3}))
	for range 2 { // each asks for A and AAAA
		if _, err := r.NetResolver().LookupHost(context.Background(), "no-such-host.invalid."); err == nil {
			t.Fatal("found")
		}
	}
	q := r.Queries()
	if len(q) != 3 || r.Dropped() != 1 {
		t.Fatalf("%d queries, %d dropped; want 3, 1", len(q), r.Dropped())
	}
	types := []string{q[0].Type, q[1].Type}
	slices.Sort(types)
	if !slices.Equal(types, []string{"A", "AAAA"}) || q[0].Name != "no-such-host.invalid." || q[0].At.IsZero() {
		t.Errorf("queries %+v", q)
	}
}

// query is a question as it goes over the wire.
func query(t *testing.T, name string, kind dnsmessage.Type) []byte {
	t.Helper()
	m := dnsmessage.Message{
		Header:    dnsmessage.Header{ID: 7, RecursionDesired: true},
		Questions: []dnsmessage.Question{{Name: dnsmessage.MustNewName(name), Type: kind, Class: dnsmessage.ClassINET}},
	}
	b, err := m.Pack()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// ask sends a datagram and returns the answer.
func ask(t *testing.T, addr string, q []byte) dnsmessage.Message {
	t.Helper()
	c, err := net.Dial("udp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(patience))
	write(t, c, string(q))
	b := make([]byte, 4096)
	n, err := c.Read(b)
	if err != nil {
		t.Fatal(err)
	}
	if n > maxUDP {
		t.Errorf("a datagram of %d bytes", n)
	}
	var m dnsmessage.Message
	if err := m.Unpack(b[:n]); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestNegativeAnswersSayHowLongTheyHold(t *testing.T) {
	r := Must[*Resolver](t)(NewResolver(ResolverOptions{Names: map[string]NameAnswer{
		"nodata.invalid": {Outcome: NODATA}, "four.invalid": addrs("127.0.0.7"), "servfail.invalid": {Outcome: SERVFAIL},
	}}))
	for _, row := range []struct {
		name  string
		kind  dnsmessage.Type
		rcode dnsmessage.RCode
		soa   int
	}{
		{"nxdomain.invalid.", dnsmessage.TypeA, dnsmessage.RCodeNameError, 1},
		{"nodata.invalid.", dnsmessage.TypeA, dnsmessage.RCodeSuccess, 1},
		{"four.invalid.", dnsmessage.TypeAAAA, dnsmessage.RCodeSuccess, 1},
		{"four.invalid.", dnsmessage.TypeMX, dnsmessage.RCodeSuccess, 1},
		{"four.invalid.", dnsmessage.TypeA, dnsmessage.RCodeSuccess, 0},
		{"servfail.invalid.", dnsmessage.TypeA, dnsmessage.RCodeServerFailure, 0},
	} {
		m := ask(t, r.Addr(), query(t, row.name, row.kind))
		if m.ID != 7 || !m.Response || m.RCode != row.rcode || len(m.Authorities) != row.soa {
			t.Errorf("%s %v: %+v", row.name, row.kind, m)
		}
	}
}

func TestALongAnswerIsTruncatedOverUDP(t *testing.T) {
	r := Must[*Resolver](t)(NewResolver(ResolverOptions{Names: map[string]NameAnswer{"many.invalid": many(60)}}))
	if m := ask(t, r.Addr(), query(t, "many.invalid.", dnsmessage.TypeA)); !m.Truncated || len(m.Answers) != 0 {
		t.Errorf("truncated %v, %d answers", m.Truncated, len(m.Answers))
	}
}

func TestWhatIsNoQueryGetsNoAnswer(t *testing.T) {
	r := Must[*Resolver](t)(NewResolver(ResolverOptions{}))
	good := query(t, "a.invalid.", dnsmessage.TypeA)
	response := bytes.Clone(good)
	response[2] |= 0x80
	noQuestion := bytes.Clone(good[:12])
	for why, q := range map[string][]byte{
		"empty": {}, "short": good[:5], "cut off": good[:15], "a response": response, "no question": noQuestion,
		"noise": bytes.Repeat([]byte{0xff}, 100),
	} {
		if b, ok := r.answer(q, maxUDP); ok {
			t.Errorf("%s: answered %x", why, b)
		}
	}
	if n := len(r.Queries()); n != 0 {
		t.Errorf("%d queries remembered", n)
	}
	if m := ask(t, r.Addr(), good); m.RCode != dnsmessage.RCodeNameError {
		t.Errorf("afterwards: %v", m.RCode)
	}
}

func TestATCPConnectionCarriesManyQueries(t *testing.T) {
	r := Must[*Resolver](t)(NewResolver(ResolverOptions{}))
	c := dial(t, r.Addr())
	for range 3 {
		q := query(t, "a.invalid.", dnsmessage.TypeA)
		write(t, c, string(append(binary.BigEndian.AppendUint16(nil, uint16(len(q))), q...)))
		var size [2]byte
		if _, err := io.ReadFull(c, size[:]); err != nil {
			t.Fatal(err)
		}
		b := make([]byte, binary.BigEndian.Uint16(size[:]))
		if _, err := io.ReadFull(c, b); err != nil {
			t.Fatal(err)
		}
		var m dnsmessage.Message
		if err := m.Unpack(b); err != nil || m.RCode != dnsmessage.RCodeNameError {
			t.Errorf("%+v, %v", m, err)
		}
	}
}

func TestAResolverGivesEverythingBack(t *testing.T) {
	r, err := NewResolver(ResolverOptions{})
	if err != nil {
		t.Fatal(err)
	}
	c := dial(t, r.Addr())
	write(t, c, "\xff\xffhalf a message")
	if err := errors.Join(r.Close(), r.Close()); err != nil {
		t.Error(err)
	}
	addr := r.Addr()
	again, err := NewResolver(ResolverOptions{Addr: addr})
	if err != nil {
		t.Fatalf("the port is still taken: %v", err)
	}
	defer again.Close()
	if second, err := NewResolver(ResolverOptions{Addr: addr}); err == nil {
		second.Close()
		t.Error("a port was given twice")
	}
}

func TestManyAskAtOnce(t *testing.T) {
	r := Must[*Resolver](t)(NewResolver(ResolverOptions{Names: map[string]NameAnswer{"four.invalid": addrs("127.0.0.7")}}))
	var wg sync.WaitGroup
	for range 50 { // more could overflow the socket's buffer, and wait five seconds
		wg.Go(func() {
			if got, err := r.NetResolver().LookupHost(context.Background(), "four.invalid."); err != nil || len(got) != 1 {
				t.Errorf("%v, %v", got, err)
			}
		})
	}
	wg.Wait()
}

func TestAResolverRefusesWhatItCannotServe(t *testing.T) {
	for why, o := range map[string]ResolverOptions{
		"a negative bound":       {MaxQueries: -1},
		"beyond loopback":        {Addr: ":0"},
		"a name that is no name": {Names: map[string]NameAnswer{strings.Repeat("a", 300): {}}},
	} {
		if r, err := NewResolver(o); err == nil {
			r.Close()
			t.Errorf("%s was accepted", why)
		}
	}
}

func TestCloseWhileQueriesArrive(t *testing.T) {
	q := query(t, "a.invalid.", dnsmessage.TypeA)
	for range 20 {
		r, err := NewResolver(ResolverOptions{})
		if err != nil {
			t.Fatal(err)
		}
		c, err := net.Dial("udp", r.Addr())
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan struct{})
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for {
					select {
					case <-done:
						return
					default:
						c.Write(q) // refused once it is closed
					}
				}
			})
		}
		for len(r.Queries()) < 8 {
			time.Sleep(time.Millisecond)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		n := len(r.Queries())
		close(done)
		wg.Wait()
		c.Close()
		if len(r.Queries()) != n {
			t.Error("a query was taken after Close")
		}
	}
}
