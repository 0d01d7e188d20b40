package servers

import "net/http"

// When says when a server commits.
type When int

const (
	CommitNever  When = iota // the work is never done
	CommitAtOnce             // when the request is complete
	CommitLate               // when the client has left
)

// StallOptions make a server that never finishes its answer.
type StallOptions struct {
	Options

	// Commit is when the side effect happens.
	Commit When

	// Begin sends the head of a 200 and half of its body before it stalls.
	Begin bool
}

// NewStall reads every request whole and never finishes its answer: it waits
// until the client leaves. What a client's timer ends is a wait; whether the
// work was done, never, before or after that, the options say and the client
// cannot see.
func NewStall(o StallOptions) (*Server, error) {
	return start(o.Options, http1(func(x *Exchange) {
		if x.ReadBody() != nil {
			return
		}
		if o.Commit == CommitAtOnce {
			x.Commit()
		}
		if o.Begin && x.Send(cut(response(wholeBody, ""), len(wholeBody)/2), http.StatusOK) != nil {
			return
		}
		x.Stall()
		if o.Commit == CommitLate && x.c.gone {
			x.Commit()
		}
	}))
}
