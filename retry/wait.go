package retry

import (
	"slices"
	"time"

	"github.com/retry-lab/retry-lab/classifier"
)

// attemptsFor is how many attempts a reason is worth. Where this machine ran
// out of something, more of the same makes it worse.
func (o *operation) attemptsFor(why classifier.Reason) int {
	n := o.p.maxAttempts()
	if why == classifier.LocalResource {
		return min(n, 2)
	}
	return n
}

// pace is how soon the next attempt comes.
type pace int

const (
	steady pace = iota // after a wait
	prompt             // at once
	free               // at once, and not at the budget's expense
)

// paceOf: the first time that nothing can have reached anybody who was in
// trouble, there is nothing to wait for. So it is after a refusal that the
// protocol promises, which costs no budget (gRPC proposal A6 calls that a
// transparent retry), and after a change that the server asked for; p is the
// pace of what became of the connection.
func (o *operation) paceOf(d classifier.Decision, p pace) pace {
	switch {
	case d.Wait > 0:
		return steady
	case d.Modify == ModifyCredentials:
		return free
	case d.Modify == classifier.ModifyHTTP1:
		return steady
	case d.Modify != classifier.ModifyNothing && !slices.Contains(o.tried, d.Modify):
		return prompt
	case o.hurried || d.Modify != classifier.ModifyNothing:
		return steady
	case d.Reason == classifier.ProtocolPromise:
		return free
	}
	return p
}

// wait is the wait before the next attempt, and the part of it that the server
// asked for. Jitter lies above that part, so that it is never shortened.
func (o *operation) wait(d classifier.Decision) (wait, asked time.Duration) {
	b, retry := o.p.Backoff, o.n-o.beyond
	asked = d.Wait
	if o.p.LongWait == Clamp {
		asked = min(asked, o.p.maxWait())
	}
	if asked <= 0 {
		return b.Wait(retry, o.waited, o.p.random), 0
	}
	if b.Jitter == NoJitter {
		return asked, asked
	}
	more := between(0, min(b.base(), asked/10+b.base()), o.p.random)
	if asked > maxDuration-more {
		return maxDuration, asked
	}
	return asked + more, asked
}

const maxDuration = time.Duration(1<<63 - 1)
