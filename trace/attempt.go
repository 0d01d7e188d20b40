package trace

import (
	"context"
	"net/http"
	"net/http/httptrace"
	"sync"
	"time"

	"github.com/retry-lab/retry-lab/classifier"
)

// An Attempt records one try of one request. It is safe for the transport's
// concurrent hooks; make a new one for every try, and do not copy it. The zero
// value is ready, and keeps no timeline: that is for who watches many requests
// and wants to pay little for it. [Begin] makes one that does.
type Attempt struct {
	N     int
	Start time.Time

	// Owner is what the attempt is a part of. It is carried, for whoever finds
	// the attempt by [FromContext], and never looked at.
	Owner any

	// StopReplays: when the transport is about to send the request again by
	// itself, over another connection than the first, the attempt is cancelled.
	// See [Attempt.Replay]. Set it before the request is made. A second request
	// after an answer to the first is no replay, but somebody's between here and
	// the transport, who answers a challenge; nor are those that an attempt below
	// this one watches for itself.
	StopReplays bool

	body     bodyCount
	trace    httptrace.ClientTrace
	timeline *timeline // nil: none is kept
	allHooks bool      // attached from the start; else those of a dial when it begins
	tlsHooks bool
	life     life

	mu     sync.Mutex
	ended  bool
	below  bool // another attempt is made of this one's context
	early  bool // an interim answer (1xx) came, which FirstByte does not tell from one
	ev     classifier.Evidence
	asked  *http.Request // what Evidence.Request is made of; nil: not by this package
	conn   counted
	in0    int64 // the connection's counters when it was acquired
	out0   int64
	moved  bool    // by its server's word the request on it was not acted on
	replay *replay // nil: none was stopped
	port   int
}

// An Event is one thing that happened during an attempt.
type Event struct {
	At   time.Time
	What string // "connect start 127.0.0.1:1234", "wrote head", …
}

// timeline is what [Attempt.Events] returns.
type timeline struct{ events []Event }

// Begin starts the record of attempt n, with a timeline; the first is 1.
func Begin(n int) *Attempt {
	return &Attempt{N: n, Start: time.Now(), timeline: &timeline{}}
}

// Request returns a copy of r that records into a. The caller sends the copy.
func (a *Attempt) Request(r *http.Request) *http.Request {
	out := r.WithContext(a.Context(r.Context()))
	a.Watch(out)
	a.asked = out
	return out
}

// Context returns a context below parent that records into a, for who makes
// the copy of the request. [Attempt.Watch] is the other half of Request.
func (a *Attempt) Context(parent context.Context) context.Context {
	a.life.parent = parent
	if above := FromContext(parent); above != nil {
		above.standBack()
	}
	a.ev.EndedBefore = parent.Err() != nil
	a.attach(a.timeline != nil || httptrace.ContextClientTrace(parent) != nil)
	return httptrace.WithClientTrace((*attemptContext)(a), &a.trace)
}

// Watch notes what is asked, and puts a counter around the body of r where it
// has one. r is the caller's own copy, about to be sent. The Evidence then has
// no Request; an error is to be judged with what [Sent] says of r.
func (a *Attempt) Watch(r *http.Request) {
	a.ev.Traced = true
	a.ev.TLSExpected = r.URL != nil && r.URL.Scheme == "https"
	if !a.allHooks && len(r.Header["Expect"]) > 0 {
		a.attachWait()
	}
	a.countBody(r)
}

// Sent is what an error of r is judged with, traced or not. HTTP2 is set for
// https; if the transport speaks HTTP/2 on plain TCP, the caller sets it.
func Sent(r *http.Request) *classifier.SentRequest {
	_, key := r.Header["Idempotency-Key"]
	if !key {
		_, key = r.Header["X-Idempotency-Key"]
	}
	hasBody := r.Body != nil && r.Body != http.NoBody
	sent := &classifier.SentRequest{
		Method: r.Method, Key: key, Body: hasBody,
		Rewindable: !hasBody || r.GetBody != nil,
	}
	if r.URL != nil {
		sent.URL, sent.HTTP2 = r.URL.String(), r.URL.Scheme == "https"
	}
	return sent
}

// Answered notes that RoundTrip returned a response: what fails from here on
// is the reading of its body.
func (a *Attempt) Answered() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ev.Answered = true
	a.note("response head complete", "")
}

// Evidence is the record as it stands; it goes on.
func (a *Attempt) Evidence() classifier.Evidence {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.ev
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
	if a.asked != nil {
		a.ev.Request = Sent(a.asked)
	}
	a.ev.CallerErr, a.ev.ContextErr = caller.Err(), attempt.Err()
	a.ev.BodyRead, a.ev.BodySize = a.body.taken(a.ev.WroteRequest), a.body.size
	a.ev.BodyErr = a.body.failed.Load()
	a.note("end", "")
	return a.ev
}

// count enters what went through the acquired connection so far, and through
// the one of a replay that could not be stopped; the caller holds mu.
func (a *Attempt) count() {
	if a.replay.slipped() {
		a.ev.Acquisitions++
		a.ev.Exposed = true
	}
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

// Events is the attempt's own timeline, empty if it keeps none.
func (a *Attempt) Events() []Event {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.timeline == nil {
		return nil
	}
	return append([]Event(nil), a.timeline.events...)
}

// note adds to the timeline; the caller holds mu.
func (a *Attempt) note(what, detail string) {
	if t := a.timeline; t != nil && len(t.events) < maxEvents {
		t.events = append(t.events, Event{time.Now(), what + detail})
	}
}

// maxEvents bounds a timeline: net/http replays some requests without limit.
const maxEvents = 256
