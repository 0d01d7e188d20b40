package retry

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"time"

	"github.com/retry-lab/retry-lab/classifier"
)

// KeyPolicy says that the server recognises a request that it has had before
// by its idempotency key (draft-ietf-httpapi-idempotency-key-header). With it
// a request that has a key may be sent again whatever its method. The zero
// KeyPolicy trusts the keys that requests come with, and makes none.
type KeyPolicy struct {
	// Header is the field's name; empty means Idempotency-Key.
	Header string

	// Where a request has no key: Value is one for all requests with this policy,
	// which must then be one operation's (see [WithPolicy]); New makes one;
	// Auto makes a random one for every request whose method is not idempotent.
	// A key is made once, before the first attempt, and never changes.
	Value string
	New   func(*http.Request) (string, error)
	Auto  bool

	// TTL is how long the server remembers a key, counted from the start of the
	// first attempt; after that a request counts as one without. Zero means
	// DefaultKeyTTL.
	TTL time.Duration

	// StoresErrors: the server stores also an error with its key and answers the
	// same again, so that another try is of no use.
	StoresErrors bool
}

// DefaultKeyTTL is the TTL of the zero KeyPolicy: most servers keep keys for at
// least that long.
const DefaultKeyTTL = 24 * time.Hour

// DefaultKeyHeader is the Header of the zero KeyPolicy.
const DefaultKeyHeader = "Idempotency-Key"

func (k *KeyPolicy) header() string {
	if k.Header == "" {
		return DefaultKeyHeader
	}
	return http.CanonicalHeaderKey(k.Header)
}

func (k *KeyPolicy) ttl() time.Duration {
	if k.TTL == 0 {
		return DefaultKeyTTL
	}
	return k.TTL
}

// keyFor is the key to add to a request, empty if it has one or gets none. A
// redirect that keeps the method goes on with the same operation: http.Client
// has the caller's header, and not the key that was added to it.
func (k *KeyPolicy) keyFor(r *http.Request, idempotent bool) (string, error) {
	switch carried := k.carried(r); {
	case r.Header.Get(k.header()) != "":
		return "", nil
	case carried != "" && !idempotent:
		return carried, nil
	case k.Value != "":
		return k.Value, nil
	case k.New != nil:
		key, err := k.New(r)
		if err != nil {
			return "", fmt.Errorf("make idempotency key: %w", err)
		}
		return key, nil
	case k.Auto && !idempotent:
		return newKey(), nil
	}
	return "", nil
}

// carried is the key of the request that a redirect came from.
func (k *KeyPolicy) carried(r *http.Request) string {
	if r.Response == nil || r.Response.Request == nil {
		return ""
	}
	return r.Response.Request.Header.Get(k.header())
}

// keyed: the request has a key that the server honours, and still knows.
func (c *call) keyed() bool { return c.keyedAfter(0) }

// keyedAfter is keyed once a wait is over.
func (c *call) keyedAfter(wait time.Duration) bool {
	k := c.p.Key
	if k == nil {
		return false
	}
	h := c.in.Header
	if c.header != nil {
		h = c.header
	}
	return h.Get(k.header()) != "" && wait < k.ttl()-c.elapsed()
}

// keyForgotten is the decision where the server will have forgotten the key by
// the time of the next attempt: again is what it was with the key.
func (c *call) keyForgotten(f *classifier.Failure, r classifier.Request, again classifier.Decision) classifier.Decision {
	r.Key, r.KeyHonoured = false, false
	bare := c.p.decide(*f, r)
	if tryAgain(bare) {
		return again
	}
	c.giveBack()
	return bare
}

// newKey is a random UUID (RFC 9562 section 5.4).
func newKey() string {
	var b [16]byte
	rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

func (k *KeyPolicy) validate() error {
	switch {
	case k == nil:
		return nil
	case k.TTL < 0:
		return fmt.Errorf("key: ttl %v is negative", k.TTL)
	}
	ways := 0
	for _, is := range []bool{k.Value != "", k.New != nil, k.Auto} {
		if is {
			ways++
		}
	}
	if ways > 1 {
		return fmt.Errorf("key: value, new and auto exclude each other")
	}
	return headerName("key: header", k.Header)
}
