package retry

import (
	"net/http"

	"github.com/retry-lab/retry-lab/classifier"
)

// before is what became of the requests that a redirect came from: answered
// with 301, 302 or 303 one was acted on; with 307 or 308 its server says that
// it was not (RFC 9110 section 15.4).
func before(r *http.Request) (classifier.Processed, classifier.Basis) {
	var h history
	for hop, left := r.Response, maxHops; hop != nil && hop.Request != nil && left > 0; hop, left = hop.Request.Response, left-1 {
		if safe(hop.Request.Method) {
			continue
		}
		switch hop.StatusCode {
		case http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
			h.note(classifier.Never, classifier.Claimed)
			if r, ours := ReportOf(hop); ours {
				h.note(r.Processed, r.Basis) // an attempt before that answer may have worked
			}
		default:
			h.note(classifier.Yes, classifier.Claimed)
		}
	}
	return h.processed, h.basis
}

// maxHops bounds how many redirects are looked back on.
const maxHops = 100

// safe methods ask and do nothing (RFC 9110 section 9.2.1, RFC 10008).
func safe(method string) bool {
	switch method {
	case "", "GET", "HEAD", "OPTIONS", "TRACE", "QUERY", "PROPFIND", "REPORT", "SEARCH":
		return true
	}
	return false
}
