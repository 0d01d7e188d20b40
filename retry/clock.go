package retry

import (
	"context"
	"math/rand/v2"
	"time"
)

// now tells the time.
func (p *Policy) now() time.Time {
	if p.Now != nil {
		return p.Now()
	}
	return time.Now()
}

// random is a number in [0, 1], whatever Rand returns.
func (p *Policy) random() float64 {
	if p.Rand == nil {
		return rand.Float64()
	}
	if r := p.Rand(); r >= 0 && r <= 1 {
		return r
	}
	return 1
}

// sleep waits for d, or returns why the context ended.
func (p *Policy) sleep(ctx context.Context, d time.Duration) error {
	if p.Sleep != nil {
		return p.Sleep(ctx, d)
	}
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
