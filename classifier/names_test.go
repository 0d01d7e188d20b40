package classifier_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/retry-lab/retry-lab/classifier"
)

func TestNamesMakeAFailure(t *testing.T) {
	for _, row := range []struct {
		code  classifier.Code
		call  classifier.Syscall
		phase classifier.Phase

		wantCall  classifier.Syscall
		wantPhase classifier.Phase
		processed classifier.Processed
		basis     classifier.Basis
		why       string
	}{
		{"ECONNRESET", "read", "await", "read", "await", "maybe", "assumed", "as given"},
		{"ECONNRESET", "read", "", "read", "unknown", "maybe", "assumed", "a read does not tell the phase"},
		{"ECONNRESET", "read", "tls", "read", "tls", "never", "guaranteed", "in the handshake"},
		{"ECONNRESET", "read", "read-body", "read", "read-body", "yes", "assumed", "in the body"},
		{"ECONNRESET", "", "", "", "unknown", "maybe", "assumed", "an errno alone is not classifiable"},
		{"ECONNREFUSED", "connect", "", "connect", "connect", "never", "guaranteed", "connect tells the phase"},
		{"ECONNREFUSED", "connect", "proxy", "connect", "proxy", "never", "guaranteed", "the proxy's"},
		{"ECONNREFUSED", "read", "", "read", "unknown", "maybe", "assumed", "on an established connection"},
		{"EMFILE", "socket", "", "socket", "connect", "never", "guaranteed", "a socket comes before everything"},
		{"EMFILE", "getaddrinfo", "", "getaddrinfo", "resolve", "never", "guaranteed", "the resolver's socket"},
		{"EPIPE", "write", "", "write", "write", "maybe", "assumed", "write tells the phase"},
		{"ENOTFOUND", "", "", "getaddrinfo", "resolve", "never", "guaranteed", "the code tells call and phase"},
		{"TIMEOUT", "", "", "", "unknown", "maybe", "assumed", "any wait"},
		{"TIMEOUT", "", "pool", "", "pool", "never", "guaranteed", "the pool's"},
		{"TLS_CERT", "", "", "", "tls", "never", "guaranteed", "the code tells the phase"},
		{"TLS_ALERT", "", "", "", "unknown", "maybe", "assumed", "an alert can come at any time"},
		{"EOF", "", "tls", "", "tls", "never", "guaranteed", "as given"},
		{"H2_REFUSED_STREAM", "", "", "", "await", "never", "guaranteed", "the protocol's promise"},
		{"H2_GOAWAY", "", "", "", "unknown", "maybe", "assumed", "above or below the last stream, the name does not tell"},
		{"REDIRECT_LOOP", "", "", "", "answered", "maybe", "assumed", "a hop may have acted"},
		{"HTTP_503", "", "", "", "answered", "never", "claimed", "a response without headers"},
		{"HTTP_503", "", "answered", "", "answered", "never", "claimed", "a response without headers"},
		{"HTTP_799", "", "", "", "answered", "maybe", "assumed", "as 500"},
	} {
		f, err := classifier.FromNames(row.code, row.call, row.phase)
		if err != nil {
			t.Errorf("FromNames(%q, %q, %q): %v", row.code, row.call, row.phase, err)
			continue
		}
		want := classifier.Failure{Code: row.code, Syscall: row.wantCall, Phase: row.wantPhase, Processed: row.processed, Basis: row.basis, Status: f.Status}
		if f != want {
			t.Errorf("FromNames(%q, %q, %q) = %+v, want %+v: %s", row.code, row.call, row.phase, f, want, row.why)
		}
	}
}

func TestNamesThatCannotBeAreRefused(t *testing.T) {
	for _, row := range []struct {
		code  classifier.Code
		call  classifier.Syscall
		phase classifier.Phase
		want  string
	}{
		{"", "", "", `unknown code ""`},
		{"econnreset", "", "", `unknown code "econnreset"`},
		{"ECONNRESET", "recv", "", `unknown syscall "recv"`},
		{"ECONNRESET", "", "waiting", `unknown phase "waiting"`},
		{"ECONNRESET", "read", "connect", `syscall "read" does not fail in phase "connect"`},
		{"ECONNREFUSED", "connect", "await", `syscall "connect" does not fail in phase "await"`},
		{"ENOTFOUND", "", "await", `syscall "getaddrinfo" does not fail in phase "await"`},
		{"EOF", "", "answered", `code "EOF" is not an answer`},
		{"HTTP_99", "", "", "three digits"},
		{"HTTP_099", "", "", "three digits"},
		{"HTTP_+99", "", "", "three digits"},
		{"HTTP_1000", "", "", "three digits"},
		{"HTTP_abc", "", "", "three digits"},
		{"HTTP_503", "read", "", "has no syscall"},
		{"HTTP_503", "", "await", "its phase is"},
	} {
		f, err := classifier.FromNames(row.code, row.call, row.phase)
		if err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("FromNames(%q, %q, %q) = %+v, %v, want an error with %q", row.code, row.call, row.phase, f, err, row.want)
		}
	}
}

func TestEveryCodeOfTheListIsAName(t *testing.T) {
	codes := classifier.Codes()
	if !slices.IsSorted(codes) || len(slices.Compact(slices.Clone(codes))) != len(codes) {
		t.Errorf("Codes() is not sorted and distinct: %v", codes)
	}
	for _, code := range codes {
		f, err := classifier.FromNames(code, "", "")
		if err != nil {
			t.Errorf("FromNames(%q): %v", code, err)
		}
		if f.Source() == "" {
			t.Errorf("%s has no source", code)
		}
	}
	for _, row := range errorRows {
		if !slices.Contains(codes, row.code) {
			t.Errorf("%s comes from an error and is not in Codes()", row.code)
		}
	}
}

func TestEveryReasonHasASentenceAndASource(t *testing.T) {
	reasons := classifier.Reasons()
	for i, r := range reasons {
		s := r.Sentence()
		if s == "" || r.Source() == "" || strings.HasSuffix(s, ".") || strings.ToLower(string(r)) != string(r) || strings.Contains(string(r), "_") {
			t.Errorf("reason %q: sentence %q, source %q", r, s, r.Source())
		}
		if slices.Contains(reasons[:i], r) {
			t.Errorf("reason %q is listed twice", r)
		}
	}
	if s := classifier.Reason("no-such-reason").Sentence(); s != "" {
		t.Errorf("a word that is no reason says %q", s)
	}
}

func TestAReasonWithoutARowIsOnNoDecision(t *testing.T) {
	for _, code := range classifier.Codes() {
		for _, phase := range classifier.Phases() {
			f, err := classifier.FromNames(code, "", phase)
			if err != nil {
				continue
			}
			for _, r := range requests {
				if d := classifier.Decide(f, r, classifier.Policy{}); d.Reason.Sentence() == "" {
					t.Errorf("Decide(%s %s, %s) = %+v: no sentence", code, phase, r.Method, d)
				}
			}
		}
	}
}
