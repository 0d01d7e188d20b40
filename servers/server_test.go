package servers

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestStartRefusesWhatNoServerCanUse(t *testing.T) {
	for why, o := range map[string]Options{
		"every interface":          {Addr: ":0"},
		"an address beyond":        {Addr: "192.0.2.1:0"},
		"no address":               {Addr: "127.0.0.1"},
		"a negative body":          {MaxBody: -1},
		"a negative ledger":        {MaxEntries: -1},
		"negative connections":     {MaxConns: -1},
		"no port of the system's":  {Addr: "127.0.0.1:65536"},
		"an address that is taken": {Addr: Must[*Refused](t)(NewRefused()).Addr()},
	} {
		if srv, err := NewReset(o); err == nil {
			srv.Close()
			t.Errorf("%s: %+v was accepted", why, o)
		}
	}
}

func TestBeyondLoopbackNeedsUnsafe(t *testing.T) {
	srv := Must[*Server](t)(NewReset(Options{Addr: "0.0.0.0:0", Unsafe: true}))
	if srv.Port() == 0 {
		t.Error("no port")
	}
}

// openFiles counts this process's descriptors; -1 where there is no /proc.
func openFiles(t *testing.T) int {
	if runtime.GOOS != "linux" {
		return -1
	}
	d, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(d)
}

// Connections in every state there is: silent, with half a head, half a body,
// answered and idle, stalled, working.
func TestCloseEndsAThousandConnectionsInEveryState(t *testing.T) {
	serve := func(x *Exchange) {
		switch {
		case x.ReadBody() != nil:
		case x.Request.URL.Path == "/stall":
			x.Stall()
		case x.Request.URL.Path == "/work":
			x.Wait(time.Hour)
		case x.Request.URL.Path == "/deaf":
			<-x.Closing()
		default:
			x.Answer(200, nil, "")
		}
	}
	states := []string{
		"",
		"POST /half-head HTTP/1.1\r\nHos",
		"POST /half-body HTTP/1.1\r\nHost: lab\r\nContent-Length: 9\r\n\r\nhalf",
		"GET /idle HTTP/1.1\r\nHost: lab\r\n\r\n",
		"GET /stall HTTP/1.1\r\nHost: lab\r\n\r\n",
		"GET /work HTTP/1.1\r\nHost: lab\r\n\r\n",
		"GET /deaf HTTP/1.1\r\nHost: lab\r\n\r\n",
		"garbage\r\n",
	}
	const conns = 1000
	before, goroutines := openFiles(t), runtime.NumGoroutine()
	srv, err := start(Options{}, http1(serve))
	if err != nil {
		t.Fatal(err)
	}
	clients := make([]net.Conn, conns)
	for i := range clients {
		c, err := net.Dial("tcp", srv.Addr())
		if err != nil {
			t.Fatal(err)
		}
		clients[i] = c
		write(t, c, states[i%len(states)])
	}
	const silent = (conns + 7) / 8
	await(t, srv.Ledger(), "every delivery begins", func(r Record) bool {
		return len(r.Connections) == conns && len(r.Deliveries) == conns-silent
	})
	start := time.Now()
	if err := srv.Close(); err != nil {
		t.Error(err)
	}
	if took := time.Since(start); took > patience/2 {
		t.Errorf("close took %v", took)
	}
	for _, c := range clients {
		c.Close()
	}
	if n := openFiles(t); n > before+1 { // the runtime's own poller may be new
		t.Errorf("%d descriptors before, %d after", before, n)
	}
	if n := runtime.NumGoroutine(); n > goroutines {
		t.Errorf("%d goroutines before, %d after", goroutines, n)
	}
}

func TestCloseWhileConnectionsArrive(t *testing.T) {
	for range 20 {
		srv := stalling(t, Options{})
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for {
					c, err := net.Dial("tcp", srv.Addr())
					if err != nil {
						return // closed: what this test waits for
					}
					io.WriteString(c, "GET / HTTP/1.1\r\nHost: lab\r\n\r\n")
					c.Close()
				}
			})
		}
		await(t, srv.Ledger(), "some arrive", func(r Record) bool { return len(r.Connections) > 8 })
		wg.Go(func() { srv.Close() })
		srv.Close()
		first := srv.Ledger().Record(time.Time{})
		wg.Wait()
		if second := srv.Finish(time.Time{}); len(second.Connections) != len(first.Connections) ||
			len(second.Deliveries) != len(first.Deliveries) {
			t.Fatal("the ledger grew after Close")
		}
	}
}

