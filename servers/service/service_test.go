package service

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/retry-lab/retry-lab/servers"
)

const patience = 30 * time.Second

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t *testing.T, o Options) *Service {
	t.Helper()
	return servers.Must[*Service](t)(Open(o))
}

// client trusts the service's authority, and speaks HTTP/2 where it is offered.
func client(t *testing.T, s *Service) *http.Client {
	t.Helper()
	tr := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: s.Authority.Pool()}, ForceAttemptHTTP2: true}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr}
}

// post sends one request, and gives up where nothing comes within d.
func post(t *testing.T, c *http.Client, to string, d time.Duration) (int, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, "POST", to, struct{ io.Reader }{strings.NewReader("x")})
	if err != nil {
		t.Fatal(err)
	}
	res, err := c.Do(req)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	_, err = io.Copy(io.Discard, res.Body)
	return res.StatusCode, err
}

func (s *Service) url(t *testing.T, name string) string {
	t.Helper()
	for _, e := range s.Endpoints() {
		if e.Name == name {
			return e.URL
		}
	}
	t.Fatalf("no endpoint %q", name)
	return ""
}

// What a client meets at each port, and what its ledger holds of that.
func TestEveryPortHasItsFault(t *testing.T) {
	s := open(t, Options{})
	c := client(t, s)
	stalls := 100 * time.Millisecond
	for _, tt := range []struct {
		name       string
		within     time.Duration
		err        func(error) bool
		deliveries int
	}{
		{"refused", patience, is(syscall.ECONNREFUSED), 0},
		{"reset", patience, any1, 0},
		{"backlog", stalls, is(context.DeadlineExceeded), 0},
		{"silent", stalls, is(context.DeadlineExceeded), 0},
		{"tls-silent", stalls, is(context.DeadlineExceeded), 0},
		{"tls-fin", patience, is(io.EOF), 0},
		{"tls-reset", patience, is(syscall.ECONNRESET), 0},
		{"tls-untrusted", patience, says("certificate signed by unknown authority"), 0},
		{"tls-expired", patience, says("certificate has expired"), 0},
		{"tls-wrong-host", patience, says("certificate"), 0},
		{"tls-client-cert", patience, any1, 0}, // the alert races with the request, and net/http names whichever it meets first
		{"tls-plain", patience, says("HTTP response to HTTPS client"), 0},
		{"plain-tls", patience, any1, 0},
		{"h2-only", patience, none, 1},
		{"h2-goaway", patience, any1, 1},
		{"h2-refused-stream", patience, says("REFUSED_STREAM"), 1},
		{"h2-reset", patience, any1, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := post(t, c, s.url(t, tt.name), tt.within)
			if !tt.err(err) {
				t.Errorf("%v", err)
			}
			for _, p := range s.ports {
				if p.Name == tt.name && p.Ledger != nil {
					r := p.Ledger.Record(time.Now())
					if len(r.Connections) == 0 || len(r.Deliveries) < tt.deliveries || tt.deliveries == 0 && len(r.Deliveries) > 0 {
						t.Errorf("ledger %+v", r)
					}
				}
			}
		})
	}
	if len(s.ports) != 17 {
		t.Errorf("%d ports; is each of them tested?", len(s.ports))
	}
}

// is takes any error where the system has errnos of its own.
func is(want error) func(error) bool {
	if _, errno := want.(syscall.Errno); errno && runtime.GOOS == "windows" {
		return any1
	}
	return func(err error) bool { return errors.Is(err, want) }
}

func says(words string) func(error) bool {
	return func(err error) bool { return err != nil && strings.Contains(err.Error(), words) }
}

func any1(err error) bool { return err != nil }
func none(err error) bool { return err == nil }

func TestAClientThatLooksAwayIsInTheLedger(t *testing.T) {
	s := open(t, Options{})
	tr := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}
	defer tr.CloseIdleConnections()
	for _, p := range s.ports {
		if p.Name != "tls-expired" && p.Name != "tls-untrusted" && p.Name != "tls-wrong-host" {
			continue
		}
		if status, err := post(t, &http.Client{Transport: tr}, p.URL+"/pay", patience); status != 200 {
			t.Errorf("%s: %d, %v", p.Name, status, err)
		}
		if r := p.Ledger.Record(time.Now()); r.Committed() != 1 {
			t.Errorf("%s: ledger %+v", p.Name, r)
		}
	}
}

func TestACallIsTheSameOverTLSAndInTheControlAPI(t *testing.T) {
	s := open(t, Options{})
	c := client(t, s)
	call := s.Origin.Call("503", "418")
	for i, root := range []string{s.url(t, "origin"), s.url(t, "tls")} {
		if status, err := post(t, c, root+"/c/"+call.ID()+"/", patience); status != []int{503, 418}[i] {
			t.Errorf("%s: %d, %v", root, status, err)
		}
	}
	for _, path := range []string{"/calls/" + call.ID() + "?wait=2", "/metrics", "/ports/reset"} {
		res, err := c.Get(s.url(t, "control") + path)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != 200 {
			t.Errorf("%s: %s", path, res.Status)
		}
	}
}

