package retry_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/retry-lab/retry-lab/classifier"
	"github.com/retry-lab/retry-lab/retry"
)

// greedy is a policy that wants everything to be tried again, and does not care.
func greedy() retry.Policy {
	return retry.Policy{
		MaxAttempts: 9, Unsafe: true, Decide: again,
		Idempotent: func(*http.Request) bool { return true },
		Codes: retry.Changes[classifier.Code]{Add: []classifier.Code{
			classifier.Canceled, classifier.TLSCert, classifier.InvalidRequest, classifier.Unknown,
		}},
		Budget: retry.Budget{Off: true},
	}
}

func TestSomeFailuresAreNeverTriedAgainWhateverThePolicy(t *testing.T) {
	mine := errors.New("export stopped")
	for _, row := range []struct {
		why  string
		err  error
		body io.Reader
		code classifier.Code
	}{
		{"the peer is not who it should be", &tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}, nil, classifier.TLSCert},
		{"its certificate is for another host", &tls.CertificateVerificationError{Err: x509.HostnameError{Certificate: &x509.Certificate{}, Host: "lab"}}, nil, classifier.TLSCert},
		{"the caller's own body fails", nil, broken{mine}, classifier.InvalidRequest},
	} {
		t.Run(row.why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				base := play(fails(row.err))
				var report retry.Report
				p := greedy()
				p.OnDone = func(r retry.Report) { report = r }
				r, err := http.NewRequestWithContext(t.Context(), "PUT", "http://lab/", row.body)
				if err != nil {
					t.Fatal(err)
				}
				_, err = (&retry.Transport{Base: base, Policy: p}).RoundTrip(r)
				if len(report.Attempts) != 1 || report.Attempts[0].Code != row.code || report.Verdict != classifier.Fail {
					t.Errorf("%v; report %+v", err, report)
				}
				if want := row.err; want != nil && err != want || want == nil && !errors.Is(err, mine) {
					t.Errorf("got %v, want the error as it was", err)
				}
			})
		})
	}
	t.Run("the caller gives up in an attempt", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		base := play(func(r *http.Request) (*http.Response, error) {
			cancel()
			<-r.Context().Done()
			return nil, r.Context().Err()
		})
		_, err := (&retry.Transport{Base: base, Policy: greedy()}).RoundTrip(request(t, ctx, "GET", ""))
		if len(base.sent) != 1 || !errors.Is(err, context.Canceled) {
			t.Errorf("%v after %d requests, want 1", err, len(base.sent))
		}
	})
	t.Run("net/http refuses the request", func(t *testing.T) {
		for _, change := range []func(*http.Request){
			func(r *http.Request) { r.URL.Scheme = "gopher" },
			func(r *http.Request) { r.URL.Host = "" },
			func(r *http.Request) { r.Header = http.Header{"a b": {"c"}} },
			func(r *http.Request) { r.Method = "G T" },
		} {
			var report retry.Report
			p := greedy()
			p.OnDone = func(r retry.Report) { report = r }
			r := request(t, t.Context(), "PUT", "x")
			change(r)
			_, err := transport(t, p, nil).RoundTrip(r)
			if err == nil || len(report.Attempts) != 1 || report.Attempts[0].Code != classifier.InvalidRequest {
				t.Errorf("%v; report %+v", err, report)
			}
		}
	})
}
