package servers

import (
	"errors"
	"fmt"
	"net"
	"time"
)

// accept takes connections until the listener is closed.
func (s *Server) accept() {
	defer s.wg.Done()
	for {
		select {
		case s.slots <- struct{}{}:
		case <-s.ctx.Done():
			return
		}
		tcp, ok := s.next()
		if !ok {
			return
		}
		c := newConn(s, tcp)
		if !s.track(c) {
			tcp.Close()
			return
		}
		go s.handle(c)
	}
}

// next is the next connection; false once there is none any more. An accept
// that fails while the listener is open (no descriptors left) is tried again
// after a moment, and in the end given up: those who wait in the kernel's queue
// would wait for ever.
func (s *Server) next() (*net.TCPConn, bool) {
	var since time.Time // of the first failure
	for {
		tcp, err := s.ln.AcceptTCP()
		if err == nil {
			return tcp, true
		}
		if since.IsZero() {
			since = time.Now()
		}
		switch {
		case errors.Is(err, net.ErrClosed):
			return nil, false
		case time.Since(since) > s.opts.AcceptPatience:
			s.giveUp(err)
			return nil, false
		case !s.pause(10 * time.Millisecond):
			return nil, false
		}
	}
}

// giveUp ends a server that cannot accept any more: who waits in the queue is
// reset, and who waits for the ledger is told.
func (s *Server) giveUp(err error) {
	s.broken = fmt.Errorf("no connection could be accepted: %w", err)
	_ = s.stopListening() // Close returns what it returned
	s.ledger.fail(s.broken)
}
