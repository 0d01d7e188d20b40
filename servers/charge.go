package servers

import (
	"fmt"
	"net/http"
	"sync"
	"time"
)

// ReplayedHeader marks an answer that was stored with its key and is sent
// again.
const ReplayedHeader = "Idempotent-Replayed"

// ChargeOptions make a slow charge. The zero value charges at once.
type ChargeOptions struct {
	Options

	// BeforeCommit passes between the request's last byte and the charge,
	// BeforeAnswer between the charge and its answer.
	BeforeCommit, BeforeAnswer time.Duration

	// MaxKeys bounds the keys it remembers; zero means 10,000. The oldest
	// finished one is forgotten first. If none is finished, a new key gets 503
	// and no charge.
	MaxKeys int
}

// A Charge is a server where every POST costs money: it commits a charge, and
// answers 200 with its id. It goes on when the client has left.
//
// A request without Idempotency-Key always charges anew. With one, a path's
// key charges once. Asked again, with the same body: 409 while the first is in
// flight, that is accepted and not yet committed; afterwards the stored answer
// at once, marked with [ReplayedHeader], also while the first delivery still
// waits for its own. With another body: 422.
type Charge struct {
	*Server
	book book
	opts ChargeOptions
}

// NewCharge starts a slow charge.
func NewCharge(o ChargeOptions) (*Charge, error) {
	if o.MaxKeys < 0 {
		return nil, fmt.Errorf("negative bound: keys %d", o.MaxKeys)
	}
	if o.MaxKeys == 0 {
		o.MaxKeys = 10_000
	}
	c := &Charge{opts: o, book: book{limit: o.MaxKeys, calls: map[callID]*call{}}}
	s, err := start(o.Options, http1(c.serve))
	if err != nil {
		return nil, err
	}
	c.Server = s
	return c, nil
}

// Count is the number of charges.
func (c *Charge) Count() int {
	c.book.mu.Lock()
	defer c.book.mu.Unlock()
	return c.book.charges
}

// Charges are the ids of the charges, in order: ch_1, ch_2, …
func (c *Charge) Charges() []string {
	ids := make([]string, c.Count())
	for i := range ids {
		ids[i] = chargeID(i + 1)
	}
	return ids
}

func chargeID(n int) string { return fmt.Sprintf("ch_%d", n) }

// serve is one delivery. An answer that cannot be sent is in the ledger.
func (c *Charge) serve(x *Exchange) {
	if x.ReadBody() != nil {
		return
	}
	if x.Request.Method != http.MethodPost {
		_ = x.Answer(http.StatusMethodNotAllowed, http.Header{"Allow": {"POST"}}, "")
		return
	}
	if len(x.Key()) > maxKey {
		_ = x.Answer(http.StatusBadRequest, nil, "key exceeds 255 bytes\n")
		return
	}
	id := callID{path: x.Request.URL.Path, key: x.Key()}
	stored, refused := c.book.accept(id, x.BodySum())
	if refused != nil {
		_ = x.Answer(refused.status, nil, refused.why+"\n")
		return
	}
	if stored != "" {
		_ = x.Answer(http.StatusOK, answerHeader("true"), stored)
		return
	}
	defer c.book.finish(id)
	if !x.Wait(c.opts.BeforeCommit) {
		return
	}
	answer := c.book.commit(id, x.Commit)
	if !x.Wait(c.opts.BeforeAnswer) {
		return
	}
	_ = x.Answer(http.StatusOK, answerHeader(""), answer)
}

func answerHeader(replayed string) http.Header {
	h := http.Header{"Content-Type": {"application/json"}}
	if replayed != "" {
		h.Set(ReplayedHeader, replayed)
	}
	return h
}

// A refusal is a status and why.
type refusal struct {
	status int
	why    string
}

var (
	inFlight  = &refusal{http.StatusConflict, "the first request with this key is in flight"}
	otherBody = &refusal{http.StatusUnprocessableEntity, "this key was used with another body"}
	busy      = &refusal{http.StatusServiceUnavailable, "too many keys in flight"}
)

// A book remembers the charges and the calls with a key.
type book struct {
	mu       sync.Mutex
	limit    int
	charges  int
	calls    map[callID]*call
	finished []callID // in the order in which they were
}

type callID struct{ path, key string }

// A call is one key's.
type call struct {
	sum    string
	answer string // empty: not committed yet
}

// accept lets a delivery through to the charge, or returns the answer that is
// stored for it, or why it is refused.
func (b *book) accept(id callID, sum string) (stored string, refused *refusal) {
	if id.key == "" {
		return "", nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	c, known := b.calls[id]
	switch {
	case known && c.sum != sum:
		return "", otherBody
	case known && c.answer == "":
		return "", inFlight
	case known:
		return c.answer, nil
	}
	if len(b.calls) >= b.limit {
		if len(b.finished) == 0 {
			return "", busy
		}
		delete(b.calls, b.finished[0])
		b.finished = b.finished[1:]
	}
	b.calls[id] = &call{sum: sum}
	return "", nil
}

// commit charges, enters it with enter, and returns the answer, which from now
// on is stored with the key. A replay cannot overtake the entry.
func (b *book) commit(id callID, enter func()) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.charges++
	answer := fmt.Sprintf("{\"id\":%q}\n", chargeID(b.charges))
	enter()
	if id.key != "" {
		b.calls[id].answer = answer
	}
	return answer
}

// finish ends a delivery that accept had let through. A key without a charge
// is free again.
func (b *book) finish(id callID) {
	if id.key == "" {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.calls[id].answer == "" {
		delete(b.calls, id)
		return
	}
	b.finished = append(b.finished, id)
}