func TestAThousandClientsAreEnteredOnceEach(t *testing.T) {
	const clients = 1000
	srv := Must[*Server](t)(NewStatus(Options{}, 200, nil))
	c := client(t)
	var wg sync.WaitGroup
	for range clients {
		wg.Go(func() {
			if _, _, err := post(t, c, srv.URL(), "", "twelve bytes"); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	r := srv.Finish(time.Time{})
	if len(r.Deliveries) != clients || r.Dropped != 0 {
		t.Errorf("%d deliveries, %d dropped; want %d, 0", len(r.Deliveries), r.Dropped, clients)
	}
	for i, d := range r.Deliveries {
		if d.N != i+1 || d.Saw() != SawRequest || d.Answered != 200 || d.Ended != EndedKept || d.BodyBytes != 12 {
			t.Fatalf("delivery %+v", d)
		}
	}
}

func TestMoreConnectionsThanAllowedWait(t *testing.T) {
	srv := stalling(t, Options{MaxConns: 1})
	first, second := dial(t, srv.Addr()), dial(t, srv.Addr())
	write(t, second, "GET /second HTTP/1.1\r\nHost: lab\r\n\r\n")
	write(t, first, "GET /first HTTP/1.1\r\nHost: lab\r\n\r\n")
	await(t, srv.Ledger(), "the first is served", func(r Record) bool { return len(r.Deliveries) == 1 })
	if n := len(srv.Ledger().Record(time.Time{}).Connections); n != 1 {
		t.Errorf("%d connections, want 1", n)
	}
	first.Close()
	await(t, srv.Ledger(), "the second follows", func(r Record) bool { return len(r.Deliveries) == 2 })
	if d := srv.Finish(time.Time{}).Deliveries; d[0].Path != "/first" || d[1].Path != "/second" {
		t.Errorf("served %q, then %q", d[0].Path, d[1].Path)
	}
}

func TestWhatIsPastTheLedgersBoundIsServedAndCounted(t *testing.T) {
	srv := Must[*Server](t)(NewStatus(Options{MaxEntries: 2}, 200, nil))
	for range 5 {
		c := dial(t, srv.Addr())
		write(t, c, "GET / HTTP/1.1\r\nHost: lab\r\nConnection: close\r\n\r\n")
		if r, _ := respond(t, bufio.NewReader(c), "GET"); r.StatusCode != 200 {
			t.Errorf("got %s", r.Status)
		}
	}
	r := srv.Finish(time.Time{})
	if len(r.Connections) != 2 || len(r.Deliveries) != 2 || r.Dropped != 6 {
		t.Errorf("%d connections, %d deliveries, %d dropped; want 2, 2, 6",
			len(r.Connections), len(r.Deliveries), r.Dropped)
	}
}

func TestAwaitEndsWithItsContext(t *testing.T) {
	srv := stalling(t, Options{})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	err := srv.Ledger().Await(ctx, func(Record) bool { return false })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}

func TestASecondDeliveryOfAnAttemptIsAReplay(t *testing.T) {
	srv := Must[*Server](t)(NewStatus(Options{}, 200, nil))
	c := client(t)
	send := func(attempt, path, key string) {
		req, err := http.NewRequest(http.MethodPost, srv.URL()+path, strings.NewReader("x"))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set(AttemptHeader, attempt)
		req.Header.Set(KeyHeader, key)
		r, err := c.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
	}
	rows := []struct {
		why, attempt, path, key string
		replay                  bool
	}{
		{"the first is none", "1", "/a", "k", false},
		{"the same attempt again is one", "1", "/a", "k", true},
		{"the next attempt is a retry", "2", "/a", "k", false},
		{"another path is another call", "1", "/b", "k", false},
		{"another key is another call", "1", "/a", "l", false},
		{"without a number nobody knows", "", "/a", "k", false},
		{"without a number nobody knows, again", "", "/a", "k", false},
		{"a number that is none", "-1", "/a", "k", false},
	}
	for _, row := range rows {
		send(row.attempt, row.path, row.key)
	}
	r := srv.Finish(time.Time{})
	for i, row := range rows {
		if d := r.Deliveries[i]; d.Replay != row.replay || d.Key != row.key {
			t.Errorf("%s: %+v", row.why, d)
		}
	}
	if r.Replays() != 1 {
		t.Errorf("%d replays, want 1", r.Replays())
	}
}
