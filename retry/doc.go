// Package retry sends HTTP requests again where that is safe and worth it, and
// only there. [Transport] is a http.RoundTripper:
//
//	client := &http.Client{Transport: &retry.Transport{}}
//
// The zero [Policy] is meant to be used as it is: three attempts, exponential
// backoff from one second with full jitter, the server's Retry-After kept in
// full, and a budget, so that a server in trouble is not buried under retries.
//
// Whether a request may be sent again is decided by package classifier, from
// what package trace has seen of the attempt: a request that may have been
// acted on is sent again only if its method is idempotent, if the server
// honours its idempotency key, or if the caller says so. net/http's own silent
// replays are switched off, so that the policy is the only one who retries. It
// does not say why it was about to replay over HTTP/2: a bare POST without a
// body that the server refused unread is then ambiguous.
//
// What comes out is a response, also the last failed one, with its body
// unread; [Attempts] and [ReportOf] tell the rest. Only where there is no
// response is there an error: see [Error].
//
// [Do] is the same for any function.
package retry
