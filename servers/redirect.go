package servers

import (
	"fmt"
	"net/http"
)

// RedirectOptions make a server that sends every request elsewhere.
type RedirectOptions struct {
	Options

	// Status is 301, 302, 303, 307 or 308; zero means 302.
	Status int

	// To is the Location; empty means the path that was asked for, so that who
	// follows comes back for ever.
	To string
}

// NewRedirect reads every request whole and answers it with a redirect. With
// 301, 302 and 303 the answer is about work that was done, so it commits
// requests that ask for some; with 307 and 308 it says that it did not act, and
// does not (RFC 9110 section 15.4).
//
// A client that comes back because it was told to is no replay.
func NewRedirect(o RedirectOptions) (*Server, error) {
	acts := false
	switch o.Status {
	case 0:
		o.Status, acts = http.StatusFound, true
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther:
		acts = true
	case http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
	default:
		return nil, fmt.Errorf("status %d is no redirect that clients follow: want 301, 302, 303, 307 or 308", o.Status)
	}
	return start(o.Options, http1(func(x *Exchange) {
		x.c.last.set(func(d *Delivery) { d.Replay = false })
		if x.ReadBody() != nil {
			return
		}
		if m := x.Request.Method; acts && m != http.MethodGet && m != http.MethodHead {
			x.Commit()
		}
		to := o.To
		if to == "" {
			to = x.Request.URL.Path
		}
		_ = x.Answer(o.Status, http.Header{"Location": {to}}, "") // the ledger has it: answered stays 0
	}))
}
