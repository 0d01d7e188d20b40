package control

import (
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/retry-lab/retry-lab/servers"
)

const patience = 30 * time.Second

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A testAPI is an API with everything, and one Origin behind it.
type testAPI struct {
	*API
	t      *testing.T
	origin *servers.Origin
	reset  *servers.Server
}

func newTestAPI(t *testing.T, o servers.OriginOptions) testAPI {
	t.Helper()
	origin := servers.Must[*servers.Origin](t)(servers.OpenOrigin(o))
	authority, err := servers.NewAuthority()
	if err != nil {
		t.Fatal(err)
	}
	cert, err := authority.Issue(servers.CertOptions{})
	if err != nil {
		t.Fatal(err)
	}
	over, err := origin.Listen(servers.Options{TLS: &tls.Config{Certificates: []tls.Certificate{cert}}})
	if err != nil {
		t.Fatal(err)
	}
	reset := servers.Must[*servers.Server](t)(servers.NewStatus(servers.Options{}, 503, nil))
	return testAPI{t: t, origin: origin, reset: reset, API: New(Options{
		Origin: origin, TLS: over.URL(), Metrics: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "retry_lab_calls 0") }),
		Ports: []Port{
			{Name: "unavailable", Says: "answers 503", URL: reset.URL(), Ledger: reset.Ledger(), Epoch: time.Now()},
			{Name: "refused", Says: "refuses", URL: "http://127.0.0.1:9"},
		},
	})}
}

// An asked is one answer of an API.
type asked struct {
	status int
	header http.Header
	body   string
}

// ask sends one request, whose header fields follow the body.
func (a testAPI) ask(method, path, body string, header ...string) asked {
	a.t.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Host = "127.0.0.1:1"
	for i := 0; i < len(header); i += 2 {
		if header[i] == "Host" {
			r.Host = header[i+1]
			continue
		}
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	a.ServeHTTP(w, r)
	return asked{w.Code, w.Header(), w.Body.String()}
}

// call makes a call and returns its record.
func (a testAPI) call(script string) record {
	a.t.Helper()
	got := a.ask("POST", "/calls", script)
	if got.status != http.StatusCreated {
		a.t.Fatalf("create: %+v", got)
	}
	return decode[record](a.t, got)
}

// finished waits until a call is: its last delivery may still be under way when
// the client has the answer.
func (a testAPI) finished(id string) {
	a.t.Helper()
	for deadline := time.Now().Add(patience); !decode[record](a.t, a.ask("GET", "/calls/"+id+"?quiet_ms=1", "")).Finished; {
		if time.Now().After(deadline) {
			a.t.Fatalf("call %s does not finish", id)
		}
	}
}

func decode[T any](t *testing.T, a asked) T {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(a.body), &v); err != nil {
		t.Fatalf("%q: %v", a.body, err)
	}
	return v
}

// deliver makes a request on a connection of its own; what comes of it is the
// fault's.
func deliver(t *testing.T, method, url string, header ...string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, struct{ io.Reader }{strings.NewReader("body")})
	if err != nil {
		t.Fatal(err)
	}
	req.Close = true
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, res.Body)
}
