package retry

import (
	"context"
	"log/slog"
	"math"
	"net/http"
	"time"

	"github.com/retry-lab/retry-lab/classifier"
)

// Policy says how a request is tried again. The zero value is safe and good.
// It is read only; do not change one that is in use.
type Policy struct {
	// MaxAttempts bounds the tries of one operation, the first included. Zero
	// means DefaultMaxAttempts, as in the zero policy; 1 means that nothing is
	// tried again; less than zero is an error. Where this machine ran out of
	// something (ports, descriptors, a place in the pool), one retry is all there
	// is.
	MaxAttempts int

	// SingleRetry: at most one retry, as RFC 9110 section 9.2.2 has it ("a
	// client SHOULD NOT automatically retry a failed automatic retry").
	SingleRetry bool

	// Backoff is the client's own wait between two attempts. The first retry
	// comes at once, instead, where waiting is of no use to anybody: the protocol
	// promises that the request was not processed (HTTP/2 REFUSED_STREAM, GOAWAY),
	// a kept connection had gone stale before anything was sent or in a way after
	// which net/http would have sent the request again by itself, or an answer
	// asked for a change (411, 417, 421, 425).
	Backoff Backoff

	// AttemptTimeout bounds one attempt, the reading of its response's body
	// included; zero means no bound. Deadline bounds the whole operation,
	// waits and body included; zero means the context's alone. The Timeout of a
	// http.Client ends an operation too, but puts an error of its own in place of
	// the Error.
	AttemptTimeout, Deadline time.Duration

	// MaxWait is the longest wait stated by a server that is kept; zero means
	// classifier.DefaultMaxWait, 60 s, negative means none is. LongWait says
	// what becomes of a longer one.
	MaxWait  time.Duration
	LongWait LongWait

	// Methods.Add are idempotent though the standard does not say so; requests
	// of Methods.Remove are never tried again. Idempotent, if set, decides for
	// each request whether a second delivery has the effect of one, in place of
	// its method.
	Methods    Changes[string]
	Idempotent func(*http.Request) bool

	// Statuses and Codes change which answers and which failures may pass. Add
	// makes one worth another try, which still has to be safe; Remove makes it
	// final.
	Statuses Changes[int]
	Codes    Changes[classifier.Code]

	// Decide, if set, is asked about every attempt, also one that was answered
	// with a success, and may overrule the decision. A retry where there was none
	// has to be safe all the same, unless Unsafe is set: then Decide, Statuses and
	// Codes may have a request sent again that may have been acted on. A server's
	// wait it can lengthen and not shorten, and some failures are final whatever
	// it says: a caller who gave up, a certificate, a request that cannot be sent.
	Decide func(classifier.Failure, classifier.Decision) classifier.Decision
	Unsafe bool

	// Strict: a server's bare claim that it did no work is not enough, see
	// classifier.Policy.
	Strict bool

	// Key says that the server honours idempotency keys, and which; nil: a key
	// in the request proves nothing.
	Key *KeyPolicy

	// Budget bounds retries as a share of all requests.
	Budget Budget

	// BufferBody bounds, in bytes, what is kept of a request body that cannot be
	// rewound otherwise; zero means DefaultBufferBody, negative means nothing.
	// A longer body is sent once.
	BufferBody int64

	// RefetchTruncated holds back so many bytes of the response of a request
	// that may be repeated, so that a body that breaks off within them is
	// fetched again. A longer body is passed on as it comes; where it breaks
	// off, it is resumed by a range, if the server gave it a strong ETag. Zero
	// means that nothing is held back or resumed.
	RefetchTruncated int64

	// RefreshAuth, if set, is called once when an answer is 401: it puts fresh
	// credentials into the header of next, which is then sent, beyond
	// MaxAttempts and without a wait. refused is the answer; its body is not
	// RefreshAuth's. An error ends the operation with the 401.
	RefreshAuth func(ctx context.Context, next *http.Request, refused *http.Response) error

	// ErrorOnStatus: an answer that would be tried again, were there attempts,
	// time or budget left, is an Error. Without it, it is the response.
	ErrorOnStatus bool

	// AttemptHeader is a header field that carries the attempt's number, such as
	// "X-Retry-Attempt"; empty: none.
	AttemptHeader string

	// OnRetry is called before each wait, OnDone when the operation is over;
	// both by the goroutine of the operation. Nil: not called.
	OnRetry func(Event)
	OnDone  func(Report)

	// Logger gets one record an attempt: debug for a success, info for one that
	// is tried again, warn for the last failed one. Nil: none.
	Logger *slog.Logger

	// Sleep waits, or returns the context's error; nil: a timer. Now tells the
	// time; nil: time.Now. Rand returns a number in [0, 1); nil: math/rand/v2.
	Sleep func(context.Context, time.Duration) error
	Now   func() time.Time
	Rand  func() float64
}

// The zero Policy's values.
const (
	DefaultMaxAttempts = 3
	DefaultBufferBody  = 1 << 20
)

// Changes are additions to and removals from a list.
type Changes[T comparable] struct{ Add, Remove []T }

// LongWait says what becomes of a server's wait beyond Policy.MaxWait.
type LongWait int

// Stop ends the operation and hands the wait to the caller: a server's wait is
// not shortened. Clamp waits for MaxWait and tries then, which the server has
// asked not to do.
const (
	Stop LongWait = iota
	Clamp
)

func (w LongWait) String() string { return nameOf([]string{"stop", "clamp"}, int(w)) }

// maxAttempts is MaxAttempts with its zero value and SingleRetry resolved.
func (p *Policy) maxAttempts() int {
	n := p.MaxAttempts
	if n == 0 {
		n = DefaultMaxAttempts
	}
	if p.SingleRetry {
		n = min(n, 2)
	}
	return n
}

// maxWait is MaxWait with its zero and negative values resolved.
func (p *Policy) maxWait() time.Duration {
	switch {
	case p.MaxWait == 0:
		return classifier.DefaultMaxWait
	case p.MaxWait < 0:
		return 0
	}
	return p.MaxWait
}

// judged is the policy as the classifier sees it.
func (p *Policy) judged() classifier.Policy {
	if p.LongWait == Clamp {
		return classifier.Policy{Strict: p.Strict, MaxWait: math.MaxInt64}
	}
	return classifier.Policy{Strict: p.Strict, MaxWait: p.MaxWait}
}

func (p *Policy) bufferBody() int64 {
	switch {
	case p.BufferBody == 0:
		return DefaultBufferBody
	case p.BufferBody < 0:
		return 0
	}
	return p.BufferBody
}
