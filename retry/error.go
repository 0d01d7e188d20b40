package retry

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/retry-lab/retry-lab/classifier"
)

// ErrExhausted is in every Error that ends an operation which had an attempt,
// time or budget too few: all but those of a caller who gave up, and those that
// say AMBIGUOUS.
var ErrExhausted = errors.New("retries exhausted")

// A Code says how an operation ended without a response.
type Code string

// The codes of an Error.
const (
	CodeMaxAttempts Code = "MAX_ATTEMPTS" // tried as often as the policy allows
	CodeStopped     Code = "STOPPED"      // ended before that: a deadline, a budget, the caller, a failure that will not pass
	CodeAmbiguous   Code = "AMBIGUOUS"    // it may have worked, and must not be sent again: find out first
)

// An Error is an operation that ended without a response. What ended at its
// first attempt because it will never work, or because nobody can know whether
// it did, is not wrapped: that error comes out as it was.
type Error struct {
	Code   Code
	Method string // empty for Do
	URL    string // without a password; empty for Do
	Name   string // Op.Name

	// Attempts are all of them; the last one's Err is Cause unless the operation
	// ended in a wait.
	Attempts []Attempt
	Elapsed  time.Duration
	Reason   classifier.Reason

	// Processed says whether a server may have acted on any of the attempts.
	Processed classifier.Processed

	// Wait is the wait that was too long, 0 where that was not the reason.
	Wait time.Duration

	// Cause is why it ended: the last attempt's error, or that of the context.
	Cause error
}

// Error is one line: what was not reached, after how many tries, and why.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.what())
	fmt.Fprintf(&b, " after %s", tries(len(e.Attempts)))
	if about := e.about(); about != "" {
		b.WriteString(": " + about)
	}
	var why []string
	if e.Code == CodeStopped {
		sentence := Sentence(e.Reason)
		if e.Wait > 0 {
			sentence += fmt.Sprintf(" (%v)", e.Wait)
		}
		why = append(why, sentence)
	}
	if e.Cause != nil {
		why = append(why, e.Cause.Error())
	}
	if len(why) > 0 {
		fmt.Fprintf(&b, " (%s)", strings.Join(why, "; "))
	}
	return b.String()
}

func (e *Error) about() string {
	if e.URL != "" {
		return e.URL
	}
	return e.Name
}

// what happened, in a word or two.
func (e *Error) what() string {
	answered := len(e.Attempts) > 0 && e.Attempts[len(e.Attempts)-1].Status != 0
	switch {
	case e.Code == CodeAmbiguous:
		return "outcome unknown"
	case e.Code == CodeStopped:
		return "stopped"
	case answered || e.URL == "":
		return "failed"
	}
	return "unreachable"
}

func tries(n int) string {
	if n == 1 {
		return "1 try"
	}
	return fmt.Sprintf("%d tries", n)
}

// Unwrap returns ErrExhausted, if it applies, the cause, and the errors of the
// attempts before.
func (e *Error) Unwrap() []error {
	var errs []error
	if e.Code == CodeMaxAttempts || e.Code == CodeStopped && e.exhausted() {
		errs = append(errs, ErrExhausted)
	}
	if e.Cause != nil {
		errs = append(errs, e.Cause)
	}
	for i := len(e.Attempts) - 1; i >= 0; i-- {
		if err := e.Attempts[i].Err; err != nil && err != e.Cause {
			errs = append(errs, err)
		}
	}
	return errs
}

// exhausted: more time or budget would have helped.
func (e *Error) exhausted() bool {
	switch e.Reason {
	case PastDeadline, BudgetUsedUp, classifier.WaitTooLong, AttemptsUsedUp:
		return true
	}
	return false
}

// Timeout tells, as net.Error and url.Error do, whether time ran out.
func (e *Error) Timeout() bool {
	t, ok := errors.AsType[interface {
		error
		Timeout() bool
	}](e.Cause)
	return ok && t.Timeout()
}
