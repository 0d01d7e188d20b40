package control

import (
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/retry-lab/retry-lab/servers"
)

func TestAServerEndsItsWaitsAndIdleConnections(t *testing.T) {
	a := newTestAPI(t, servers.OriginOptions{})
	s, err := Listen("", false, a.API)
	if err != nil {
		t.Fatal(err)
	}
	call := a.call(`["200"]`)
	var wg sync.WaitGroup
	for range 20 {
		c, err := net.Dial("tcp", s.Addr()) // says nothing
		if err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			defer c.Close()
			if _, err := c.Read(make([]byte, 1)); err == nil {
				t.Error("an answer to nothing")
			}
		})
		wg.Go(func() {
			deliver(t, "GET", s.URL()+"/calls/"+call.ID+"?wait=1&timeout_ms=60000")
		})
	}
	deadline := time.Now().Add(patience)
	for len(a.waits) < 20 {
		if time.Now().After(deadline) {
			t.Fatal("they do not wait")
		}
		time.Sleep(time.Millisecond)
	}
	start := time.Now()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	wg.Wait()
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("closing took %v", took)
	}
	if c, err := net.Dial("tcp", s.Addr()); err == nil {
		c.Close()
		t.Error("it still listens")
	}
}

// Who reads a long answer slowly, or not at all, is one of a few; the others
// wait without one in memory. A short answer waits for no reader.
func TestSoManyLongAnswersAreInMemory(t *testing.T) {
	a := newTestAPI(t, servers.OriginOptions{})
	s, err := Listen("", false, a.API)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	long := a.call(`[{"fault":"200","body":"` + strings.Repeat("\x7f", servers.MaxStepBody) + `"}]`)
	var readers []net.Conn
	for range 2 * maxLong {
		c, err := net.Dial("tcp", s.Addr())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, err := io.WriteString(c, "GET /calls/"+long.ID+" HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		readers = append(readers, c)
	}
	deadline := time.Now().Add(patience)
	for len(a.long) < maxLong {
		if time.Now().After(deadline) {
			t.Fatalf("%d long answers", len(a.long))
		}
		time.Sleep(time.Millisecond)
	}
	for _, c := range readers {
		c.Close()
	}
	for range maxLong + 1 { // more than there are turns
		if got := a.ask("GET", "/calls/"+long.ID, ""); len(got.body) < 6*servers.MaxStepBody {
			t.Fatalf("%d: %d bytes", got.status, len(got.body))
		}
	}
}

func TestAServerStaysOnLoopback(t *testing.T) {
	a := newTestAPI(t, servers.OriginOptions{})
	if _, err := Listen("0.0.0.0:0", false, a.API); err == nil {
		t.Error("no error")
	}
	if _, err := Listen("nonsense", false, a.API); err == nil {
		t.Error("no error")
	}
}

func TestConnectionsPastTheBoundWait(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := make(chan struct{})
	b := &bounded{Listener: ln, slots: make(chan struct{}, 1), closed: closed}
	first, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	got, err := b.Accept()
	if err != nil {
		t.Fatal(err)
	}
	second := make(chan error, 1)
	go func() {
		_, err := b.Accept()
		second <- err
	}()
	close(closed) // with no slot free, this ends it
	if err := <-second; err == nil {
		t.Error("a second connection past the bound")
	}
	if err := got.Close(); err != nil {
		t.Error(err)
	}
	if len(b.slots) != 0 {
		t.Error("the slot was not given back")
	}
	ln.Close()
	if _, err := b.Accept(); err == nil {
		t.Error("a connection of a closed listener")
	}
}

var _ http.Handler = (*API)(nil)
