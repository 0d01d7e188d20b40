package servers

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

// An Outcome is what a [Resolver] says of a name.
type Outcome int

// The outcomes of a query (RFC 1035 section 4.1.1; RFC 2308 section 2).
const (
	NXDOMAIN Outcome = iota // there is no such name
	NODATA                  // the name exists, with no record of that type
	SERVFAIL
	REFUSED
	SILENT // no answer at all
)

// A NameAnswer is a name's entry in the resolver's table. With addresses, they
// are the answer, or NODATA where none is of the type asked for; the outcome
// then counts for nothing.
type NameAnswer struct {
	Outcome Outcome
	Addrs   []netip.Addr
}

// ResolverOptions make a resolver. The zero value answers NXDOMAIN to all.
type ResolverOptions struct {
	// Addr to listen on, for UDP and TCP; empty means a free port of
	// 127.0.0.1. Loopback only.
	Addr string

	// Names is the table. A name needs no dot at its end, and its case does
	// not matter. What is not in it is NXDOMAIN.
	Names map[string]NameAnswer

	// MaxQueries bounds the queries it remembers; zero means 10,000. Later ones
	// are answered and counted as dropped.
	MaxQueries int
}

// A Query is one question that reached a [Resolver].
type Query struct {
	Name string // rooted, as it was asked
	Type string // A, AAAA, …
	At   time.Time
}

// A Resolver is a DNS server on one loopback port, over UDP and TCP. A query
// is no delivery: it has no ledger.
type Resolver struct {
	names map[string]NameAnswer
	limit int
	tcp   *Server
	udp   *net.UDPConn
	wg    sync.WaitGroup

	mu      sync.Mutex
	queries []Query
	dropped int

	once sync.Once
	err  error
}

// NewResolver starts a resolver.
func NewResolver(o ResolverOptions) (*Resolver, error) {
	if o.MaxQueries < 0 {
		return nil, fmt.Errorf("negative bound: queries %d", o.MaxQueries)
	}
	if o.MaxQueries == 0 {
		o.MaxQueries = 10_000
	}
	r := &Resolver{names: map[string]NameAnswer{}, limit: o.MaxQueries}
	for name, answer := range o.Names {
		rooted := canonical(name)
		if _, err := dnsmessage.NewName(rooted); err != nil {
			return nil, fmt.Errorf("name %q: %w", name, err)
		}
		r.names[rooted] = answer
	}
	if err := r.listen(o.Addr); err != nil {
		return nil, err
	}
	r.wg.Add(1)
	go r.serveUDP()
	return r, nil
}

// canonical is how a name stands in the table.
func canonical(name string) string {
	return strings.ToLower(strings.TrimSuffix(name, ".")) + "."
}

// listen takes one port for both protocols. Where the kernel chooses it, the
// port may be free for one and taken for the other, so that another is tried.
func (r *Resolver) listen(addr string) error {
	for try := 1; ; try++ {
		tcp, err := start(Options{Addr: addr}, r.serveTCP)
		if err != nil {
			return err
		}
		at := tcp.ln.Addr().(*net.TCPAddr)
		udp, err := net.ListenUDP("udp", &net.UDPAddr{IP: at.IP, Port: at.Port})
		if err == nil {
			r.tcp, r.udp = tcp, udp
			return nil
		}
		tcp.Close()
		if _, port, _ := net.SplitHostPort(addr); try == 100 || (port != "" && port != "0") {
			return fmt.Errorf("no listener: %w", err)
		}
	}
}

// Addr is host:port, the same for UDP and TCP.
func (r *Resolver) Addr() string { return r.tcp.Addr() }

// Queries are the questions that were asked, in order.
func (r *Resolver) Queries() []Query {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]Query(nil), r.queries...)
}

// Dropped counts the queries past the bound.
func (r *Resolver) Dropped() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.dropped
}

// NetResolver asks this resolver, whatever the machine's resolv.conf names.
// Ask it for rooted names (with a dot at their end), so that no search list
// applies. Go still honours a hosts file, and an nsswitch.conf that forbids
// DNS.
func (r *Resolver) NetResolver() *net.Resolver { return netResolver(r.Addr(), "") }

// netResolver asks the server at addr, whatever resolv.conf names, and by the
// network only, "udp" or "tcp", whatever resolv.conf prefers. Empty leaves that
// to Go, which asks by TCP what it has to.
func netResolver(addr, only string) *net.Resolver {
	return &net.Resolver{
		PreferGo: true,
		Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
			var d net.Dialer
			conn, err := d.DialContext(ctx, cmp.Or(only, network), addr)
			if err != nil {
				return nil, err
			}
			// A lookup that was given up would go on waiting: until the timeout
			// of resolv.conf, as long as it reads.
			context.AfterFunc(ctx, func() { conn.Close() })
			return conn, nil
		},
	}
}

// Close stops listening and returns when the last goroutine has ended. It may
// be called more than once.
func (r *Resolver) Close() error {
	r.once.Do(func() {
		r.err = errors.Join(r.udp.Close(), r.tcp.Close())
		r.wg.Wait()
	})
	return r.err
}

// The longest answers, in bytes (RFC 1035 sections 4.2.1 and 4.2.2).
const (
	maxUDP = 512
	maxTCP = 1<<16 - 1
)

func (r *Resolver) serveUDP() {
	defer r.wg.Done()
	query := make([]byte, 4096)
	for {
		n, from, err := r.udp.ReadFromUDPAddrPort(query)
		if err != nil {
			if errors.Is(err, net.ErrClosed) || !r.tcp.pause(time.Millisecond) {
				return
			}
			continue
		}
		if answer, ok := r.answer(query[:n], maxUDP); ok {
			r.udp.WriteToUDPAddrPort(answer, from) // lost, as datagrams are
		}
	}
}

// serveTCP answers messages with their length in front (RFC 1035 section
// 4.2.2), until one of them cannot be read.
func (r *Resolver) serveTCP(c *Conn) {
	for {
		var size [2]byte
		if _, err := io.ReadFull(c.br, size[:]); err != nil {
			return
		}
		query := make([]byte, binary.BigEndian.Uint16(size[:]))
		if _, err := io.ReadFull(c.br, query); err != nil {
			return
		}
		answer, ok := r.answer(query, maxTCP)
		if !ok {
			continue
		}
		framed := append(binary.BigEndian.AppendUint16(nil, uint16(len(answer))), answer...)
		if _, err := c.rw.Write(framed); err != nil {
			return
		}
	}
}

// answer is the response to a query; false where there is none to send: the
// name is silent, or this is no query.
func (r *Resolver) answer(query []byte, size int) ([]byte, bool) {
	var p dnsmessage.Parser
	h, err := p.Start(query)
	if err != nil || h.Response {
		return nil, false
	}
	q, err := p.Question()
	if err != nil {
		return nil, false
	}
	r.enter(q)
	to := r.names[canonical(q.Name.String())]
	if to.Outcome == SILENT && len(to.Addrs) == 0 {
		return nil, false
	}
	answer, err := dnsResponse(h, q, to, false)
	if err == nil && len(answer) > size {
		answer, err = dnsResponse(h, q, NameAnswer{}, true)
	}
	return answer, err == nil
}

// enter remembers a query.
func (r *Resolver) enter(q dnsmessage.Question) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.queries) == r.limit {
		r.dropped++
		return
	}
	r.queries = append(r.queries, Query{
		Name: q.Name.String(), Type: strings.TrimPrefix(q.Type.String(), "Type"), At: time.Now(),
	})
}
