package classifier

import "net/http"

// RequestOf takes from a request what a verdict needs. keyHonoured says
// whether the server is known to honour the idempotency key that the request
// carries; without a key it means nothing. A key is Idempotency-Key or
// X-Idempotency-Key, the two that net/http knows. The body counts as
// replayable where there is none or where GetBody can make it again.
func RequestOf(r *http.Request, keyHonoured bool) Request {
	key := r.Header.Get("Idempotency-Key") != "" || r.Header.Get("X-Idempotency-Key") != ""
	return Request{
		Method:         r.Method,
		Key:            key,
		KeyHonoured:    key && keyHonoured,
		BodyReplayable: r.Body == nil || r.Body == http.NoBody || r.GetBody != nil,
	}
}

// repeatable tells whether a second delivery of the request has the effect of
// one: by its method, or because the server honours its key.
func (r *Request) repeatable() bool {
	return r.Key && r.KeyHonoured || idempotent(r.Method)
}

// idempotent methods are those of RFC 9110 section 9.2.2, QUERY of RFC 10008
// and the reading ones of WebDAV. PATCH is not (RFC 5789 section 2).
func idempotent(method string) bool {
	return method == "PUT" || method == "DELETE" || safe(method)
}

// safe methods ask and do nothing (RFC 9110 section 9.2.1).
func safe(method string) bool {
	switch method {
	case "", "GET", "HEAD", "OPTIONS", "TRACE", "QUERY", "PROPFIND", "REPORT", "SEARCH":
		return true
	}
	return false
}