// Two hundred clients at once, each with a call that it made itself, some of
// them over TLS.
func TestNoClientSeesAnothersScript(t *testing.T) {
	s := open(t, Options{})
	control := s.url(t, "control")
	api := &http.Client{Transport: &http.Transport{MaxConnsPerHost: 20}}
	defer api.CloseIdleConnections()
	var wg sync.WaitGroup
	for i := range 200 {
		wg.Go(func() {
			first, second := 400+i%50, 500+i%11
			var call map[string]any
			if err := ask(t, api, "POST", control+"/calls", fmt.Sprintf(`["%d","reset","%d"]`, first, second), &call); err != nil {
				t.Error(err)
				return
			}
			to := call[[]string{"url", "tls_url"}[i%2]].(string)
			c := client(t, s)
			for n, want := range []int{first, 0, second, second} {
				if got, err := post(t, c, to+"pay", patience); got != want || want != 0 && err != nil {
					t.Errorf("delivery %d of %v: %d, %v, want %d", n+1, call["id"], got, err, want)
				}
			}
			if err := ask(t, api, "GET", control+"/calls/"+call["id"].(string)+"?wait=4", "", &call); err != nil || call["deliveries"] != 4.0 {
				t.Errorf("%v, %v", call, err)
			}
		})
	}
	wg.Wait()
}

// ask reads an answer of the control API.
func ask(t *testing.T, c *http.Client, method, to, body string, into any) error {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, to, strings.NewReader(body))
	if err != nil {
		return err
	}
	res, err := c.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	return json.NewDecoder(res.Body).Decode(into)
}

// The port of name, and those after it, are one above the other from the base.
func TestPortsInARow(t *testing.T) {
	var s *Service
	for base := 20000; ; base += 100 {
		var err error
		if s, err = Open(Options{PortBase: base}); err == nil {
			defer s.Close()
			break
		}
		if base > 30000 {
			t.Fatal(err)
		}
	}
	for i, e := range s.Endpoints() {
		u, err := url.Parse(e.URL)
		if err != nil || u.Port() != fmt.Sprint(s.opts.PortBase+i) {
			t.Errorf("%s: %s, want port %d", e.Name, e.URL, s.opts.PortBase+i)
		}
	}
	if n := len(s.Endpoints()); n != Ports() {
		t.Errorf("%d endpoints, want %d", n, Ports())
	}
	if _, err := Open(Options{PortBase: s.opts.PortBase}); !is(syscall.EADDRINUSE)(err) {
		t.Errorf("a second one at the same ports: %v", err)
	}
}

// Clients may hold every descriptor for a while; a service that would not accept
// from then on would still seem to run.
func TestEveryPortGoesOnAcceptingUntilClose(t *testing.T) {
	s := open(t, Options{})
	if patience := s.next().AcceptPatience; patience < 365*24*time.Hour {
		t.Errorf("a port gives up after %v", patience)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for _, o := range []Options{
		{Host: "0.0.0.0"}, {Host: "192.0.2.1"}, {Host: "localhost"}, {Host: "nonsense"}, {PortBase: -1}, {PortBase: 65530}, {MaxCalls: -1}, {MaxDeliveries: -1}, {MaxConns: -1},
	} {
		if s, err := Open(o); err == nil {
			s.Close()
			t.Errorf("%+v: no error", o)
		}
	}
}

func TestBeyondLoopbackOnlyWhenUnsafe(t *testing.T) {
	s := open(t, Options{Host: "0.0.0.0", Unsafe: true})
	if status, err := post(t, client(t, s), s.url(t, "tls")+"/418", patience); status != 418 {
		t.Errorf("%d, %v", status, err)
	}
	for _, e := range s.Endpoints() {
		if !strings.Contains(e.URL, "://127.0.0.1:") {
			t.Errorf("%s: %s is no address to ask", e.Name, e.URL)
		}
	}
}

// A hundred connections that are stalled or idle, at every kind of port, do not
// hold Close up.
func TestCloseEndsWhatIsStalledOrIdle(t *testing.T) {
	s := open(t, Options{})
	var wg sync.WaitGroup
	for _, to := range []string{"silent", "tls-silent", "origin", "tls", "control"} {
		at, err := url.Parse(s.url(t, to))
		if err != nil {
			t.Fatal(err)
		}
		for range 10 { // idle
			conn, err := net.Dial("tcp", at.Host)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
		}
	}
	for i := range 50 { // stalled
		root := s.url(t, []string{"origin", "tls"}[i%2])
		path := []string{"/silent", "/body-stall", "/silent"}[i%3]
		c := client(t, s) // its connection is its own
		wg.Go(func() {
			if _, err := post(t, c, root+path, patience); err == nil || errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: %v", path, err)
			}
		})
	}
	deadline := time.Now().Add(patience)
	for {
		n := int64(0)
		for fault, count := range s.Origin.Stats().Deliveries {
			if fault == "silent" || fault == "body-stall" {
				n += count
			}
		}
		if n == 50 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d of 50 stalled", n)
		}
		time.Sleep(time.Millisecond)
	}
	start := time.Now()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	t.Logf("closed after %v", time.Since(start))
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("closing took %v", took)
	}
	wg.Wait()
}
