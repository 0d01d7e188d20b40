package servers

import (
	"encoding/hex"
	"errors"
	"hash"
	"math"
	"net/http"
	"strings"
	"time"
)

// Why a stream is over before its fault is.
var (
	errAbandoned   = errors.New("the client has reset the stream")
	errConnEnded   = errors.New("the connection has ended")
	errResetHere   = errors.New("the stream was reset here")
	errGoneAway    = errors.New("the stream is above the last of a GOAWAY")
	errAnswered    = errors.New("the stream was answered")
	errOtherLength = errors.New("the body is not as long as Content-Length says")
	errBodyTooLong = errors.New("body exceeds Options.MaxBody")
)

// A Stream is one HTTP/2 request in the hands of a fault: its head has been
// read. It is for the fault's goroutine alone.
type Stream struct {
	// Request is the head. Its Body is nil: see ReadBody.
	Request *http.Request

	// ID numbers the stream on its connection: 1, 3, 5, …
	ID uint32

	h *h2Conn
	e *entry

	// Under h.mu.
	sum      hash.Hash
	read     int64
	complete bool  // END_STREAM was received
	window   int64 // what we may still send
	err      error // why we cannot send any more, nil as long as we can

	continued bool // an interim 100 was sent
}

// Key is the request's idempotency key, empty where it has none.
func (s *Stream) Key() string { return s.Request.Header.Get(KeyHeader) }

func (s *Stream) target() string { return s.Request.URL.RequestURI() }

// ReadBody waits until the whole request is here. It fails where the client
// gives it up, the connection ends, or the body is longer than
// Options.MaxBody.
func (s *Stream) ReadBody() error { return s.ReadSome(math.MaxInt64) }

// ReadSome waits for n bytes of the body, or for its end if that comes first.
// It sends the interim 100 that the client may be waiting for.
func (s *Stream) ReadSome(n int64) error {
	if !s.continued && strings.EqualFold(s.Request.Header.Get("Expect"), "100-continue") {
		s.continued = true
		if err := s.interim(); err != nil {
			return err
		}
	}
	return s.await(func() bool { return s.complete || s.read >= n })
}

// BodySum is the SHA-256 of what has come so far, in hex.
func (s *Stream) BodySum() string {
	s.h.mu.Lock()
	defer s.h.mu.Unlock()
	return hex.EncodeToString(s.sum.Sum(nil))
}

// Commit enters that the side effect has happened. Idempotent.
func (s *Stream) Commit() {
	s.e.set(func(d *Delivery) {
		if !d.Committed {
			d.Committed, d.CommittedAt = true, time.Now()
		}
	})
}

// Wait returns true after d, false if the server closes first. It goes on when
// the client leaves, so does real work.
func (s *Stream) Wait(d time.Duration) bool { return s.h.c.s.pause(d) }

// Closing is closed when the server closes.
func (s *Stream) Closing() <-chan struct{} { return s.h.c.s.ctx.Done() }

// Stall says nothing more until the client gives the stream up, its connection
// ends, or the server closes.
func (s *Stream) Stall() {
	_ = s.await(func() bool { return false }) // whatever ends it
}

// await waits until the stream is ready, or returns why it is over.
func (s *Stream) await(ready func() bool) error {
	s.h.mu.Lock()
	defer s.h.mu.Unlock()
	for {
		switch {
		case s.err == errBodyTooLong: // also where it is complete
			return s.err
		case ready():
			return nil
		case s.err != nil:
			return s.err
		}
		s.h.moved.Wait()
	}
}

// open: the client may still send; the caller holds h.mu. An answer does not
// stop it.
func (s *Stream) open() bool { return !s.complete && (s.err == nil || s.err == errAnswered) }

// otherLength says that a body with more bytes, and perhaps its end, is not the
// one that Content-Length announced: such a request is malformed (RFC 9113
// section 8.1.1). The caller holds h.mu.
func (s *Stream) otherLength(more int, ended bool) bool {
	said, read := s.Request.ContentLength, s.read+int64(more)
	return said >= 0 && (read > said || ended && read < said)
}

// receive enters a part of the body; the caller holds h.mu.
func (s *Stream) receive(part []byte, complete bool) {
	s.sum.Write(part)
	s.read += int64(len(part))
	s.complete = complete
	s.e.set(func(d *Delivery) {
		d.BodyBytes, d.Complete = s.read, complete
		if s.read > 0 {
			d.BodySHA256 = hex.EncodeToString(s.sum.Sum(nil))
		}
	})
	s.h.moved.Broadcast()
}

// end ends the stream; the caller holds h.mu. how is entered, empty where the
// delivery stays stalled.
func (s *Stream) end(how string, why error) {
	if how != "" && s.err != errAnswered {
		s.e.end(how)
	}
	if s.err == nil || s.err == errAnswered {
		s.err = why
	}
	s.h.moved.Broadcast()
}

// abandon ends a complete request that the client has given up: it stays
// stalled, and when that was is entered. The caller holds h.mu.
func (s *Stream) abandon(why error) {
	s.e.set(func(d *Delivery) {
		if d.EndedAt.IsZero() {
			d.EndedAt = time.Now()
		}
	})
	s.end("", why)
}

// finish closes what the fault left open and lets the stream go.
func (s *Stream) finish() {
	s.h.mu.Lock()
	err, complete := s.err, s.complete
	s.h.mu.Unlock()
	switch {
	case err == nil:
		_ = s.Reset(HTTP2Cancel) // what fails here is the connection, and its reader knows
	case err == errAnswered && !complete:
		_ = s.h.writeReset(s.ID, HTTP2NoError) // the rest is not wanted: RFC 9113 section 8.1
	}
	s.h.mu.Lock()
	defer s.h.mu.Unlock()
	delete(s.h.streams, s.ID)
}
