package scenarios

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"time"

	"github.com/retry-lab/retry-lab/classifier"
	"github.com/retry-lab/retry-lab/servers"
	"github.com/retry-lab/retry-lab/trace"
)

// A socket is a client without net/http: connect(2), write(2), read(2), each
// noted as it happens. What it counts is what trace counts.
type socket struct {
	e      *Env
	start  time.Time
	conn   net.Conn
	port   int
	ev     classifier.Evidence
	events []trace.Event
	unhook func() bool
}

func newSocket(e *Env) *socket {
	return &socket{e: e, start: time.Now(), ev: classifier.Evidence{Traced: true}}
}

func (s *socket) note(what string) {
	s.events = append(s.events, trace.Event{At: time.Now(), What: what})
}

// last is what was noted last.
func (s *socket) last() string {
	if len(s.events) == 0 {
		return "start"
	}
	return s.events[len(s.events)-1].What
}

// lookup asks the lab's resolver for a name.
func (s *socket) lookup(ctx context.Context, r *net.Resolver, host string) error {
	s.ev.DNSStarted = true
	s.note("resolve " + host)
	_, err := r.LookupHost(ctx, host)
	s.ev.DNSDone = err == nil
	return err
}

// dial connects to host:port.
func (s *socket) dial(ctx context.Context, d *net.Dialer, addr string) error {
	s.ev.ConnectStarted = true
	s.note("connect " + addr)
	conn, err := d.DialContext(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	s.conn, s.port = conn, conn.LocalAddr().(*net.TCPAddr).Port
	s.unhook = context.AfterFunc(ctx, func() { conn.Close() }) // an interrupt ends reads and writes
	s.ev.ConnectDone, s.ev.GotConn, s.ev.Counted = true, true, true
	s.note("connected")
	return nil
}

// write sends b; head says that the request's head ends in it.
func (s *socket) write(b string, head bool) error {
	n, err := io.WriteString(s.conn, b)
	s.ev.BytesOut += int64(n)
	s.ev.WroteHead = s.ev.WroteHead || head && n == len(b)
	if err == nil {
		s.note("wrote " + strconv.Itoa(n) + " bytes")
	}
	return err
}

// read waits for the first bytes of an answer.
func (s *socket) read() error {
	s.ev.WroteRequest = true
	s.note("read")
	n, err := s.conn.Read(make([]byte, 4096))
	s.ev.BytesIn += int64(n)
	s.ev.FirstByte = n > 0
	return err
}

// readEOF waits until the peer has closed.
func (s *socket) readEOF() error {
	_, err := s.conn.Read(make([]byte, 1))
	if !errors.Is(err, io.EOF) {
		return fmt.Errorf("peer has not closed in order: %w", err)
	}
	s.note("read: end of file")
	return nil
}

// attempt is what the socket's one call came to.
func (s *socket) attempt(err error) (Attempt, error) {
	if s.conn != nil {
		s.unhook()
		defer s.conn.Close()
	}
	if err == nil {
		return Attempt{}, errors.New("the call did not fail")
	}
	a := Attempt{
		N: 1, StartedMS: ms(s.start.Sub(s.e.Epoch)), EndedMS: ms(time.Since(s.e.Epoch)),
		Method: "POST", Message: err.Error(), Printed: err.Error(), Resolver: resolverOf(err), Evidence: s.ev, Events: s.events, Port: s.port,
	}
	a.enter(classifier.FromError(err, s.ev))
	a.Untraced = classifier.FromError(err, classifier.Evidence{})
	return a, nil
}

// rawHead is a POST's head as net/http would send it, for a body of size bytes.
func rawHead(host string, size int) string {
	return "POST / HTTP/1.1\r\nHost: " + host + "\r\n" + servers.AttemptHeader + ": 1\r\n" +
		"Content-Length: " + strconv.Itoa(size) + "\r\n\r\n"
}
