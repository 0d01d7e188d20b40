package servers

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"
)

// Options are common to all servers. The zero value is good.
type Options struct {
	// Addr to listen on; empty means 127.0.0.1:0. Loopback only: an address
	// beyond it needs Unsafe.
	Addr   string
	Unsafe bool

	// TLS, if set, makes the server speak it.
	TLS *tls.Config

	// MaxBody bounds what is read of one request's body, in bytes; zero means
	// 64 MiB. A longer body is cut off by closing.
	MaxBody int64

	// MaxEntries bounds the ledger's connections and, apart, its deliveries;
	// zero means 10,000. What comes after is served, and counted as dropped.
	MaxEntries int

	// MaxConns bounds the open connections; zero means 20,000. Further ones
	// wait in the kernel's accept queue.
	MaxConns int
}

func (o Options) withDefaults() Options {
	if o.Addr == "" {
		o.Addr = "127.0.0.1:0"
	}
	if o.MaxBody == 0 {
		o.MaxBody = 64 << 20
	}
	if o.MaxEntries == 0 {
		o.MaxEntries = 10_000
	}
	if o.MaxConns == 0 {
		o.MaxConns = 20_000
	}
	return o
}

// A Server is one fault on one listener.
type Server struct {
	opts   Options
	ln     *net.TCPListener
	ledger *Ledger
	serve  func(*Conn)

	ctx    context.Context // ends with Close
	cancel context.CancelFunc
	wg     sync.WaitGroup
	slots  chan struct{} // one a connection

	mu    sync.Mutex
	conns map[*Conn]struct{}
	once  sync.Once
}

// start listens and serves every connection with serve.
func start(o Options, serve func(*Conn)) (*Server, error) {
	o = o.withDefaults()
	ln, err := listen(o)
	if err != nil {
		return nil, err
	}
	s := &Server{
		opts: o, ln: ln, ledger: newLedger(o.MaxEntries), serve: serve,
		slots: make(chan struct{}, o.MaxConns), conns: map[*Conn]struct{}{},
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.wg.Add(1)
	go s.accept()
	return s, nil
}

// listen opens the listener, refusing what is not loopback.
func listen(o Options) (*net.TCPListener, error) {
	addr, err := net.ResolveTCPAddr("tcp", o.Addr)
	if err != nil {
		return nil, fmt.Errorf("listen address %q: %w", o.Addr, err)
	}
	if !o.Unsafe && !addr.IP.IsLoopback() {
		return nil, fmt.Errorf("listen address %q is not loopback", o.Addr)
	}
	ln, err := net.ListenTCP("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("no listener: %w", err)
	}
	return ln, nil
}

// accept takes connections until the listener is closed. A failed accept that
// is not the listener's end (no descriptors left) is tried again when a
// connection has been given back.
func (s *Server) accept() {
	defer s.wg.Done()
	for {
		select {
		case s.slots <- struct{}{}:
		case <-s.ctx.Done():
			return
		}
		tcp, err := s.ln.AcceptTCP()
		if err != nil {
			<-s.slots
			if errors.Is(err, net.ErrClosed) || !s.pause(10*time.Millisecond) {
				return
			}
			continue
		}
		c := newConn(s, tcp)
		if !s.track(c) {
			tcp.Close()
			return
		}
		go func() {
			defer s.wg.Done()
			s.serve(c)
			c.finish()
			s.untrack(c)
			<-s.slots
		}()
	}
}

// track enters an open connection, so that Close can end it; false once
// closing has begun.
func (s *Server) track(c *Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() != nil {
		return false
	}
	s.conns[c] = struct{}{}
	s.wg.Add(1)
	return true
}

func (s *Server) untrack(c *Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c)
}

// pause waits d; false if the server closes first.
func (s *Server) pause(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-s.ctx.Done():
		return false
	}
}

// Addr is host:port.
func (s *Server) Addr() string { return s.ln.Addr().String() }

// Port is the listener's port.
func (s *Server) Port() int { return s.ln.Addr().(*net.TCPAddr).Port }

// URL is the server's root, without a slash at its end.
func (s *Server) URL() string {
	if s.opts.TLS != nil {
		return "https://" + s.Addr()
	}
	return "http://" + s.Addr()
}

// Ledger says what has reached the server. It is complete after Close.
func (s *Server) Ledger() *Ledger { return s.ledger }

// Close stops listening, ends every wait and connection, and returns when the
// last goroutine has ended. It may be called more than once.
func (s *Server) Close() error {
	s.once.Do(func() {
		s.mu.Lock()
		s.cancel()
		s.mu.Unlock()
		s.ln.Close()
		s.mu.Lock()
		for c := range s.conns {
			c.interrupt()
		}
		s.mu.Unlock()
	})
	s.wg.Wait()
	return nil
}

// Finish closes the server and returns its complete ledger, with times since
// epoch.
func (s *Server) Finish(epoch time.Time) Record {
	s.Close()
	return s.ledger.Record(epoch)
}
