package retry

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"testing"
	"time"
)

// Every request fails, for ten minutes: what may be retried is the ratio and
// the floor, and ten at first.
func TestRetriesStayWithinTheBudget(t *testing.T) {
	minutes := 10
	if testing.Short() {
		minutes = 1
	}
	rows := []struct {
		rate int // requests a second
		step time.Duration
	}{
		{1, time.Second},
		{10, 100 * time.Millisecond},
		{1000, time.Millisecond},
		{100_000, time.Millisecond}, // a hundred at once
	}
	for _, row := range rows {
		t.Run(fmt.Sprintf("%d a second", row.rate), func(t *testing.T) {
			now := time.Unix(1_700_000_000, 0)
			terms := (&Budget{}).terms()
			p := newPurse(terms, now)
			requests, retries := 0, 0
			atOnce := max(1, row.rate*int(row.step)/int(time.Second))
			for end := now.Add(time.Duration(minutes) * time.Minute); now.Before(end); now = now.Add(row.step) {
				p.deposit(now, atOnce)
				requests += atOnce
				for range 2 * atOnce { // each of them would like two
					if !p.withdraw(now) {
						break
					}
					retries++
				}
			}
			allowed := DefaultRatio*float64(requests) + DefaultFloor*float64(minutes)*60
			if over := float64(retries-10) - allowed; over > 0.01*allowed {
				t.Errorf("%d retries of %d requests, %.0f more than %.0f", retries, requests, over, allowed)
			}
			wanted := 2 * float64(requests)
			if least := 0.98 * min(allowed, wanted); float64(retries) < least {
				t.Errorf("%d retries of %d requests, though %.0f are allowed", retries, requests, allowed)
			}
		})
	}
}

func TestABurstOfTenIsFreeAndNoMore(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	p := newPurse((&Budget{}).terms(), now)
	for i := range 20 {
		if got := p.withdraw(now); got != (i < 10) {
			t.Errorf("retry %d: %v", i+1, got)
		}
	}
}

func TestWhatIsUnusedIsLost(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	p := newPurse((&Budget{}).terms(), now)
	for range 10 {
		p.withdraw(now)
	}
	p.deposit(now, 1000) // 200 retries
	now = now.Add(11 * time.Second)
	n := 0
	for p.withdraw(now) {
		n++
	}
	if n != 10 {
		t.Errorf("%d retries after the ttl, want the 10 of the floor", n)
	}
}

func TestAClockThatGoesBackGivesNothingAway(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	p := newPurse((&Budget{}).terms(), now)
	n := 0
	for i := range 1000 {
		at := now.Add(time.Duration(i%2) * -time.Hour)
		if p.withdraw(at) {
			n++
		}
	}
	if n != 10 {
		t.Errorf("%d retries, want 10", n)
	}
}

func TestAFixedCountIsThatInEachWindow(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	p := newPurse((&Budget{MaxRetries: 3, Window: time.Minute}).terms(), now)
	for window := range 3 {
		p.deposit(now, 1000)
		for i := range 5 {
			if got := p.withdraw(now.Add(time.Duration(i) * time.Second)); got != (i < 3) {
				t.Errorf("window %d, retry %d: %v", window, i+1, got)
			}
		}
		p.refund(now)
		if !p.withdraw(now) || p.withdraw(now) {
			t.Errorf("window %d: what was given back is one", window)
		}
		now = now.Add(time.Minute)
	}
}

func origin(host string) *url.URL { return &url.URL{Scheme: "https", Host: host} }

