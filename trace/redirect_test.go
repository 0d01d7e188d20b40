package trace_test

import (
	"context"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/retry-lab/retry-lab/classifier"
	"github.com/retry-lab/retry-lab/servers"
	"github.com/retry-lab/retry-lab/trace"
)

// redirecting is a server that answers every request with status and a
// Location.
func redirecting(t *testing.T, status int, location string) string {
	t.Helper()
	srv := servers.Must[*servers.Server](t)(servers.NewStatus(servers.Options{}, status, servers.Header("Location", location)))
	return srv.URL()
}

// postThrough sends a traced POST and follows redirects.
func postThrough(t *testing.T, url string) (*http.Response, classifier.Evidence, error) {
	t.Helper()
	tr := &http.Transport{DialContext: trace.Dial((&net.Dialer{}).DialContext)}
	client := &http.Client{Transport: trace.Hops(tr)}
	t.Cleanup(client.CloseIdleConnections)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader("pay"))
	if err != nil {
		t.Fatal(err)
	}
	a := trace.Begin(1)
	resp, err := client.Do(a.Request(req))
	if err == nil {
		resp.Body.Close()
	}
	return resp, a.End(context.Background(), req.Context()), err
}

func TestARedirectSaysWhatBecameOfTheRequestBeforeIt(t *testing.T) {
	dead := servers.Must[*servers.Refused](t)(servers.NewRefused())
	for _, tc := range []struct {
		why    string
		status int
		want   classifier.Processed
		basis  classifier.Basis
	}{
		{"301: answered, so it was acted on", 301, classifier.Yes, classifier.Assumed},
		{"302: the same", 302, classifier.Yes, classifier.Assumed},
		{"303: the same", 303, classifier.Yes, classifier.Assumed},
		{"307: not acted on, says its server", 307, classifier.Never, classifier.Claimed},
		{"308: the same", 308, classifier.Never, classifier.Claimed},
	} {
		_, ev, err := postThrough(t, redirecting(t, tc.status, dead.URL()))
		if err == nil {
			t.Fatalf("%s: no error", tc.why)
		}
		if f := classifier.FromError(err, classifier.Evidence{Request: ev.Request}); f.Processed != classifier.Maybe {
			t.Errorf("%s, untraced: %+v, want maybe", tc.why, f)
		}
		if ev.TLSExpected {
			t.Errorf("%s: expects a handshake with %s", tc.why, dead.URL())
		}
		f := classifier.FromError(err, ev)
		if f.Code != "ECONNREFUSED" || f.Syscall != classifier.Connect || f.Processed != tc.want || f.Basis != tc.basis {
			t.Errorf("%s: %+v, want %s, %s", tc.why, f, tc.want, tc.basis)
		}
	}
}

func TestAnAnswerAfterARedirectIsNotTheFirstRequests(t *testing.T) {
	busy := servers.Must[*servers.Server](t)(servers.NewStatus(servers.Options{}, 503, nil))
	for _, tc := range []struct {
		why     string
		status  int
		earlier classifier.Processed
		size    int64 // of the last request's body
	}{
		{"303: the POST is done, what failed is a GET", 303, classifier.Yes, 0},
		{"307: the 503 is all that anybody said to the POST", 307, "", 3},
	} {
		resp, ev, err := postThrough(t, redirecting(t, tc.status, busy.URL()))
		if err != nil || resp.StatusCode != 503 {
			t.Fatalf("%s: %v, %v; want 503", tc.why, resp, err)
		}
		if got := ev.Earlier(); got != tc.earlier {
			t.Errorf("%s: earlier %q, want %q", tc.why, got, tc.earlier)
		}
		if ev.BodySize != tc.size || ev.BodyRead != tc.size {
			t.Errorf("%s: body %d of %d bytes, want all of %d", tc.why, ev.BodyRead, ev.BodySize, tc.size)
		}
	}
}

func TestAHandshakeIsExpectedWhereTheRedirectLeads(t *testing.T) {
	dead := servers.Must[*servers.Refused](t)(servers.NewRefused())
	if _, ev, err := postThrough(t, redirecting(t, 308, "https://"+dead.Addr())); err == nil || !ev.TLSExpected {
		t.Errorf("%v, %+v; want an error, and a handshake expected", err, ev)
	}
}

// A 307 speaks for the delivery that it answers, and for no other.
func TestOnlyARedirectTakesExposureBack(t *testing.T) {
	a := trace.Begin(1)
	for _, status := range []int{200, 201, 300, 304, 503} {
		a.Redirect(status)
	}
	if ev := a.End(t.Context(), t.Context()); ev.Moved || ev.ExposedYes || len(a.Events()) != 1 { // the end
		t.Errorf("statuses that nobody follows: %+v, %v", ev, a.Events())
	}
}

func TestARequestWithoutAnAttemptGoesThroughHops(t *testing.T) {
	srv := servers.Must[*servers.Server](t)(servers.NewStatus(servers.Options{}, 204, nil))
	tr := &http.Transport{}
	defer tr.CloseIdleConnections()
	resp, err := (&http.Client{Transport: trace.Hops(tr)}).Get(srv.URL())
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != 204 {
		t.Errorf("status %d, want 204", resp.StatusCode)
	}
}
