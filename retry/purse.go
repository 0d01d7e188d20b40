package retry

import (
	"math"
	"time"
)

// A purse is the money of one budget: a retry costs one coin. It is not safe
// for concurrent use. All sums are in billionths of a coin, so that none is
// lost to rounding.
type purse struct {
	terms Withdrawal

	// What requests have brought in, by the tenth of the TTL in which they did,
	// counted from epoch; the oldest tenth falls out. slot is the number of the
	// newest.
	slots [purseSlots]int64
	slot  int64
	epoch time.Time

	// What time has brought in since last.
	floor int64
	last  time.Time

	// Of a fixed count: the retries made in the window that began at start.
	start time.Time
	used  int
}

const (
	purseSlots = 10
	coin       = int64(1e9)
	fullPurse  = math.MaxInt64 / 4
)

func newPurse(terms Withdrawal, now time.Time) *purse {
	p := &purse{terms: terms, last: now, epoch: now}
	p.floor = p.floorCap()
	return p
}

// slotAt is the number of the tenth that now is in. It is the time that has
// passed which counts, so that a wall clock that is set moves nothing.
func (p *purse) slotAt(now time.Time) int64 {
	return int64(now.Sub(p.epoch) / (p.terms.TTL / purseSlots))
}

// floorCap is what the floor comes to at most: the burst that is free. It is
// never less than one retry.
func (p *purse) floorCap() int64 {
	return max(coin, int64(min(p.terms.Floor*float64(p.terms.TTL), float64(fullPurse))))
}

// advance lets time pass. A clock that goes back stands still here.
func (p *purse) advance(now time.Time) {
	newest := p.slotAt(now)
	for passed := min(newest-p.slot, purseSlots); passed > 0; passed-- {
		p.slots[mod(newest-passed+1)] = 0
	}
	p.slot = max(p.slot, newest)
	if elapsed := now.Sub(p.last); elapsed > 0 {
		earned := int64(min(float64(elapsed)*p.terms.Floor, float64(fullPurse)))
		p.floor = min(p.floor+earned, p.floorCap())
		p.last = now
	}
}

func mod(slot int64) int64 { return (slot%purseSlots + purseSlots) % purseSlots }

// deposit enters first attempts.
func (p *purse) deposit(now time.Time, requests int) {
	if p.terms.MaxRetries > 0 || requests <= 0 {
		return
	}
	p.advance(now)
	p.pay(min(float64(requests)*p.terms.Ratio*float64(coin), float64(fullPurse)))
}

// pay puts a sum into the newest slot.
func (p *purse) pay(sum float64) {
	at := &p.slots[mod(p.slot)]
	*at = min(*at+int64(sum), fullPurse)
}

// withdraw takes one retry, the oldest money first.
func (p *purse) withdraw(now time.Time) bool {
	if p.terms.MaxRetries > 0 {
		return p.count(now)
	}
	p.advance(now)
	total := float64(p.floor)
	for _, s := range p.slots {
		total += float64(s)
	}
	if total < float64(coin) {
		return false
	}
	due := coin
	for i := int64(1); i <= purseSlots && due > 0; i++ {
		at := &p.slots[mod(p.slot+i)]
		part := min(*at, due)
		*at, due = *at-part, due-part
	}
	p.floor -= due
	return true
}

// count takes one retry of a fixed number.
func (p *purse) count(now time.Time) bool {
	if p.start.IsZero() || now.Sub(p.start) >= p.terms.Window {
		p.start, p.used = now, 0
	}
	if p.used >= p.terms.MaxRetries {
		return false
	}
	p.used++
	return true
}

// refund gives one retry back.
func (p *purse) refund(now time.Time) {
	if p.terms.MaxRetries > 0 {
		p.used = max(p.used-1, 0)
		return
	}
	p.advance(now)
	p.pay(float64(coin))
}
