package explain_test

import (
	"strings"
	"testing"

	"github.com/retry-lab/retry-lab/explain"
)

func TestQuoteShowsNoCredential(t *testing.T) {
	for _, text := range []string{
		"Authorization: Bearer HIDDEN", "authorization: 'Basic HIDDEN'", `{"authorization":"Bearer HIDDEN","x":1}`, `\"Proxy-Authorization\":\"HIDDEN\"`,
		"> Authorization: AWS4-HMAC-SHA256 Credential=HIDDEN/x, Signature=HIDDEN", "Authorization: Digest username=\"u\"" /* a quote ends it */, "authorization=token HIDDEN",
		"Cookie: a=HIDDEN; b=HIDDEN", `"set-cookie":["x=HIDDEN; Path=/"]`, `set-cookie: 'x=HIDDEN'`, "X-Api-Key: HIDDEN", "?api_key=HIDDEN&x=1", "Idempotency-Key: HIDDEN",
		"access_token=HIDDEN&x=1", "x-amz-security-token: HIDDEN", "password=HIDDEN host=x", `"password": "HIDDEN"`, "client_secret=HIDDEN",
		"postgres://user:HIDDEN@db.example/x", "https://HIDDEN@h.example", "https://u:p@HIDDEN@h.example/",
	} {
		if got := explain.Quote([]byte(text), 0); strings.Contains(got, "HIDDEN") {
			t.Errorf("Quote(%q) = %q", text, got)
		}
	}
	for _, text := range []string{
		`Post "https://h.example/?x=1": read: connection reset by peer`, "user@h.example", "the cookie jar is empty", "401: no password given",
	} {
		if got := explain.Quote([]byte(text), 0); got != text {
			t.Errorf("Quote(%q) = %q", text, got)
		}
	}
}

// Where a quotation is cut, what is left of a credential has not lost the mark
// by which it is known.
func TestQuoteCutsAfterItHid(t *testing.T) {
	text := strings.Repeat("x", 90) + " postgres://user:" + strings.Repeat("HIDDEN", 100) + "@db.example/x"
	if got := explain.Quote([]byte(text), 100); strings.Contains(got, "HID") || len(got) > 110 {
		t.Errorf("Quote = %q", got)
	}
	if got := explain.Quote([]byte("\x1b[2J"+strings.Repeat("y", 100)), 10); got != `\x1b[2Jyyyyyy...` {
		t.Errorf("Quote = %q", got)
	}
}
