package servers

import (
	"context"
	"slices"
	"time"
)

// A Call is one logical request of a client, whatever number of deliveries the
// client makes of it: a script, a counter and a ledger. Its state is its own;
// nothing that happens to another call moves it. It is safe for concurrent use.
type Call struct {
	id     string
	script Script
	steps  []step
	origin *Origin
	seed   uint64 // of the tokens
	limit  int    // deliveries that are kept
	newest bool   // the last ones are kept, not the first
	made   time.Time

	// ledger lends its lock and its waiting; the deliveries are here.
	ledger  *Ledger
	count   int // deliveries
	warm    int // of which warm-ups
	commits int
	replays int
	open    int // connections whose latest delivery was the call's
	flight  int // deliveries under way
	kept    []*turn
	effects map[effect]bool
	moved   time.Time // the last change
	deleted bool      // no delivery can come any more
}

// ID names the call.
func (c *Call) ID() string { return c.id }

// URL is where a client asks for the call; what follows is the client's.
func (c *Call) URL() string { return c.origin.URL() + "/c/" + c.id + "/" }

// WarmURL is where a client makes a connection ready for the call: it is
// answered 200, and uses no step.
func (c *Call) WarmURL() string { return c.origin.URL() + "/c/" + c.id + WarmUpPath }

// A CallRecord is a call at one moment: a copy, free to keep.
type CallRecord struct {
	ID     string `json:"id"`
	URL    string `json:"url"`
	Script Script `json:"script"`

	Deliveries int `json:"deliveries"` // all that came, but for the warm-ups
	WarmUps    int `json:"warm_ups"`
	Commits    int `json:"commits"` // side effects
	Replays    int `json:"replays"` // deliveries with the attempt number of an earlier one
	Dropped    int `json:"dropped"` // deliveries that were counted and not kept

	// OpenConnections are those whose latest delivery was this call's.
	OpenConnections int `json:"open_connections"`
	InFlight        int `json:"in_flight"` // deliveries under way

	// Finished: every step was met, and nothing is under way.
	Finished bool `json:"finished"`

	// Ledger is in the order in which the heads were complete. Warm-ups are
	// numbered apart.
	Ledger []CallDelivery `json:"ledger"`
}

// Record returns a copy with times in milliseconds since the call was made.
func (c *Call) Record() CallRecord {
	c.ledger.mu.Lock()
	defer c.ledger.mu.Unlock()
	r := c.counts()
	r.Ledger = make([]CallDelivery, len(c.kept))
	inOrder := slices.SortedFunc(slices.Values(c.kept), func(a, b *turn) int { return a.seq - b.seq })
	for i, t := range inOrder {
		r.Ledger[i] = t.d.since(c.made)
	}
	return r
}

// Counts is Record without the ledger, and so of the same size however much has
// come.
func (c *Call) Counts() CallRecord {
	c.ledger.mu.Lock()
	defer c.ledger.mu.Unlock()
	return c.counts()
}

// counts: the caller holds the ledger's lock.
func (c *Call) counts() CallRecord {
	return CallRecord{
		ID: c.id, URL: c.URL(), Script: c.script,
		Deliveries: c.count - c.warm, WarmUps: c.warm, Commits: c.commits, Replays: c.replays,
		Dropped: c.count - len(c.kept), OpenConnections: c.open, InFlight: c.flight, Finished: c.finished(),
	}
}

// since is d with its times since epoch.
func (d CallDelivery) since(epoch time.Time) CallDelivery {
	ms := func(at time.Time) float64 { return float64(at.Sub(epoch).Microseconds()) / 1000 }
	when := func(at time.Time) *float64 {
		if at.IsZero() {
			return nil
		}
		v := ms(at)
		return &v
	}
	d.AtMS = ms(d.At)
	d.CommittedAtMS, d.AnsweredAtMS, d.EndedAtMS = when(d.CommittedAt), when(d.AnsweredAt), when(d.EndedAt)
	return d
}

// finished: the caller holds the ledger's lock.
func (c *Call) finished() bool { return c.flight == 0 && c.count-c.warm >= len(c.steps) }

func (c *Call) isFinished() bool {
	c.ledger.mu.Lock()
	defer c.ledger.mu.Unlock()
	return c.finished()
}

// take makes a delivery the call's; its number says which step it meets.
func (c *Call) take(t *turn, warm bool) {
	c.ledger.mu.Lock()
	defer c.ledger.mu.Unlock()
	t.entry.l, t.call = c.ledger, c
	c.count++
	c.flight++
	t.seq, t.d.Warm, t.d.Token = c.count, warm, c.token(c.count)
	if warm {
		c.warm++
		t.d.N = c.warm
	} else {
		t.d.N = c.count - c.warm
		t.step = &c.steps[min(t.d.N, len(c.steps))-1]
		t.d.Fault = t.step.Fault
	}
	switch {
	case len(c.kept) < c.limit:
		c.kept = append(c.kept, t)
	case c.newest:
		c.kept[(c.count-1)%c.limit] = t
	}
	c.touch()
}

// release ends a delivery.
func (c *Call) release() {
	c.ledger.mu.Lock()
	defer c.ledger.mu.Unlock()
	c.flight--
	c.touch()
}

// holds enters that a connection is the call's, or no longer is.
func (c *Call) holds(more int) {
	c.ledger.mu.Lock()
	defer c.ledger.mu.Unlock()
	c.open += more
	c.touch()
}

// leave enters that the call is deleted.
func (c *Call) leave() {
	c.ledger.mu.Lock()
	defer c.ledger.mu.Unlock()
	c.deleted = true
	c.touch()
}

// touch wakes whoever waits; the caller holds the lock.
func (c *Call) touch() {
	c.moved = time.Now()
	c.ledger.notify()
}

// token is one delivery's.
func (c *Call) token(n int) string { return hex64(c.seed + uint64(n)*0x9E3779B97F4A7C15) }

// hex64 is v in sixteen digits.
func hex64(v uint64) string {
	const digits = "0123456789abcdef"
	var b [16]byte
	for i := len(b) - 1; i >= 0; i-- {
		b[i] = digits[v&15]
		v >>= 4
	}
	return string(b[:])
}

// Await returns once n deliveries have begun that are no warm-ups, or nothing
// has happened for quiet, whichever comes first. Zero switches either off; with
// both off it waits for the context, whose error it returns. A call that is
// deleted meanwhile is [ErrDeleted].
func (c *Call) Await(ctx context.Context, n int, quiet time.Duration) error {
	start := time.Now()
	for {
		c.ledger.mu.Lock()
		count, moved, changed, deleted := c.count-c.warm, c.moved, c.ledger.changed, c.deleted
		c.ledger.waiting = true
		c.ledger.mu.Unlock()
		if n > 0 && count >= n {
			return nil
		}
		if deleted {
			return ErrDeleted
		}
		if moved.Before(start) && count == 0 {
			moved = start // quiet before anything has come is no answer
		}
		left := time.Until(moved.Add(quiet))
		if quiet > 0 && left <= 0 {
			return nil
		}
		if err := changeOr(ctx, changed, quiet, left); err != nil {
			return err
		}
	}
}

// changeOr waits for a change, for left if there is a quiet to wait for, or
// for the context, whose error it returns.
func changeOr(ctx context.Context, changed <-chan struct{}, quiet, left time.Duration) error {
	var over <-chan time.Time
	if quiet > 0 {
		timer := time.NewTimer(left)
		defer timer.Stop()
		over = timer.C
	}
	select {
	case <-changed:
	case <-over:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}
