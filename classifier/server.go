package classifier

import (
	"bytes"
	"time"
)

// heard is what a response's header says about sending the request again,
// before its values are parsed.
type heard struct {
	received                    time.Time
	date, age                   []string
	retryAfter                  []string
	millis                      [3][]string // Retry-After in milliseconds, by vendors
	pushback                    []string
	rateLimit, remaining, reset []string
	proxyStatus                 []string
	gateway, veto, dropped      bool
}

// listen reads a header in one pass.
func (h *heard) listen(r *Response) {
	for field, values := range r.Header {
		switch field {
		case "Date":
			h.date = values
		case "Age":
			h.age = values
		case "Retry-After":
			h.retryAfter = values
		case "Retry-After-Ms":
			h.millis[0] = values
		case "X-Ms-Retry-After-Ms":
			h.millis[1] = values
		case "X-Amz-Retry-After":
			h.millis[2] = values
		case "Grpc-Retry-Pushback-Ms":
			h.pushback = values
		case "Ratelimit":
			h.rateLimit = values
		case "X-Ratelimit-Remaining":
			h.remaining = values
		case "X-Ratelimit-Reset":
			h.reset = values
		case "X-Should-Retry", "Stripe-Should-Retry":
			h.veto = h.veto || says(values, "false")
		case "Idempotent-Replayed", "Request-Idempotency": // the stored answer, and always will be
			h.veto = h.veto || says(values, "true")
		case "Proxy-Status":
			h.proxyStatus, h.gateway = values, true
		case "X-Envoy-Overloaded": // dropped before any upstream was asked
			h.dropped, h.gateway = true, true
		case "Server":
			h.gateway = h.gateway || gatewayServer(values)
		default:
			h.gateway = h.gateway || gatewayField(field)
		}
	}
}

// says tells whether one of the values is the word.
func says(values []string, word string) bool {
	for _, v := range values {
		if trimOWS(v) == word {
			return true
		}
	}
	return false
}

// hear enters what the response says about sending the request again, and
// what follows from that for whether it was processed.
func (f *Failure) hear(r *Response) {
	h := heard{received: r.Received}
	h.listen(r)
	proxy := readProxyStatus(h.proxyStatus)
	wait, said := statedWait(&h)
	s := ServerSays{Wait: wait, HasWait: said, Gateway: h.gateway, Veto: h.veto || badPushback(h.pushback)}

	switch f.Status {
	case 503:
		s.Shed = said || h.dropped || proxy.never
	case 408, 413, 429:
		s.Shed = said || proxy.never
	case 409:
		s.Exists = saysExists(r.Body)
	}
	if !said && rateLimited(f.Status) {
		s.Wait, s.HasWait = rateLimitWait(&h)
	}
	f.Server = s
	f.weigh(proxy)
}

// weigh corrects Processed where a proxy's word is worth more or less than the
// status. A gateway's 503 or 408 speaks for the gateway: it may have come
// after the origin had the request, unless there is evidence of the contrary.
func (f *Failure) weigh(proxy proxyStatus) {
	switch f.Status {
	case 408, 503:
		switch {
		case proxy.maybe:
			f.Server.Shed = false
			f.Processed, f.Basis = Maybe, Assumed
		case f.Server.Gateway && !f.Server.Shed:
			f.Processed, f.Basis = Maybe, Assumed
		}
	case 502, 504:
		if proxy.never {
			f.Processed, f.Basis = Never, Claimed
		}
	default:
		return
	}
	f.Server.Permanent = proxy.never && proxy.permanent
}

// rateLimited: on these statuses a rate limit's own fields say when; on others
// they are about the next request.
func rateLimited(status int) bool {
	switch status {
	case 403, 420, 429, 503, 529:
		return true
	}
	return false
}

// maxBody bounds how much of a body is looked at.
const maxBody = 4 << 10

// saysExists finds a 409's "already exists" in the beginning of its body.
func saysExists(body []byte) bool {
	body = body[:min(len(body), maxBody)]
	if len(body) == 0 {
		return false
	}
	body = bytes.ToLower(body)
	for _, words := range [...]string{"already exists", "already_exists", "alreadyexists", "already-exists", "duplicate"} {
		if bytes.Contains(body, []byte(words)) {
			return true
		}
	}
	return false
}

// seconds turns whole seconds into a Duration, as long as it can be.
func seconds(n int64) time.Duration {
	const most = int64(1<<63-1) / int64(time.Second)
	switch {
	case n <= 0:
		return 0
	case n > most:
		return 1<<63 - 1
	}
	return time.Duration(n) * time.Second
}
