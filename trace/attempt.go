package trace

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/retry-lab/retry-lab/classifier"
)

// An Attempt records one try of one request. It is safe for the transport's
// concurrent hooks; make a new one for every try.
type Attempt struct {
	N     int
	Start time.Time

	body bodyCount

	mu     sync.Mutex
	ended  bool
	ev     classifier.Evidence
	conn   counted
	in0    int64 // the connection's counters when it was acquired
	out0   int64
	moved  bool // by its server's word the request on it was not acted on
	port   int
	events []Event
}

// An Event is one thing that happened during an attempt.
type Event struct {
	At   time.Time
	What string // "connect start 127.0.0.1:1234", "wrote head", …
}

// Begin starts the record of attempt n; the first is 1.
func Begin(n int) *Attempt {
	return &Attempt{N: n, Start: time.Now()}
}

// Request returns a copy of r that records into a. The caller sends the copy.
func (a *Attempt) Request(r *http.Request) *http.Request {
	a.ev.Traced = true
	a.ev.TLSExpected = r.URL.Scheme == "https"
	a.ev.Request = Sent(r)
	out := r.WithContext(context.WithValue(a.hooks(r.Context()), attemptKey{}, a))
	a.countBody(out)
	return out
}

type attemptKey struct{}

// FromContext returns the attempt that a request is part of, nil if none.
func FromContext(ctx context.Context) *Attempt {
	a, _ := ctx.Value(attemptKey{}).(*Attempt)
	return a
}

// Sent is what an error of r is judged with, traced or not. HTTP2 is set for
// https; if the transport speaks HTTP/2 on plain TCP, the caller sets it.
func Sent(r *http.Request) *classifier.SentRequest {
	_, key := r.Header["Idempotency-Key"]
	if !key {
		_, key = r.Header["X-Idempotency-Key"]
	}
	hasBody := r.Body != nil && r.Body != http.NoBody
	return &classifier.SentRequest{
		Method: r.Method, URL: r.URL.String(), Key: key, Body: hasBody,
		Rewindable: !hasBody || r.GetBody != nil,
		HTTP2:      r.URL.Scheme == "https",
	}
}

// Answered notes that RoundTrip returned a response: what fails from here on
// is the reading of its body.
func (a *Attempt) Answered() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ev.Answered = true
	a.note("response head complete")
}

// End freezes the record and returns it. caller is the context of the whole
// operation, attempt that of this try; hooks that fire later (a detached dial,
// an HTTP/2 writer) change nothing. Calling it again returns the same.
func (a *Attempt) End(caller, attempt context.Context) classifier.Evidence {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.ended {
		return a.ev
	}
	a.count()
	a.ended = true
	a.ev.CallerErr, a.ev.ContextErr = caller.Err(), attempt.Err()
	a.ev.BodyRead, a.ev.BodySize = a.body.taken(a.ev.WroteRequest), a.body.size
	a.ev.BodyErr = a.body.failed.Load()
	a.note("end")
	return a.ev
}

// count enters what went through the acquired connection so far; the caller
// holds mu.
func (a *Attempt) count() {
	if a.conn == nil {
		return
	}
	in, out := a.conn.bytes()
	a.ev.BytesIn, a.ev.BytesOut = in-a.in0, out-a.out0
	a.ev.PeerEnded = a.conn.peerEnded()
}

// LocalPort is the client's port of the last acquired connection, 0 if none:
// what joins an attempt with a delivery whose head never arrived.
func (a *Attempt) LocalPort() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.port
}

// Events is the attempt's own timeline.
func (a *Attempt) Events() []Event {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append([]Event(nil), a.events...)
}

// note adds to the timeline; the caller holds mu.
func (a *Attempt) note(what string) {
	if len(a.events) < maxEvents {
		a.events = append(a.events, Event{time.Now(), what})
	}
}

// maxEvents bounds a timeline: net/http replays some requests without limit.
const maxEvents = 256
