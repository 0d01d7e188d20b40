package servers

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// A Server is one fault on one listener.
type Server struct {
	opts   Options
	ln     *net.TCPListener
	ledger *Ledger
	origin *Origin // keeps the deliveries by call, and ledger none; nil elsewhere
	serve  func(*Conn)

	ctx    context.Context // ends with Close
	cancel context.CancelFunc
	wg     sync.WaitGroup
	slots  chan struct{} // one a connection

	mu       sync.Mutex
	conns    map[*Conn]struct{}
	once     sync.Once
	stop     sync.Once // closes the listener
	stopErr  error
	release  func() error // what else Close gives back; nil: nothing
	closeErr error
	broken   error // accept's, for good; not before wg is done
}

// start listens and serves every connection with serve, on a goroutine of its
// own; when serve returns, the connection is closed.
func start(o Options, serve func(*Conn)) (*Server, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	ln, err := listen(o)
	if err != nil {
		return nil, err
	}
	return startOn(ln, nil, o, serve), nil
}

// startOn is start on a listener that is there; Close calls release at its
// end. The options have their defaults.
func startOn(ln *net.TCPListener, release func() error, o Options, serve func(*Conn)) *Server {
	s := newServer(ln, release, o, serve)
	s.begin()
	return s
}

func newServer(ln *net.TCPListener, release func() error, o Options, serve func(*Conn)) *Server {
	s := &Server{
		opts: o, ln: ln, ledger: newLedger(o.MaxEntries), serve: serve, release: release,
		slots: make(chan struct{}, o.MaxConns), conns: map[*Conn]struct{}{},
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s
}

// begin accepts connections.
func (s *Server) begin() {
	s.wg.Add(1)
	go s.accept()
}

// listen opens the listener, refusing what is not loopback. It is plain TCP
// (multipath TCP resets in its own way) without keepalive probes, which have
// nothing to find on loopback.
func listen(o Options) (*net.TCPListener, error) { return listenWith(o, nil) }

// listenWith is listen with a control function, which may be nil, for the
// socket before it is bound.
func listenWith(o Options, control func(network, addr string, rc syscall.RawConn) error) (*net.TCPListener, error) {
	addr, err := o.address()
	if err != nil {
		return nil, err
	}
	lc := net.ListenConfig{KeepAlive: -1, Control: control}
	lc.SetMultipathTCP(false)
	ln, err := lc.Listen(context.Background(), "tcp", addr.String())
	if err != nil {
		return nil, fmt.Errorf("no listener: %w", err)
	}
	return ln.(*net.TCPListener), nil
}

// address is where to listen, or why nobody may.
func (o Options) address() (*net.TCPAddr, error) {
	addr, err := net.ResolveTCPAddr("tcp", o.Addr)
	if err != nil {
		return nil, fmt.Errorf("listen address %q: %w", o.Addr, err)
	}
	if !o.Unsafe && !addr.IP.IsLoopback() {
		return nil, fmt.Errorf("listen address %q is not loopback", o.Addr)
	}
	return addr, nil
}

// handle is a connection's life.
func (s *Server) handle(c *Conn) {
	defer s.wg.Done()
	growStack(0)
	s.serve(c)
	c.finish()
	s.left(c)
	s.untrack(c)
	c.recycle()
	<-s.slots
}

// growStack makes a new goroutine's stack, 2 KiB at first, large enough to read a
// head. Else it grows a dozen calls deep, where each of their frames has to be
// copied: a fifth of the processor time that a reset takes beside the kernel's.
//
//go:noinline
func growStack(i int) byte {
	var room [1500]byte
	return room[i]
}

// track enters an open connection, so that Close can end it; false once
// closing has begun.
func (s *Server) track(c *Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing() {
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

// closing says whether Close has begun.
func (s *Server) closing() bool { return s.ctx.Err() != nil }

// pause waits d; false if the server closes first.
func (s *Server) pause(d time.Duration) bool {
	if d <= 0 {
		return !s.closing()
	}
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

// URL is the server's root, without a slash at its end. One that listens at
// every address is named by 127.0.0.1.
func (s *Server) URL() string {
	scheme, addr := "http://", s.Addr()
	if s.opts.TLS != nil {
		scheme = "https://"
	}
	if at := s.ln.Addr().(*net.TCPAddr); at.IP.IsUnspecified() {
		addr = net.JoinHostPort("127.0.0.1", strconv.Itoa(at.Port))
	}
	return scheme + addr
}

// Ledger says what has reached the server. It is complete after Close.
func (s *Server) Ledger() *Ledger { return s.ledger }

// stopListening closes the listener alone; connections live on.
func (s *Server) stopListening() error {
	s.stop.Do(func() { s.stopErr = s.ln.Close() })
	return s.stopErr
}

// Close stops listening, ends every wait and connection, and returns when the
// last goroutine has ended. It may be called more than once, and returns what
// closing the listener, and a port that was held, returned, and why the server
// had stopped accepting by itself: accept(2) had failed for seconds.
func (s *Server) Close() error {
	s.once.Do(func() {
		s.mu.Lock()
		s.cancel() // from here on, track lets nobody in
		s.mu.Unlock()
		s.closeErr = s.stopListening()
		s.mu.Lock()
		for c := range s.conns {
			c.interrupt()
		}
		s.mu.Unlock()
		if s.release != nil {
			s.closeErr = errors.Join(s.closeErr, s.release())
		}
	})
	s.wg.Wait()
	return errors.Join(s.closeErr, s.broken)
}

// Finish closes the server and returns its complete ledger, with times since
// epoch. An error of closing is Close's to tell.
func (s *Server) Finish(epoch time.Time) Record {
	s.Close()
	return s.ledger.Record(epoch)
}
