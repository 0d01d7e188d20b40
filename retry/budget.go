package retry

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Budget bounds retries, so that a server in trouble gets few of them however
// many clients there are. The zero value is on: a retry for every fifth
// request, and one a second besides, per origin. What is unused lasts for ten
// seconds, so that a burst of ten is free.
type Budget struct {
	Off bool

	// Scope says which requests share a budget.
	Scope Scope

	// Ratio is the share of first attempts that may be tried again, Floor the
	// retries a second that are allowed besides, TTL how long either lasts
	// unused. Zero means DefaultRatio, DefaultFloor and DefaultTTL.
	Ratio, Floor float64
	TTL          time.Duration

	// MaxRetries, if set, is a fixed count of retries in each Window, in place of
	// a share. A zero Window means one minute; it begins with its first retry.
	MaxRetries int
	Window     time.Duration

	// Namespace keeps budgets apart, or together, that share a store.
	Namespace string

	// Store keeps the budget for several clients or processes; nil: in memory,
	// for this Transport alone. [Do] has a budget only with a Store.
	Store BudgetStore
}

// The zero Budget's values.
const (
	DefaultRatio  = 0.2
	DefaultFloor  = 1.0
	DefaultTTL    = 10 * time.Second
	DefaultWindow = time.Minute
)

// Scope says which requests share a budget.
type Scope int

// Per scheme and host, per Transport, or all that use the same Store.
const (
	PerOrigin Scope = iota
	PerClient
	Global
)

func (s Scope) String() string { return nameOf([]string{"origin", "client", "global"}, int(s)) }

// A BudgetStore keeps budgets. It is asked before a retry and never before a
// first attempt, so it cannot delay one; a retry waits for it, so it must
// return when ctx ends. It must be safe for concurrent use. An error means that
// nothing is known: the Transport then falls back to a budget of its own.
type BudgetStore interface {
	// Withdraw asks for one retry. ctx is that of the operation.
	Withdraw(ctx context.Context, w Withdrawal) (ok bool, err error)

	// Refund gives back one that was not made. The operation has mostly been
	// cancelled then; ctx is not, and ends after a quarter of a second.
	Refund(ctx context.Context, w Withdrawal) error
}

// A Withdrawal is what a store is asked for.
type Withdrawal struct {
	// Key names the budget: namespace and scope.
	Key string

	// Requests are the first attempts of this client since it last asked, as far
	// as they are not older than TTL.
	Requests int

	// The terms, with their zero values resolved. MaxRetries is 0 where they are
	// Ratio, Floor and TTL.
	Ratio, Floor float64
	TTL          time.Duration
	MaxRetries   int
	Window       time.Duration

	// Now is the client's time.
	Now time.Time
}

// check says what is wrong with the terms of a withdrawal that no policy has
// made.
func (w *Withdrawal) check() error {
	b := Budget{Ratio: w.Ratio, Floor: w.Floor, TTL: w.TTL, MaxRetries: w.MaxRetries, Window: w.Window}
	if w.MaxRetries == 0 {
		b.Window = 0
	}
	switch err := b.validate(); {
	case err != nil:
		return err
	case w.Requests < 0:
		return fmt.Errorf("budget: %d requests is negative", w.Requests)
	case w.MaxRetries == 0 && w.TTL == 0, w.MaxRetries > 0 && w.Window == 0:
		return errors.New("budget: zero values are to be resolved before a store is asked")
	}
	return nil
}

// terms are a budget's parameters with their zero values resolved.
func (b *Budget) terms() Withdrawal {
	w := Withdrawal{Ratio: b.Ratio, Floor: b.Floor, TTL: b.TTL, MaxRetries: b.MaxRetries, Window: b.Window}
	if w.Ratio == 0 {
		w.Ratio = DefaultRatio
	}
	if w.Floor == 0 {
		w.Floor = DefaultFloor
	}
	if w.TTL == 0 {
		w.TTL = DefaultTTL
	}
	if w.Window == 0 {
		w.Window = DefaultWindow
	}
	return w
}

// plain: nothing that can be wrong is set.
func (b *Budget) plain() bool {
	return b.Scope == PerOrigin && b.Ratio == 0 && b.Floor == 0 && b.TTL == 0 && b.MaxRetries == 0 && b.Window == 0
}

func (b *Budget) validate() error {
	err := errors.Join(
		oneOf("budget: scope", int(b.Scope), int(Global)),
		share("budget: ratio", b.Ratio),
		share("budget: floor", b.Floor),
		notNegative("budget: ttl", b.TTL),
		notNegative("budget: window", b.Window),
	)
	switch {
	case err != nil:
		return err
	case b.MaxRetries < 0:
		return fmt.Errorf("budget: max retries %d is negative (zero means a share of the requests)", b.MaxRetries)
	case b.MaxRetries == 0 && b.Window != 0:
		return errors.New("budget: a window needs max retries")
	case b.Ratio > maxShare || b.Floor > maxShare:
		return fmt.Errorf("budget: ratio %v and floor %v: want at most %v", b.Ratio, b.Floor, maxShare)
	case b.TTL > 0 && b.TTL < purseSlots:
		return fmt.Errorf("budget: ttl %v is too short", b.TTL)
	case b.Scope == Global && b.Store == nil:
		return errors.New("budget: a global one needs a store that its clients share, see NewMemoryStore")
	}
	return nil
}

// maxShare bounds ratio and floor, so that their sums stay far from overflow.
const maxShare = 1e6
