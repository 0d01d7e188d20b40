package classifier_test

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/url"
	"syscall"
	"testing"

	"github.com/retry-lab/retry-lab/classifier"
)

// Whatever stops a request before its first byte says nothing of the requests
// that net/http may have sent before it without a word. Only the request tells.
func TestWithoutATraceTheRequestSaysWhetherAFailureBeforeItIsTheFirst(t *testing.T) {
	before := map[string]error{
		"refused":           sys("dial", "connect", syscall.ECONNREFUSED),
		"no route":          sys("dial", "connect", syscall.EHOSTUNREACH),
		"no ports":          sys("dial", "connect", syscall.EADDRNOTAVAIL),
		"no such name":      op("dial", &net.DNSError{Err: "no such host", IsNotFound: true}),
		"the proxy refused": op("proxyconnect", sys("dial", "connect", syscall.ECONNREFUSED)),
		"bad certificate":   &tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}},
	}
	for _, row := range []struct {
		why     string
		request classifier.SentRequest
		url     string
		want    classifier.Processed
	}{
		{"a bare POST over HTTP/1 is sent once", classifier.SentRequest{Method: "POST", Body: true, Rewindable: true}, target, "never"},
		{"so is one whose body cannot be taken again", classifier.SentRequest{Method: "POST", Body: true}, target, "never"},
		{"a GET may be a replay", classifier.SentRequest{Method: "GET", Rewindable: true}, target, "maybe"},
		{"a keyed POST may be a replay", classifier.SentRequest{Method: "POST", Key: true, Body: true, Rewindable: true}, target, "maybe"},
		{"not with a body that cannot be taken again", classifier.SentRequest{Method: "POST", Key: true, Body: true}, target, "never"},
		{"over HTTP/2 a bare POST may be a replay", classifier.SentRequest{Method: "POST", Body: true, Rewindable: true, HTTP2: true}, target, "maybe"},
		{"not with a body that cannot be taken again", classifier.SentRequest{Method: "POST", Body: true, HTTP2: true}, target, "never"},
		{"another URL: a redirect was followed", classifier.SentRequest{Method: "POST", Body: true}, "http://127.0.0.1:1/elsewhere", "maybe"},
	} {
		row.request.URL = target
		for name, cause := range before {
			err := &url.Error{Op: "Post", URL: row.url, Err: cause}
			f := classifier.FromError(err, classifier.Evidence{Request: &row.request})
			if f.Processed != row.want {
				t.Errorf("%s, %s: processed %s, want %s", name, row.why, f.Processed, row.want)
			}
			if cells := cells(f, classifier.Policy{}); f.Processed == classifier.Maybe && cells[1] == 'y' {
				t.Errorf("%s, %s: a bare POST is sent again (%s)", name, row.why, cells)
			}
		}
	}
}
