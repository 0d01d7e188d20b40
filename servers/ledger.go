package servers

import (
	"context"
	"sync"
	"time"
)

// How a delivery left its connection.
const (
	EndedFIN     = "fin"     // closed in order, by either side
	EndedRST     = "rst"     // reset by the server
	EndedKept    = "kept"    // still usable when the answer was complete
	EndedStalled = "stalled" // never answered, open until the server or the client gave up
)

// A Delivery is one request, or the part of it, that reached a server.
type Delivery struct {
	N          int     `json:"n"`          // from 1, in order of the first byte
	Attempt    int     `json:"attempt"`    // the client's, from the header Retry-Lab-Attempt; 0: not said
	Connection int     `json:"connection"` // from 1, in order of accept
	Reused     bool    `json:"reused"`     // not the first on its connection
	AtMS       float64 `json:"at_ms"`      // first byte, ms since the record's epoch
	Method     string  `json:"method"`     // empty: the head was not complete
	Path       string  `json:"path"`
	Key        string  `json:"key"` // Idempotency-Key, masked by whoever prints it
	BodyBytes  int64   `json:"body_bytes"`
	BodySHA256 string  `json:"body_sha256"` // of what was read; empty where nothing was
	Complete   bool    `json:"complete"`    // head and whole body were read
	Committed  bool    `json:"committed"`   // the side effect happened, then or later
	Answered   int     `json:"answered"`    // status whose head was sent; 0: none
	Ended      string  `json:"ended"`       // fin, rst, kept, stalled
	Replay     bool    `json:"replay"`      // same attempt, method and path as an earlier delivery: the transport's own

	At          time.Time `json:"-"`
	CommittedAt time.Time `json:"-"` // zero: never
	AnsweredAt  time.Time `json:"-"` // zero: never
	EndedAt     time.Time `json:"-"`
	HeadBytes   int       `json:"-"` // read of the head, complete or not
}

// A Connection is one accepted connection.
type Connection struct {
	N          int
	Port       int // the client's
	OpenedAt   time.Time
	Deliveries int
}

// A Record is a ledger at one moment: a copy, free to keep.
type Record struct {
	Connections []Connection
	Deliveries  []Delivery
	// Dropped counts deliveries and connections past the ledger's bound.
	Dropped int
}

// Committed counts the deliveries whose side effect happened.
func (r Record) Committed() int {
	n := 0
	for _, d := range r.Deliveries {
		if d.Committed {
			n++
		}
	}
	return n
}

// Replays counts the deliveries that no attempt of the caller's asked for.
func (r Record) Replays() int {
	n := 0
	for _, d := range r.Deliveries {
		if d.Replay {
			n++
		}
	}
	return n
}

// A Ledger holds what reached one server. It is safe for concurrent use.
type Ledger struct {
	mu          sync.Mutex
	connections []Connection
	deliveries  []*Delivery
	seen        map[replayID]bool
	dropped     int
	limit       int
	changed     chan struct{} // closed and renewed at every change that somebody waits for
	waiting     bool
}

type replayID struct {
	attempt      int
	method, path string
}

func newLedger(limit int) *Ledger {
	return &Ledger{limit: limit, seen: map[replayID]bool{}, changed: make(chan struct{})}
}

// Record returns a copy with times in milliseconds since epoch.
func (l *Ledger) Record(epoch time.Time) Record {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.record(epoch)
}

func (l *Ledger) record(epoch time.Time) Record {
	r := Record{
		Connections: append([]Connection(nil), l.connections...),
		Deliveries:  make([]Delivery, len(l.deliveries)),
		Dropped:     l.dropped,
	}
	for i, d := range l.deliveries {
		r.Deliveries[i] = *d
		r.Deliveries[i].AtMS = float64(d.At.Sub(epoch).Microseconds()) / 1000
	}
	return r
}

// Await returns once the ledger satisfies done, or with the context's error.
// It is how a case waits for the server's side of an event.
func (l *Ledger) Await(ctx context.Context, done func(Record) bool) error {
	for {
		l.mu.Lock()
		r, changed := l.record(time.Time{}), l.changed
		l.waiting = true
		l.mu.Unlock()
		if done(r) {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// notify wakes every Await; the caller holds mu.
func (l *Ledger) notify() {
	if l.waiting {
		close(l.changed)
		l.changed = make(chan struct{})
		l.waiting = false
	}
}

// open enters an accepted connection and returns its number; 0 past the bound.
func (l *Ledger) open(port int) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.connections) >= l.limit {
		l.dropped++
		return 0
	}
	n := len(l.connections) + 1
	l.connections = append(l.connections, Connection{N: n, Port: port, OpenedAt: time.Now()})
	l.notify()
	return n
}

// An entry is a delivery under way. A nil entry swallows everything: it stands
// for a delivery past the ledger's bound.
type entry struct {
	l *Ledger
	d *Delivery
}

// begin enters a delivery: its first byte is here.
func (l *Ledger) begin(connection int) *entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	if connection == 0 || len(l.deliveries) >= l.limit {
		l.dropped++
		return nil
	}
	c := &l.connections[connection-1]
	c.Deliveries++
	d := &Delivery{
		N: len(l.deliveries) + 1, Connection: connection, Reused: c.Deliveries > 1,
		At: time.Now(), Ended: EndedStalled,
	}
	l.deliveries = append(l.deliveries, d)
	l.notify()
	return &entry{l, d}
}

// set changes the delivery under the ledger's lock.
func (e *entry) set(change func(*Delivery)) {
	if e == nil {
		return
	}
	e.l.mu.Lock()
	defer e.l.mu.Unlock()
	change(e.d)
	e.l.notify()
}

// head enters the request line and what the head says of the attempt.
func (e *entry) head(attempt int, method, path, key string) {
	e.set(func(d *Delivery) {
		d.Attempt, d.Method, d.Path, d.Key = attempt, method, path, key
		if id := (replayID{attempt, method, path}); attempt > 0 {
			d.Replay = e.l.seen[id]
			e.l.seen[id] = true
		}
	})
}

// end enters how the delivery left its connection.
func (e *entry) end(how string) {
	e.set(func(d *Delivery) { d.Ended, d.EndedAt = how, time.Now() })
}
