package servers

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

// serveConn is one connection.
func (o *Origin) serveConn(c *Conn) {
	if c.prefaced() {
		newH2Conn(c, o.serve2, originStreams).serve()
		return
	}
	http1(o.serve1)(c)
}

// originStreams bounds the open streams of one HTTP/2 connection.
const originStreams = 250

func (o *Origin) opened() int {
	o.counted.open.Add(1)
	return int(o.counted.connections.Add(1))
}

func (o *Origin) closed(c *Conn) {
	o.counted.open.Add(-1)
	if c.call != nil {
		c.call.holds(-1)
	}
}

// begin enters a delivery that is nobody's yet.
func (o *Origin) begin(c *Conn) *entry {
	o.counted.begun.Add(1)
	c.carried++
	t := &turn{}
	t.d.Delivery = Delivery{Connection: c.n, Reused: c.carried > 1, At: time.Now(), Ended: EndedStalled}
	t.entry = entry{l: o.strays, d: &t.d.Delivery, turn: t}
	return &t.entry
}

// route makes a delivery its call's, by its head.
func (o *Origin) route(c *Conn, e *entry, r *http.Request) {
	call, warm := o.find(r)
	if call == nil {
		return
	}
	e.turn.d.Proto = r.Proto
	o.counted.taken.Add(1)
	call.take(e.turn, warm)
	if warm {
		o.counted.warmUps.Add(1)
	} else {
		o.counted.step(e.turn.step)
	}
	if c.call != call {
		if c.call != nil {
			c.call.holds(-1)
		}
		c.call = call
		call.holds(1)
	}
}

// heard counts a delivery that its transport, or its client's policy, has made
// again under one attempt number.
func (o *Origin) heard(e *entry) {
	if e.turn.call == nil || e.turn.d.Attempt == 0 {
		return
	}
	e.set(func(d *Delivery) {
		if d.Replay {
			e.turn.call.replays++
			o.counted.replays.Add(1)
		}
	})
}

// find is the call that a request belongs to, nil where there is none, and
// whether it is only a warm-up. An id is taken from the path as it was sent, so
// that no encoding of another path names a call.
func (o *Origin) find(r *http.Request) (*Call, bool) {
	path := r.URL.EscapedPath()
	if rest, ok := strings.CutPrefix(path, "/c/"); ok {
		id, below, _ := strings.Cut(rest, "/")
		call, _ := o.Lookup(id)
		return call, "/"+below == WarmUpPath
	}
	if id := r.Header.Get(CallHeader); id != "" {
		call, _ := o.Lookup(id)
		return call, path == WarmUpPath
	}
	if len(path) < 2 {
		return nil, false
	}
	return o.stands(path[1:]), false
}

// serve1 is one delivery over HTTP/1.1.
func (o *Origin) serve1(x *Exchange) {
	t := x.c.last.turn
	o.serve(x, t, x.Request.URL.Path, func(k *kind) bool {
		if k.http1 == nil {
			return false
		}
		k.http1(x, t)
		return true
	})
}

// serve2 is one over HTTP/2.
func (o *Origin) serve2(s *Stream) {
	t := s.e.turn
	o.serve(s, t, s.Request.URL.Path, func(k *kind) bool {
		if k.http2 == nil {
			return false
		}
		k.http2(s, t)
		return true
	})
}

// serve does what the delivery's step says. What cannot be sent is in the
// ledger.
func (o *Origin) serve(x exchange, t *turn, path string, own func(*kind) bool) {
	if t.call == nil {
		o.stray(x, path)
		return
	}
	defer t.call.release()
	if t.step == nil {
		o.warm(x, t)
		return
	}
	s := t.step
	if !s.kind.early {
		if x.ReadBody() != nil {
			return
		}
		if s.before && !safe(t.d.Method) {
			t.commit(x)
		}
	}
	if s.DelayMS > 0 && !x.Wait(s.delay()) {
		return
	}
	switch {
	case s.kind.both != nil:
		s.kind.both(x, t)
	case !own(s.kind):
		t.answer(x, http.StatusHTTPVersionNotSupported, nil, fmt.Sprintf("fault %s cannot be done over %s\n", s.Fault, t.d.Proto))
	}
	if s.after && !safe(t.d.Method) && !o.closing() {
		t.commit(x)
	}
}

// stray answers a request that is no call's.
func (o *Origin) stray(x exchange, path string) {
	if x.ReadBody() != nil {
		return
	}
	if path == "/" {
		_ = x.Answer(http.StatusOK, http.Header{"Content-Type": {"text/plain; charset=utf-8"}}, index())
		return
	}
	_ = x.Answer(http.StatusNotFound, http.Header{"Content-Type": jsonType}, notFound)
}

// notFound is what a request is told that is no call's.
const notFound = `{"error":"no such call or fault","hint":"GET / lists the faults; /c/ID/ is a call's path"}` + "\n"

// index lists the paths of the standing calls.
func index() string {
	var b strings.Builder
	b.WriteString("GET, POST or any other method to\n\n")
	for _, f := range Faults() {
		fmt.Fprintf(&b, "/%-18s %s (HTTP/%s)\n", f.Name, f.Says, strings.Join(f.Protocols, ", HTTP/"))
	}
	b.WriteString("/c/ID/             the call ID: what its script says (HTTP/1.1, HTTP/2)\n")
	return b.String()
}

// warm answers a warm-up.
func (o *Origin) warm(x exchange, t *turn) {
	if x.ReadBody() != nil {
		return
	}
	t.answer(x, http.StatusOK, nil, "")
}