func TestScopesShareWhatTheySay(t *testing.T) {
	now := func() time.Time { return time.Unix(1_700_000_000, 0) }
	store := NewMemoryStore()
	count := func(s *budgets, b Budget, host string) int {
		n := 0
		for {
			if _, ok := s.withdraw(context.Background(), &b, origin(host), now); !ok {
				return n
			}
			n++
		}
	}
	one, two := &budgets{}, &budgets{}
	rows := []struct {
		why    string
		client *budgets
		budget Budget
		host   string
		want   int
	}{
		{"an origin has its own", one, Budget{}, "a", 10},
		{"another too", one, Budget{}, "b", 10},
		{"the first one's is used up", one, Budget{}, "a", 0},
		{"a host has no case", one, Budget{}, "A", 0},
		{"but not for another client", two, Budget{}, "a", 10},
		{"a client has one for all origins", one, Budget{Scope: PerClient}, "a", 10},
		{"which is used up", one, Budget{Scope: PerClient}, "c", 0},
		{"a namespace is apart", one, Budget{Scope: PerClient, Namespace: "jobs"}, "c", 10},
		{"a shared origin", one, Budget{Store: store}, "a", 10},
		{"is used up for all clients", two, Budget{Store: store}, "a", 0},
		{"a client in a store", one, Budget{Store: store, Scope: PerClient}, "a", 10},
		{"is not another", two, Budget{Store: store, Scope: PerClient}, "a", 10},
		{"a global one", one, Budget{Store: store, Scope: Global}, "a", 10},
		{"is one", two, Budget{Store: store, Scope: Global}, "z", 0},
		{"other terms are another budget", one, Budget{MaxRetries: 4}, "a", 4},
	}
	for _, row := range rows {
		if got := count(row.client, row.budget, row.host); got != row.want {
			t.Errorf("%s: %d retries, want %d", row.why, got, row.want)
		}
	}
}

func TestAStoreHearsOfRequestsWhenARetryIsAskedFor(t *testing.T) {
	store := &spy{}
	b := Budget{Store: store}
	now := time.Unix(1_700_000_000, 0)
	clock := func() time.Time { return now }
	s := &budgets{}
	for range 25 {
		s.request(&b, origin("a"), now)
	}
	now = now.Add(20 * time.Second)
	for range 7 {
		s.request(&b, origin("a"), now)
	}
	if store.calls != 0 {
		t.Fatal("a first attempt asked the store")
	}
	refund, ok := s.withdraw(context.Background(), &b, origin("a"), clock)
	if !ok || store.last.Requests != 7 || store.last.Key != " origin https://a" || store.last.TTL != DefaultTTL {
		t.Errorf("%v, %+v; want the 7 that are not too old", ok, store.last)
	}
	refund()
	if store.refunds != 1 {
		t.Error("nothing was given back")
	}
	if s.withdraw(context.Background(), &b, origin("a"), clock); store.last.Requests != 0 {
		t.Errorf("%d requests are reported twice", store.last.Requests)
	}
}

func TestAStoreThatFailsIsReplacedByOurOwnBudget(t *testing.T) {
	store := &spy{err: errors.New("no connection")}
	b := Budget{Store: store}
	now := func() time.Time { return time.Unix(1_700_000_000, 0) }
	s := &budgets{}
	n := 0
	for range 50 {
		if _, ok := s.withdraw(context.Background(), &b, origin("a"), now); ok {
			n++
		}
	}
	if n != 10 || store.calls != 50 {
		t.Errorf("%d retries with %d calls, want 10 and 50", n, store.calls)
	}
}

// spy is a store that grants everything.
type spy struct {
	calls, refunds int
	last           Withdrawal
	err            error
}

func (s *spy) Withdraw(_ context.Context, w Withdrawal) (bool, error) {
	s.calls++
	s.last = w
	return s.err == nil, s.err
}

func (s *spy) Refund(context.Context, Withdrawal) error { s.refunds++; return s.err }

func TestOriginsWithoutEndShareOneBudgetAtLast(t *testing.T) {
	now := func() time.Time { return time.Unix(1_700_000_000, 0) }
	s := &budgets{}
	granted := 0
	for i := range 4 * maxPurses {
		if _, ok := s.withdraw(context.Background(), &Budget{}, origin(fmt.Sprint(i)), now); ok {
			granted++
		}
	}
	if len(s.purses.open) > maxPurses || granted != maxPurses+10 {
		t.Errorf("%d budgets, %d retries; want at most %d and %d", len(s.purses.open), granted, maxPurses, maxPurses+10)
	}
	later := func() time.Time { return now().Add(time.Hour) }
	if _, ok := s.withdraw(context.Background(), &Budget{}, origin("late"), later); !ok || len(s.purses.open) != 1 {
		t.Errorf("%v, %d budgets; want those that stood still forgotten", ok, len(s.purses.open))
	}
}
