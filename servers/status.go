package servers

import (
	"fmt"
	"net/http"
	"time"
)

// NewStatus answers every request, once its body is read, with status and the
// header made for that moment; a nil header adds nothing. now is also the
// response's Date, so that a date in the header and Date share one instant.
// The status is a final one, 200 to 999: RFC 9110 section 15 says what a
// client makes of those that are in no registry.
func NewStatus(o Options, status int, header func(now time.Time) http.Header) (*Server, error) {
	return newStatus(o, status, header, func(*Exchange) {})
}

// NewCommitted is NewStatus for a server that does the work first, whatever it
// then answers.
func NewCommitted(o Options, status int, header func(now time.Time) http.Header) (*Server, error) {
	return newStatus(o, status, header, (*Exchange).Commit)
}

func newStatus(o Options, status int, header func(now time.Time) http.Header, work func(*Exchange)) (*Server, error) {
	if status < 200 || status > 999 {
		return nil, fmt.Errorf("status %d is not a final one: want 200 to 999", status)
	}
	return start(o, http1(func(x *Exchange) {
		if x.ReadBody() != nil {
			return
		}
		work(x)
		now := time.Now().UTC()
		h := http.Header{}
		if header != nil {
			for name, values := range header(now) { // theirs may be shared
				h[name] = values
			}
		}
		if h.Get("Date") == "" {
			h.Set("Date", now.Format(http.TimeFormat))
		}
		_ = x.Answer(status, h, "") // the ledger has it: answered stays 0
	}))
}

// Header makes the header function of fixed names and values, given in turn; a
// name may come more than once. It panics if a value is missing.
func Header(namesAndValues ...string) func(time.Time) http.Header {
	if len(namesAndValues)%2 != 0 {
		panic("servers.Header: odd argument count")
	}
	h := http.Header{}
	for i := 0; i < len(namesAndValues); i += 2 {
		h.Add(namesAndValues[i], namesAndValues[i+1])
	}
	return func(time.Time) http.Header { return h }
}
