package retry

import (
	"errors"
	"time"
)

// Permanent marks an error as one that will not pass: it is not tried again.
// Do returns err itself. Nil stays nil.
func Permanent(err error) error { return marked(err, mark{permanent: true}) }

// Safe marks an error as one after which nothing was done, so that a second
// try cannot do it twice. A bare write is tried again only after such an error.
// Nil stays nil.
func Safe(err error) error { return marked(err, mark{safe: true}) }

// After adds to an error how long the server asked to wait before the next
// try. It is kept in full, see Policy.MaxWait. Whether there is a next try it
// does not say. A negative wait counts as 0; nil stays nil.
func After(err error, wait time.Duration) error {
	return marked(err, mark{after: true, wait: max(wait, 0)})
}

// Halt marks an error as a refusal on our own side, before anything was sent,
// after which another try now is of no use: a circuit breaker that is open.
// The operation ends with the verdict stop. Nil stays nil.
func Halt(err error) error { return marked(err, mark{halt: true}) }

// mark is what the functions above say of an error.
type mark struct {
	permanent, safe, after, halt bool
	wait                         time.Duration
}

type markedError struct {
	err error
	mark
}

func marked(err error, m mark) error {
	if err == nil {
		return nil
	}
	return &markedError{err, m}
}

func (e *markedError) Error() string { return e.err.Error() }
func (e *markedError) Unwrap() error { return e.err }

// marksOf gathers the marks of an error, and returns it without those at its
// top.
func marksOf(err error) (all mark, plain error) {
	for e, ok := errors.AsType[*markedError](err); ok; e, ok = errors.AsType[*markedError](e.err) {
		all.permanent = all.permanent || e.permanent
		all.safe = all.safe || e.safe
		all.halt = all.halt || e.halt
		if e.after {
			all.after, all.wait = true, max(all.wait, e.wait)
		}
	}
	for {
		e, ok := err.(*markedError)
		if !ok {
			return all, err
		}
		err = e.err
	}
}
