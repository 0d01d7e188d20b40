package control

import (
	"io"
	"log"
	"net"
	"sync"
)

// discard is for what net/http says of single connections: it is nobody's
// concern but the client's, who has an answer.
func discard() *log.Logger { return log.New(io.Discard, "", 0) }

// A bounded listener has no more open connections than slots; further ones wait
// in the kernel's queue.
type bounded struct {
	net.Listener
	slots  chan struct{}
	closed <-chan struct{}
}

// Accept waits for a slot, and then for a connection.
func (b *bounded) Accept() (net.Conn, error) {
	select {
	case b.slots <- struct{}{}:
	case <-b.closed:
		return nil, net.ErrClosed
	}
	c, err := b.Listener.Accept()
	if err != nil {
		<-b.slots
		return nil, err
	}
	return &slotted{Conn: c, free: sync.OnceFunc(func() { <-b.slots })}, nil
}

// A slotted connection gives its slot back.
type slotted struct {
	net.Conn
	free func()
}

// Close closes the connection.
func (s *slotted) Close() error {
	defer s.free()
	return s.Conn.Close()
}
