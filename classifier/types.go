package classifier

import (
	"net/http"
	"time"
)

// Failure is what happened to one attempt, whether or not it may be repeated.
// It is a plain value: it holds no error and can be logged, compared and sent.
type Failure struct {
	Code      Code      `json:"code"`
	Syscall   Syscall   `json:"syscall"`
	Phase     Phase     `json:"phase"`
	Processed Processed `json:"processed"`
	Basis     Basis     `json:"basis"`

	// Status is the response's status, 0 where there was none. With the code
	// PROXY it is what the proxy answered to CONNECT, which is no response to
	// the request.
	Status int `json:"status"`

	// Server is what the response said about sending again: its wait, a veto,
	// a mark of an intermediary. Zero where there was no response.
	Server ServerSays `json:"server"`

	_ int64 // to a multiple of 16 bytes: copying is most of what a decision costs
}

// Response is the part of an HTTP response that a verdict needs.
type Response struct {
	Status int
	Header http.Header

	// Received is when the head arrived. It is used only where a date has to
	// be turned into a wait and the response has no Date of its own. The zero
	// value makes such a date unusable.
	Received time.Time

	// Body is the beginning of the body, where the caller has read it; nil
	// where not. It is looked at for one thing only: a 409 that says "already
	// exists" is not the first request with the same key still running. Not
	// more than 4 KiB of it is read.
	Body []byte

	// Earlier is what became of the requests that were sent before the one
	// that this answers: a redirect was followed, or the transport sent it
	// again by itself. See [Evidence.Earlier]. Empty: there were none.
	Earlier Processed
}

// Request is the part of an HTTP request that a verdict needs.
type Request struct {
	// Method as RFC 9110 section 9 spells it; empty means GET, as in net/http.
	Method string

	// Key: it carries an idempotency key. KeyHonoured: and the server is known
	// to honour it. A key alone proves nothing (draft-ietf-httpapi-
	// idempotency-key-header, section 2.7: a client "cannot assume" it).
	Key, KeyHonoured bool

	// BodyReplayable: the body can be sent again from its first byte. True for
	// a request without a body. The zero value is the cautious one.
	BodyReplayable bool

	// AfterMaybe: an earlier attempt of the same operation may have been
	// processed, so that a 409, 404 or 412 now may be the echo of our own work.
	AfterMaybe bool

	// Tried holds the modifications this operation has already used; each is
	// worth one attempt.
	Tried []Modification
}

// Policy is the caller's choice.
type Policy struct {
	// Strict: a server's bare claim that it did no work is not enough; a 503
	// or 408 needs evidence (Retry-After, Proxy-Status, a shedding header).
	Strict bool

	// MaxWait is the longest server-stated wait that is still slept through; a
	// longer one is Stop. Zero means DefaultMaxWait, negative means none is.
	MaxWait time.Duration
}

// maxWait is MaxWait with its zero and negative values resolved.
func (p *Policy) maxWait() time.Duration {
	switch {
	case p.MaxWait == 0:
		return DefaultMaxWait
	case p.MaxWait < 0:
		return 0
	}
	return p.MaxWait
}

// DefaultMaxWait is the MaxWait of the zero Policy.
const DefaultMaxWait = 60 * time.Second

// Decision is the answer.
type Decision struct {
	Verdict Verdict      `json:"verdict"`
	Reason  Reason       `json:"reason"`
	Modify  Modification `json:"modify,omitempty"`

	// Wait is the server's own wait, to be kept in full before any backoff of
	// the client's; 0 where it named none. With Stop it is the wait that was
	// too long.
	Wait time.Duration `json:"-"`
}

// ServerSays is what a response said about sending the request again.
type ServerSays struct {
	// Wait is the longest valid wait the response named; HasWait tells a
	// stated zero from none. Both forms of Retry-After, and its relatives.
	Wait    time.Duration `json:"-"`
	HasWait bool          `json:"has_wait"`

	// Shed: the response carries evidence that no work was begun (Retry-After
	// on 503 or 429, a Proxy-Status error of the never-set, a vendor's
	// shedding header). Gateway: it bears the mark of an intermediary, which
	// cannot speak for the origin. Veto: it forbids sending again.
	Shed    bool `json:"shed"`
	Gateway bool `json:"gateway"`
	Veto    bool `json:"veto"`

	// Permanent: a proxy says that the condition will not pass (Proxy-Status:
	// RFC 9209 section 2.3). Exists: the body of a 409 says that the thing
	// exists already, so no first request is still running.
	Permanent bool `json:"permanent"`
	Exists    bool `json:"exists"`
}
