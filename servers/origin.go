package servers

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

// CallHeader carries a call's id for a client that cannot put it in the path.
const CallHeader = "Retry-Lab-Call"

// maxScripts bounds what the scripts of all calls hold, in bytes.
const maxScripts = 64 << 20

// ErrTooManyCalls: an Origin has as many calls as it may, or 64 MiB of answers
// in their scripts, and none is finished.
var ErrTooManyCalls = errors.New("too many calls, none of them finished")

// ErrTaken: another call has the id, or a fault has that name.
var ErrTaken = errors.New("taken")

// ErrDeleted: the call is no longer there, or has made room for another.
var ErrDeleted = errors.New("the call was deleted")

// OriginOptions make an Origin. The zero value is good.
type OriginOptions struct {
	Options

	// MaxCalls bounds the calls; zero means 1,000. One more takes the place of
	// the oldest that is finished.
	MaxCalls int

	// MaxDeliveries bounds the deliveries that are kept of each call; zero means
	// 250. Those beyond are served and counted. A call keeps its first, a
	// standing one its latest.
	MaxDeliveries int
}

// An Origin is one server with every fault of [Faults], and a ledger for each
// [Call]. It speaks HTTP/1.1, and HTTP/2 to a client that knows beforehand or,
// with Options.TLS, agrees by ALPN.
//
// A request belongs to the call that its path names, /c/ID/…, or else to the
// one in its field Retry-Lab-Call. Without either, a path /FAULT, as in /503
// or /reset, is a standing call with that one fault. All else is answered 404.
// A call's path /c/ID/warm-up is answered 200 and uses no step of the script.
type Origin struct {
	*Server
	opts    OriginOptions
	strays  *Ledger // lends its lock to deliveries that are nobody's yet
	helper  TB      // of NewOrigin; nil elsewhere
	counted originCount

	mu       sync.RWMutex
	calls    map[string]*Call
	order    []*Call // as they were made
	scripts  int     // bytes that the calls' scripts hold
	standing map[string]*Call
	more     []*Server // of Listen
}

// OpenOrigin starts an Origin.
func OpenOrigin(o OriginOptions) (*Origin, error) {
	if o.MaxCalls < 0 || o.MaxDeliveries < 0 {
		return nil, fmt.Errorf("negative bound: calls %d, deliveries %d", o.MaxCalls, o.MaxDeliveries)
	}
	if o.MaxCalls == 0 {
		o.MaxCalls = 1000
	}
	if o.MaxDeliveries == 0 {
		o.MaxDeliveries = 250
	}
	opts, err := originOptions(o.Options)
	if err != nil {
		return nil, err
	}
	o.Options = opts
	ln, err := listen(opts)
	if err != nil {
		return nil, err
	}
	f := &Origin{opts: o, strays: newLedger(0), calls: map[string]*Call{}, standing: map[string]*Call{}}
	f.Server = newServer(ln, nil, opts, f.serveConn)
	f.Server.origin = f
	f.Server.begin()
	return f, nil
}

// NewOrigin starts an Origin for a test, which fails where it cannot start,
// and closes it with the test.
func NewOrigin(tb TB) *Origin {
	tb.Helper()
	o := Must[*Origin](tb)(OpenOrigin(OriginOptions{}))
	o.helper = tb
	return o
}

// Call makes a call of these faults, in this order; the last repeats. It is
// for tests: what [Origin.Create] would return as an error ends the test.
func (o *Origin) Call(faults ...string) *Call {
	s := Script{}
	for _, f := range faults {
		s.Steps = append(s.Steps, Step{Fault: f})
	}
	return o.Script(s)
}

// Script is Call with a whole script.
func (o *Origin) Script(s Script) *Call {
	c, err := o.Create(s)
	switch {
	case err == nil:
	case o.helper == nil:
		panic("servers: " + err.Error())
	default:
		o.helper.Helper()
		o.helper.Fatal(err)
	}
	return c
}

// Create makes a call. The error is a *[ScriptError], one that also is
// [ErrTaken], or [ErrTooManyCalls].
func (o *Origin) Create(s Script) (*Call, error) {
	steps, err := s.compile()
	if err != nil {
		return nil, err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if s.ID == "" {
		s.ID = o.drawID()
	}
	if k, _ := kindOf(s.ID); k != nil || o.calls[s.ID] != nil {
		return nil, fmt.Errorf("%w: %w", ErrTaken, &ScriptError{"id", fmt.Sprintf("%q is taken", s.ID)})
	}
	size := s.size()
	for len(o.calls) >= o.opts.MaxCalls || o.scripts+size > maxScripts {
		if !o.evict() {
			return nil, ErrTooManyCalls
		}
	}
	o.scripts += size
	c := o.newCall(s, steps)
	o.calls[s.ID] = c
	o.order = append(o.order, c)
	o.counted.created.Add(1)
	return c, nil
}

func (o *Origin) newCall(s Script, steps []step) *Call {
	return &Call{
		id: s.ID, script: s, steps: steps, origin: o, seed: rand.Uint64(), made: time.Now(),
		limit: o.opts.MaxDeliveries, ledger: newLedger(o.opts.MaxDeliveries), effects: map[effect]bool{},
	}
}

// drawID is an id that no call has; the caller holds mu.
func (o *Origin) drawID() string {
	for {
		if id := hex64(rand.Uint64()); o.calls[id] == nil {
			return id
		}
	}
}

// evict lets the oldest finished call go; false if there is none. The caller
// holds mu.
func (o *Origin) evict() bool {
	for _, c := range o.order {
		if c.isFinished() {
			o.forget(c)
			o.counted.evicted.Add(1)
			return true
		}
	}
	return false
}

// forget: the caller holds mu.
func (o *Origin) forget(c *Call) {
	delete(o.calls, c.id)
	c.leave()
	o.scripts -= c.script.size()
	o.order = slices.DeleteFunc(o.order, func(other *Call) bool { return other == c })
}

// Lookup finds a call, also the standing one of a fault, asked for already or
// not.
func (o *Origin) Lookup(id string) (*Call, bool) {
	o.mu.RLock()
	c := o.calls[id]
	o.mu.RUnlock()
	if c == nil {
		c = o.stands(id)
	}
	return c, c != nil
}

// Calls lists the calls as they were made, standing ones not among them.
func (o *Origin) Calls() []*Call {
	o.mu.RLock()
	defer o.mu.RUnlock()
	return slices.Clone(o.order)
}

// Delete forgets a call; what its client still sends is nobody's. A standing
// call begins anew. False: there is none.
func (o *Origin) Delete(id string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if c := o.standing[id]; c != nil {
		delete(o.standing, id)
		c.leave()
		return true
	}
	c, known := o.calls[id]
	if known {
		o.forget(c)
	}
	return known
}

// stands is the standing call of a fault, made when it is first asked for; nil
// where there is no such fault.
func (o *Origin) stands(fault string) *Call {
	o.mu.RLock()
	c := o.standing[fault]
	o.mu.RUnlock()
	if c != nil {
		return c
	}
	s := Script{ID: fault, Steps: []Step{{Fault: fault}}}
	steps, err := s.compile()
	if err != nil {
		return nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if c = o.standing[fault]; c == nil {
		c = o.newCall(s, steps)
		c.newest = true
		o.standing[fault] = c
	}
	return c
}
