package servers

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"time"
)

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
	failed      error // the server's; nothing more will be entered but for its connections
}

type replayID struct {
	attempt           int
	method, path, key string
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

// Await returns once the ledger satisfies done, or with the context's error, or
// with that of a server that could not go on accepting connections. It is how a
// case waits for the server's side of an event.
func (l *Ledger) Await(ctx context.Context, done func(Record) bool) error {
	for {
		l.mu.Lock()
		r, changed, failed := l.record(time.Time{}), l.changed, l.failed
		l.waiting = true
		l.mu.Unlock()
		if done(r) {
			return nil
		}
		if failed != nil {
			return failed
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

// fail ends every Await, now and later.
func (l *Ledger) fail(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failed = err
	l.notify()
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
	l    *Ledger
	d    *Delivery
	turn *turn // of an Origin's delivery; nil elsewhere
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
	return &entry{l: l, d: d}
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

// What is kept of the words of a head, in bytes.
const (
	maxMethod = 64
	maxPath   = 2048
	maxKey    = 255
)

// keep copies at most n bytes of a word, so that the ledger does not hold the
// whole head that it is a part of.
func keep(word string, n int) string { return strings.Clone(word[:min(len(word), n)]) }

// head enters a complete head of size bytes. complete: it announced no body.
func (e *entry) head(attempt int, r *http.Request, size int, complete bool) {
	e.set(func(d *Delivery) {
		d.Attempt, d.HeadBytes, d.Complete = attempt, size, complete
		d.Method, d.Path = keep(r.Method, maxMethod), keep(r.URL.Path, maxPath)
		d.Key = keep(r.Header.Get(KeyHeader), maxKey)
		d.Replay = e.l.again(replayID{attempt, d.Method, d.Path, d.Key})
	})
}

// again says whether an attempt has been here before, and remembers it; the
// caller holds mu.
func (l *Ledger) again(id replayID) bool {
	if id.attempt == 0 {
		return false
	}
	before := l.seen[id]
	if len(l.seen) < l.limit {
		l.seen[id] = true
	}
	return before
}

// end enters how the delivery left its connection. The first ending counts.
func (e *entry) end(how string) {
	e.set(func(d *Delivery) {
		if d.EndedAt.IsZero() {
			d.Ended, d.EndedAt = how, time.Now()
		}
	})
}
