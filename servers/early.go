package servers

import (
	"fmt"
	"net/http"
)

// EarlyOptions make an answer that does not wait for the body.
type EarlyOptions struct {
	Options

	// Status is the answer, 200 to 999; zero means 413.
	Status int

	// Drain makes the close a lingering one: the FIN follows the answer, and
	// what the client still sends is read and dropped until it leaves.
	Drain bool
}

// NewEarly answers on the head of a request, reads nothing of its body, and
// ends the connection.
//
// A close with the upload under way is a reset, and a client that is writing
// may meet the reset before it reads the answer (RFC 9112 section 9.6). With
// Drain, and with a client that holds its body back (Expect: 100-continue),
// there is nothing to reset and the answer arrives.
func NewEarly(o EarlyOptions) (*Server, error) {
	if o.Status == 0 {
		o.Status = http.StatusRequestEntityTooLarge
	}
	if o.Status < 200 || o.Status > 999 {
		return nil, fmt.Errorf("status %d is not a final one: want 200 to 999", o.Status)
	}
	return start(o.Options, http1(func(x *Exchange) {
		h := http.Header{"Connection": {"close"}}
		if !o.Drain {
			_ = x.Answer(o.Status, h, "") // the ledger has it: answered stays 0
			return
		}
		if x.Send(x.composed(o.Status, h, ""), o.Status) == nil {
			x.c.CloseWrite()
			x.Stall()
		}
	}))
}
