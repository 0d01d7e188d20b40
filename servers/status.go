package servers

import (
	"net/http"
	"time"
)

// NewStatus answers every request, once its body is read, with status and the
// header made for that moment; a nil header adds nothing. now is also the
// response's Date, so that a date in the header and Date share one instant.
func NewStatus(o Options, status int, header func(now time.Time) http.Header) (*Server, error) {
	return start(o, http1(func(x *Exchange) {
		if x.ReadBody() != nil {
			return
		}
		h := http.Header{}
		now := time.Now().UTC()
		if header != nil {
			h = header(now)
		}
		if h.Get("Date") == "" {
			h.Set("Date", now.Format(http.TimeFormat))
		}
		_ = x.Answer(status, h, "") // the ledger has it: answered stays 0
	}))
}

// Header makes the header function of fixed names and values, given in turn.
func Header(namesAndValues ...string) func(time.Time) http.Header {
	return func(time.Time) http.Header {
		h := http.Header{}
		for i := 0; i+1 < len(namesAndValues); i += 2 {
			h.Add(namesAndValues[i], namesAndValues[i+1])
		}
		return h
	}
}
