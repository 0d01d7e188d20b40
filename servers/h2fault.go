package servers

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
)

// http2Fault is one way in which an HTTP/2 server fails a request that it has
// read whole.
type http2Fault struct {
	name string

	// commits: the server acts on the request before it fails it. Not so where
	// the protocol promises that it did not (RFC 9113 section 8.7).
	commits bool

	fail func(*Stream) error
}

func http2Faults() []http2Fault {
	return []http2Fault{
		// GOAWAY names an earlier stream as the last that was looked at.
		{"goaway-above", false, func(s *Stream) error { return s.GoAway(before(s.ID), HTTP2NoError) }},
		{"refused-stream", false, (*Stream).Refuse},

		// GOAWAY names this stream as the last, and the connection ends without
		// its answer.
		{"goaway-below", true, func(s *Stream) error {
			err := s.GoAway(s.ID, HTTP2NoError)
			s.FIN()
			return err
		}},
		{"connection-lost", true, func(s *Stream) error { s.FIN(); return nil }},
		{"connection-reset", true, func(s *Stream) error { s.RST(); return nil }},

		// RST_STREAM with a code that promises nothing.
		{"protocol-error", true, resetWith(HTTP2ProtocolError)},
		{"internal-error", true, resetWith(HTTP2InternalError)},
		{"cancel", true, resetWith(HTTP2Cancel)},
		{"enhance-your-calm", true, resetWith(HTTP2EnhanceYourCalm)},
		{"http11-required", true, resetWith(HTTP2HTTP11Required)},
	}
}

func resetWith(code HTTP2Code) func(*Stream) error {
	return func(s *Stream) error { return s.Reset(code) }
}

// before is the stream that a client opens before id; 0 before its first.
func before(id uint32) uint32 {
	if id < 2 {
		return 0
	}
	return id - 2
}

// HTTP2Faults names the faults of [NewHTTP2Fault].
func HTTP2Faults() []string {
	var names []string
	for _, f := range http2Faults() {
		names = append(names, f.name)
	}
	return names
}

// HTTP2FaultOptions make a server of one fault.
type HTTP2FaultOptions struct {
	HTTP2Options

	// Fault is one of [HTTP2Faults].
	Fault string

	// First is how many deliveries of a path fail before the next are committed
	// and answered 200; zero means that all fail.
	First int
}

// NewHTTP2Fault starts a server that reads every request whole and fails it.
// But for "goaway-above" and "refused-stream", which promise the contrary, it
// has committed the request by then. A client that comes back with HTTP/1.1 is
// served: committed, and answered 200.
func NewHTTP2Fault(o HTTP2FaultOptions) (*Server, error) {
	if o.First < 0 {
		return nil, fmt.Errorf("negative count: first %d", o.First)
	}
	for _, f := range http2Faults() {
		if f.name != o.Fault {
			continue
		}
		if o.HTTP1 == nil {
			o.HTTP1 = commit1
		}
		turns := &turns{limit: o.First, taken: map[string]int{}}
		return NewHTTP2(o.HTTP2Options, func(s *Stream) { f.serve(s, turns) })
	}
	return nil, fmt.Errorf("unknown fault %q: want one of %s", o.Fault, strings.Join(HTTP2Faults(), ", "))
}

// serve is one delivery. What cannot be sent is in the ledger.
func (f http2Fault) serve(s *Stream, t *turns) {
	if s.ReadBody() != nil {
		return
	}
	if !t.take(s.Request.URL.Path) {
		s.Commit()
		_ = s.Answer(http.StatusOK, nil, "")
		return
	}
	if f.commits {
		s.Commit()
	}
	_ = f.fail(s)
}

// commit1 serves a request of HTTP/1.1.
func commit1(x *Exchange) {
	if x.ReadBody() == nil {
		x.Commit()
		_ = x.Answer(http.StatusOK, nil, "") // the ledger has it
	}
}

// turns counts the failures of each path, so that a replay of one call cannot
// use up the next one's.
type turns struct {
	mu    sync.Mutex
	limit int // failures a path; 0: without end
	taken map[string]int
}

// maxTurns bounds the paths that are counted; those beyond always fail.
const maxTurns = 10_000

// take says whether this delivery of the path is one that fails.
func (t *turns) take(path string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, known := t.taken[path]; t.limit == 0 || !known && len(t.taken) >= maxTurns {
		return true
	}
	t.taken[path]++
	return t.taken[path] <= t.limit
}
