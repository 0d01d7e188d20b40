package retry

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/retry-lab/retry-lab/classifier"
)

// Validate says what no operation could be run with, all of it in one error;
// nil if the policy is good. [Transport.RoundTrip] and [Do] return that error
// and send nothing.
func (p *Policy) Validate() error {
	if p.plain() {
		return nil
	}
	return errors.Join(append([]error{
		atLeast("max attempts", p.MaxAttempts, 0, "zero means 3"),
		notNegative("attempt timeout", p.AttemptTimeout),
		notNegative("deadline", p.Deadline),
		oneOf("long wait", int(p.LongWait), int(Clamp)),
		p.Backoff.validate(),
		p.Budget.validate(),
		p.Key.validate(),
		headerName("attempt header", p.AttemptHeader),
	}, p.validateLists())...)
}

// plain: nothing that can be wrong is set, as in most policies.
func (p *Policy) plain() bool {
	return p.MaxAttempts >= 0 && p.AttemptTimeout == 0 && p.Deadline == 0 && p.LongWait == 0 &&
		p.Backoff == Backoff{} && p.Budget.plain() && p.Key == nil && p.AttemptHeader == "" &&
		p.RefetchTruncated == 0 && p.Statuses.empty() && p.Methods.empty() && p.Codes.empty()
}

func (c *Changes[T]) empty() bool { return len(c.Add)+len(c.Remove) == 0 }

// both is a value that is added and removed.
func (c *Changes[T]) both() (T, bool) {
	for _, a := range c.Add {
		for _, r := range c.Remove {
			if a == r {
				return a, true
			}
		}
	}
	var none T
	return none, false
}

func (p *Policy) validateLists() error {
	if p.RefetchTruncated < 0 {
		return fmt.Errorf("refetch truncated: %d bytes is negative", p.RefetchTruncated)
	}
	for _, s := range append(p.Statuses.Add[:len(p.Statuses.Add):len(p.Statuses.Add)], p.Statuses.Remove...) {
		if s < 100 || s > 999 {
			return fmt.Errorf("statuses: %d is no status, which has three digits, from 100", s)
		}
	}
	for _, m := range append(p.Methods.Add[:len(p.Methods.Add):len(p.Methods.Add)], p.Methods.Remove...) {
		if m == "" || !token(m) {
			return fmt.Errorf("methods: %q is no name of a method", m)
		}
	}
	for _, c := range append(p.Codes.Add[:len(p.Codes.Add):len(p.Codes.Add)], p.Codes.Remove...) {
		if _, err := classifier.FromNames(c, "", ""); err != nil {
			return fmt.Errorf("codes: %w", err)
		}
	}
	if s, is := p.Statuses.both(); is {
		return fmt.Errorf("statuses: %d is both added and removed", s)
	}
	if m, is := p.Methods.both(); is {
		return fmt.Errorf("methods: %s is both added and removed", m)
	}
	if c, is := p.Codes.both(); is {
		return fmt.Errorf("codes: %s is both added and removed", c)
	}
	return nil
}

func (b Backoff) validate() error {
	if b.Factor != 0 && !(b.Factor >= 1) || math.IsInf(b.Factor, 0) {
		return fmt.Errorf("backoff: factor %v: want a number of at least 1 (zero means 2)", b.Factor)
	}
	if err := errors.Join(notNegative("backoff: base", b.Base), notNegative("backoff: cap", b.Cap)); err != nil {
		return err
	}
	if b.base() > b.limit() {
		return fmt.Errorf("backoff: base %v exceeds cap %v", b.base(), b.limit())
	}
	return errors.Join(
		oneOf("backoff: strategy", int(b.Strategy), int(Fibonacci)),
		oneOf("backoff: jitter", int(b.Jitter), int(AdditiveJitter)),
	)
}

func notNegative(what string, d time.Duration) error {
	if d < 0 {
		return fmt.Errorf("%s %v is negative", what, d)
	}
	return nil
}

func atLeast(what string, n, least int, hint string) error {
	if n < least {
		return fmt.Errorf("%s %d: want at least 1 (%s)", what, n, hint)
	}
	return nil
}

func oneOf(what string, n, last int) error {
	if n < 0 || n > last {
		return fmt.Errorf("%s %d is none of those there are", what, n)
	}
	return nil
}

// share wants a finite number that is not negative.
func share(what string, f float64) error {
	if !(f >= 0) || math.IsInf(f, 0) {
		return fmt.Errorf("%s %v: want a number of at least 0", what, f)
	}
	return nil
}

// headerName wants the name of a field, or nothing.
func headerName(what, name string) error {
	if !token(name) {
		return fmt.Errorf("%s %q is no name of a header field", what, name)
	}
	return nil
}

// token tells whether s has no byte that a token may not have (RFC 9110 section
// 5.6.2). It may be empty.
func token(s string) bool {
	const marks = "!#$%&'*+-.^_`|~"
	for _, c := range []byte(s) {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		if !letter && strings.IndexByte(marks, c) < 0 {
			return false
		}
	}
	return true
}
