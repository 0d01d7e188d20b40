package retry

import (
	"net/http"
	"time"

	"github.com/retry-lab/retry-lab/classifier"
)

// history is what an operation has to remember once its first attempt was not
// all there was to it. Most never need one.
type history struct {
	beyond  int // attempts that MaxAttempts does not count
	waited  time.Duration
	hurried bool // a retry without a wait was made
	tried   []classifier.Modification
	refund  func() // of the last withdrawal; nil: none
	doubt   bool   // an attempt may have been acted on

	// The worst of the attempts, and of the requests a redirect came from.
	processed classifier.Processed
	basis     classifier.Basis

	attempts []Attempt
	last     classifier.Decision // the operation's last word

	// Of a request:
	method string      // as the classifier is to see it
	said   bool        // the policy says that it is idempotent, its method does not
	header http.Header // what is sent in place of the caller's; nil: the caller's
	fresh  bool        // credentials were refreshed
	rest   rangeOf     // of the response, once its beginning has been passed on
}

// note takes an attempt's outcome into that of the operation, which is the
// worst of them.
func (h *history) note(p classifier.Processed, basis classifier.Basis) {
	worse := h.processed.Worse(p)
	switch {
	case worse != h.processed:
		h.processed, h.basis = worse, basis
	case p == worse && rank(basis) > rank(h.basis):
		h.basis = basis
	}
}

// rank orders what an outcome rests on: what is least certain counts.
func rank(b classifier.Basis) int {
	switch b {
	case classifier.Guaranteed:
		return 1
	case classifier.Claimed:
		return 2
	case classifier.Assumed:
		return 3
	}
	return 0
}

// newest is the attempt that was entered last.
func (h *history) newest() *Attempt { return &h.attempts[len(h.attempts)-1] }

// remember makes the history of a call, if it has none yet.
func (c *call) remember() *history {
	if c.history == nil {
		c.history = &history{}
		c.method, c.said = c.p.methodAs(c.in)
		c.note(before(c.in))
		c.doubt = c.processed == classifier.Maybe
	}
	return c.history
}
