package retry

import (
	"context"
	"crypto/rand"
	"net/url"
	"strings"
	"sync"
	"time"
)

// MemoryStore keeps budgets in memory, for several Transports or calls of Do in
// one process.
type MemoryStore struct{ purses purses }

// NewMemoryStore makes an empty one.
func NewMemoryStore() *MemoryStore { return &MemoryStore{} }

var _ BudgetStore = (*MemoryStore)(nil)

// Withdraw asks for one retry. The error is that of terms no policy has.
func (s *MemoryStore) Withdraw(_ context.Context, w Withdrawal) (bool, error) {
	if err := w.check(); err != nil {
		return false, err
	}
	s.purses.mu.Lock()
	defer s.purses.mu.Unlock()
	p := s.purses.get(budgetID{key: w.Key}, w)
	p.deposit(w.Now, w.Requests)
	return p.withdraw(w.Now), nil
}

// Refund gives one retry back. The error is as of Withdraw.
func (s *MemoryStore) Refund(_ context.Context, w Withdrawal) error {
	if err := w.check(); err != nil {
		return err
	}
	s.purses.mu.Lock()
	defer s.purses.mu.Unlock()
	s.purses.get(budgetID{key: w.Key}, w).refund(w.Now)
	return nil
}

// budgetID names a budget without making a string of it.
type budgetID struct {
	namespace, scheme, host, key string
	terms                        terms // so that each policy has its own; zero in a MemoryStore
}

type terms struct {
	ratio, floor float64
	ttl, window  time.Duration
	max          int
}

// purses are the budgets of one Transport or store.
type purses struct {
	mu   sync.Mutex
	open map[budgetID]*purse
	// The one that was asked for last, which is likely to be asked for next.
	lastID budgetID
	last   *purse
	// overflow is the budget of all that find no place any more.
	overflow *purse
}

// maxPurses bounds how many budgets are kept: origins come from outside.
const maxPurses = 1024

// get finds or makes a purse; the caller holds mu. Where there are too many,
// those that have stood still for their TTL go.
func (s *purses) get(id budgetID, w Withdrawal) *purse {
	if s.last == nil || s.lastID != id {
		s.lastID, s.last = id, s.find(id, w)
	}
	return s.last
}

func (s *purses) find(id budgetID, w Withdrawal) *purse {
	if p := s.open[id]; p != nil {
		return p
	}
	if len(s.open) >= maxPurses {
		for other, p := range s.open {
			if w.Now.Sub(p.last) >= p.terms.TTL && w.Now.Sub(p.start) >= p.terms.Window {
				delete(s.open, other)
			}
		}
	}
	if len(s.open) >= maxPurses {
		if s.overflow == nil {
			s.overflow = newPurse(w, w.Now)
		}
		return s.overflow
	}
	if s.open == nil {
		s.open = map[budgetID]*purse{}
	}
	p := newPurse(w, w.Now)
	s.open[id] = p
	return p
}

// budgets is what a Transport keeps of its retries: the purses themselves, or
// with a Store the requests that it has not told it of yet.
type budgets struct {
	purses purses
	once   sync.Once
	client string // names this Transport to a store
}

// idOf names the budget of a request to u, which may be nil.
func idOf(b *Budget, u *url.URL, w Withdrawal) budgetID {
	id := budgetID{namespace: b.Namespace, terms: terms{w.Ratio, w.Floor, w.TTL, w.Window, w.MaxRetries}}
	if b.Scope == PerOrigin && u != nil {
		id.scheme, id.host = u.Scheme, strings.ToLower(u.Host)
	}
	return id
}

// keyOf is the same as a string, for a store.
func (s *budgets) keyOf(b *Budget, u *url.URL) string {
	switch {
	case b.Scope == PerOrigin && u != nil:
		return b.Namespace + " origin " + u.Scheme + "://" + strings.ToLower(u.Host)
	case b.Scope == PerClient:
		s.once.Do(func() { s.client = rand.Text() })
		return b.Namespace + " client " + s.client
	}
	return b.Namespace + " global"
}

// request enters a first attempt. It waits for nobody.
func (s *budgets) request(b *Budget, u *url.URL, now time.Time) {
	if b.Off || b.MaxRetries > 0 {
		return
	}
	w := b.terms()
	w.Now = now
	id := idOf(b, u, w)
	s.purses.mu.Lock()
	defer s.purses.mu.Unlock()
	s.purses.get(id, w).deposit(now, 1)
}

// withdraw asks for one retry, and returns how to give it back.
func (s *budgets) withdraw(ctx context.Context, b *Budget, u *url.URL, now func() time.Time) (refund func(), ok bool) {
	if b.Off {
		return func() {}, true
	}
	w := b.terms()
	w.Now = now()
	id := idOf(b, u, w)
	if b.Store != nil {
		w.Key, w.Requests = s.keyOf(b, u), s.unreported(id, w)
		granted, err := b.Store.Withdraw(ctx, w)
		if err == nil {
			return func() {
				w.Requests, w.Now = 0, now()
				ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), refundTime)
				defer cancel()
				_ = b.Store.Refund(ctx, w) // lost with the store
			}, granted
		}
		s.restore(id, w)
	}
	s.purses.mu.Lock()
	defer s.purses.mu.Unlock()
	p := s.purses.get(id, w)
	return func() {
		at := now()
		s.purses.mu.Lock()
		defer s.purses.mu.Unlock()
		p.refund(at)
	}, p.withdraw(w.Now)
}

// refundTime is how long a store may take to hear of a retry that is not made.
const refundTime = 250 * time.Millisecond

// unreported takes the requests that the store has not heard of out of the
// purse that they were put into.
func (s *budgets) unreported(id budgetID, w Withdrawal) int {
	s.purses.mu.Lock()
	defer s.purses.mu.Unlock()
	p := s.purses.get(id, w)
	p.advance(w.Now)
	var sum float64
	for i := range p.slots {
		sum += float64(p.slots[i])
		p.slots[i] = 0
	}
	return int(sum/(w.Ratio*float64(coin)) + 0.5)
}

// restore puts them back where the store could not be told.
func (s *budgets) restore(id budgetID, w Withdrawal) {
	s.purses.mu.Lock()
	defer s.purses.mu.Unlock()
	s.purses.get(id, w).deposit(w.Now, w.Requests)
}
