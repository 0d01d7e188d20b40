package explain

import (
	"regexp"
	"sync"
)

// Quote is [Escape] without the credentials that a text may hold: the values
// of Authorization, of cookies and of keys, and the names and passwords of
// URLs, are an ellipsis each.
func Quote(text []byte, most int) string {
	if most > 0 && len(text) > 2*most+quoteAhead {
		text = text[:2*most+quoteAhead] // a password beyond the cut is not to lose the mark that ends it
	}
	for _, s := range secrets() {
		text = s.ReplaceAll(text, []byte("${1}…${2}"))
	}
	return Escape(text, most)
}

// quoteAhead is what is read beyond the cut.
const quoteAhead = 1 << 10

// secrets are the places of credentials: what stands before one, as group 1,
// the credential, and what ends it, as group 2. A field name may be quoted, and its quotes escaped.
var secrets = sync.OnceValue(func() []*regexp.Regexp {
	return []*regexp.Regexp{
		regexp.MustCompile(`(?i)(\b(?:proxy-)?authorization[\\"']*\s*[:=]\s*[\\"']*)(?:(?:bearer|basic|token|negotiate)\s+[^\s"'\\,;}]+|[^"'\\\r\n}]+)`),
		regexp.MustCompile(`(?i)(\b(?:set-)?cookie[\\"']*\s*[:=]\s*[\\"'\[]*)[^"'\\\r\n}]+`),
		regexp.MustCompile(`(?i)(\b(?:[a-z-]*api[_-]?key|idempotency-key|[a-z-]*(?:access|auth|session|security)[_-]?token|[a-z_-]*(?:password|passwd|secret))[\\"']*\s*[:=]\s*[\\"']*)[^\s"'\\,;&}]+`),
		regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.-]*://)[^/?#\s"'<>]*(@)`),
	}
})
