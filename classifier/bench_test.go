package classifier_test

import (
	"net"
	"net/http"
	"net/url"
	"os"
	"syscall"
	"testing"

	"github.com/retry-lab/retry-lab/classifier"
)

// eightFields is the header of a usual 503.
var eightFields = http.Header{
	"Date":            {"Thu, 16 Jul 2026 12:00:00 GMT"},
	"Content-Type":    {"application/json"},
	"Content-Length":  {"42"},
	"Cache-Control":   {"no-store"},
	"Retry-After":     {"1"},
	"Server":          {"nginx/1.27.1"},
	"X-Request-Id":    {"9c1d3f1a"},
	"X-Frame-Options": {"DENY"},
}

var refusedThroughClient error = &url.Error{Op: "Post", URL: target,
	Err: &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}}

// A decision is FromResponse or FromError, and Decide. The three cases of the
// promise: at most 15 ns for a status without a header, 300 ns for a 503 with
// eight fields, 250 ns for an errno inside *url.Error, *net.OpError and
// *os.SyscallError, and no allocation.
func decideStatus() classifier.Decision {
	return classifier.Decide(classifier.FromResponse(classifier.Response{Status: 503}), post, classifier.Policy{})
}

func decideHeader() classifier.Decision {
	return classifier.Decide(classifier.FromResponse(classifier.Response{Status: 503, Header: eightFields}), post, classifier.Policy{})
}

func decideError() classifier.Decision {
	return classifier.Decide(classifier.FromError(refusedThroughClient, classifier.Evidence{Request: barePOST}), post, classifier.Policy{})
}

func BenchmarkDecisionStatus(b *testing.B) {
	response := classifier.Response{Status: 503}
	b.ReportAllocs()
	for b.Loop() {
		classifier.Decide(classifier.FromResponse(response), post, classifier.Policy{})
	}
}

func BenchmarkDecisionHeader(b *testing.B) {
	response := classifier.Response{Status: 503, Header: eightFields}
	b.ReportAllocs()
	for b.Loop() {
		classifier.Decide(classifier.FromResponse(response), post, classifier.Policy{})
	}
}

func BenchmarkDecisionError(b *testing.B) {
	evidence := classifier.Evidence{Request: barePOST}
	b.ReportAllocs()
	for b.Loop() {
		classifier.Decide(classifier.FromError(refusedThroughClient, evidence), post, classifier.Policy{})
	}
}

func TestADecisionAllocatesNothing(t *testing.T) {
	for name, decide := range map[string]func() classifier.Decision{
		"status": decideStatus, "header": decideHeader, "error": decideError,
	} {
		if got := decide(); got.Verdict != classifier.Retry {
			t.Errorf("%s: %+v, want a retry", name, got)
		}
		if n := testing.AllocsPerRun(100, func() { decide() }); n != 0 {
			t.Errorf("%s: %v allocations, want none", name, n)
		}
	}
}
