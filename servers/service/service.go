// Package service is everything that retry-lab serves at once: an Origin, the
// same Origin over TLS, their control API, and a port for each fault that a
// whole connection has.
package service

import (
	"crypto/tls"
	"errors"
	"fmt"
	"math"
	"net"
	"net/netip"
	"strconv"
	"sync"
	"time"

	"github.com/retry-lab/retry-lab/servers"
	"github.com/retry-lab/retry-lab/servers/control"
	"github.com/retry-lab/retry-lab/servers/metrics"
)

// Options make a Service. The zero value is good.
type Options struct {
	// Host is the IP address to listen at; empty means 127.0.0.1. Loopback
	// only: another one needs Unsafe.
	Host   string
	Unsafe bool

	// PortBase is the first of so many ports in a row, in the order of
	// [Service.Endpoints]; zero: any that are free.
	PortBase int

	// The bounds of the Origin; zero means its own.
	MaxCalls, MaxDeliveries, MaxConns int
}

// An Endpoint is one port of a Service.
type Endpoint struct {
	Name string // in lower case, with hyphens
	Says string // what is there, in a sentence
	URL  string // its root, without a slash at its end
}

// A Service is open until Close.
type Service struct {
	Origin    *servers.Origin
	Authority *servers.Authority // of every certificate that is good

	opts    Options
	opened  int // ports
	began   time.Time
	tls     string
	control *control.Server
	ports   []control.Port
	closers []func() error // in the order of opening

	once sync.Once
	err  error
}

// Ports is how many ports a Service has.
func Ports() int { return len(faults) + 3 }

// Open starts a Service, or nothing. An address in use is an error that is
// EADDRINUSE and names it.
func Open(o Options) (*Service, error) {
	if o.Host == "" {
		o.Host = "127.0.0.1"
	}
	if net.ParseIP(o.Host) == nil {
		return nil, fmt.Errorf("listen address %q is no IP address", o.Host)
	}
	if o.PortBase < 0 || o.PortBase > 0 && o.PortBase+Ports()-1 > 65535 {
		return nil, fmt.Errorf("port base %d: want 1 to %d", o.PortBase, 65535-Ports()+1)
	}
	s := &Service{opts: o, began: time.Now()}
	if err := s.open(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// next is the options of the next port.
func (s *Service) next() servers.Options {
	port := 0
	if s.opts.PortBase > 0 {
		port = s.opts.PortBase + s.opened
	}
	s.opened++
	return servers.Options{
		Addr: net.JoinHostPort(s.opts.Host, strconv.Itoa(port)), Unsafe: s.opts.Unsafe, MaxConns: s.opts.MaxConns,
		AcceptPatience: math.MaxInt64, // until Close: its clients may well take the last descriptor for a while
	}
}

func (s *Service) open() error {
	var err error
	if s.Authority, err = servers.NewAuthority(); err != nil {
		return err
	}
	if s.Origin, err = servers.OpenOrigin(servers.OriginOptions{
		Options: s.next(), MaxCalls: s.opts.MaxCalls, MaxDeliveries: s.opts.MaxDeliveries,
	}); err != nil {
		return err
	}
	s.closers = append(s.closers, s.Origin.Close)
	over := s.next()
	if over.TLS, err = s.config(servers.CertOptions{}); err != nil {
		return err
	}
	secure, err := s.Origin.Listen(over) // closed with the Origin
	if err != nil {
		return err
	}
	s.tls = secure.URL()
	api := s.next()
	for i := range faults {
		if err := s.openFault(&faults[i]); err != nil {
			return err
		}
	}
	s.control, err = control.Listen(api.Addr, s.opts.Unsafe, control.New(control.Options{
		Origin: s.Origin, TLS: s.tls, Ports: s.ports, AnyHost: s.opts.Unsafe, Metrics: metrics.Handler(s.Origin),
	}))
	if err == nil {
		s.closers = append(s.closers, s.control.Close)
	}
	return err
}

func (s *Service) openFault(f *fault) error {
	got, err := f.open(s, s.next())
	if err != nil {
		return fmt.Errorf("port %s: %w", f.name, err)
	}
	s.closers = append(s.closers, got.close)
	s.ports = append(s.ports, control.Port{Name: f.name, Says: f.says, URL: f.scheme + "://" + named(got.addr), Ledger: got.ledger, Epoch: s.began})
	return nil
}

// config is TLS with a certificate that is good for this machine and for the
// address that is listened at, unless the options say otherwise.
func (s *Service) config(o servers.CertOptions) (*tls.Config, error) {
	if len(o.Hosts) == 0 && len(o.IPs) == 0 {
		o.Hosts = []string{"localhost"}
		o.IPs = append([]net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback}, reachable(net.ParseIP(s.opts.Host))...)
	}
	cert, err := s.Authority.Issue(o)
	if err != nil {
		return nil, err
	}
	return &tls.Config{Certificates: []tls.Certificate{cert}}, nil
}

// reachable is where a client finds ip: at every address of this machine if it
// is none in particular.
func reachable(ip net.IP) []net.IP {
	if !ip.IsUnspecified() {
		return []net.IP{ip}
	}
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		return nil // the loopback addresses are there already
	}
	var ips []net.IP
	for _, a := range addrs {
		if n, ok := a.(*net.IPNet); ok {
			ips = append(ips, n.IP)
		}
	}
	return ips
}

// named is addr, by 127.0.0.1 where it is every address of this machine.
func named(addr string) string {
	if at, err := netip.ParseAddrPort(addr); err == nil && at.Addr().IsUnspecified() {
		return net.JoinHostPort("127.0.0.1", strconv.Itoa(int(at.Port())))
	}
	return addr
}

// Endpoints lists the ports in their order: the Origin, the Origin over TLS, the
// control API, and the faults.
func (s *Service) Endpoints() []Endpoint {
	list := []Endpoint{
		{"origin", "every fault by its path, and the calls; HTTP/1.1, and HTTP/2 to a client that knows", s.Origin.URL()},
		{"tls", "the same over TLS; HTTP/1.1 and HTTP/2 by ALPN", s.tls},
		{"control", "makes calls and reads ledgers; GET /openapi.json describes it", "http://" + named(s.control.Addr())},
	}
	for _, p := range s.ports {
		list = append(list, Endpoint{p.Name, p.Says, p.URL})
	}
	return list
}

// Close stops listening, ends every wait and connection, and returns when the
// last goroutine has ended. It may be called more than once.
func (s *Service) Close() error {
	s.once.Do(func() {
		failed := make([]error, len(s.closers))
		var wg sync.WaitGroup
		for i, c := range s.closers {
			wg.Go(func() { failed[i] = c() })
		}
		wg.Wait()
		s.err = errors.Join(failed...)
	})
	return s.err
}
