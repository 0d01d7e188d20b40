package scenarios

import (
	"context"
	"errors"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/retry-lab/retry-lab/classifier"
	"github.com/retry-lab/retry-lab/servers"
)

// runCasesOf runs a group of these cases.
func runCasesOf(t *testing.T, r Runner, cases ...*Case) (Result, error) {
	t.Helper()
	sel, err := Select([]Group{{ID: "test-run", Rows: rows(cases...)}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r.Run(t.Context(), sel)
}

// stuck is a call that nobody answers, ended by its context only.
var stuck = &Case{ID: "test-run/stuck", Waits: time.Hour, Run: func(ctx context.Context, e *Env) (Run, error) {
	srv, err := servers.NewStall(servers.StallOptions{})
	if err != nil {
		return Run{}, err
	}
	return byHTTP(ctx, newClient(e, nil), srv, srv.URL(), call{})
}}

func TestTheFirstCaseThatBreaksEndsTheOthers(t *testing.T) {
	broken := errors.New("the lab's own trouble")
	breaks := &Case{ID: "test-run/breaks", Run: func(context.Context, *Env) (Run, error) { return Run{}, broken }}
	for _, jobs := range []int{0, 1} {
		first := []*Case{stuck, breaks}
		if jobs == 1 { // no case is started after it
			first = []*Case{breaks, {ID: "test-run/never", Run: func(context.Context, *Env) (Run, error) {
				t.Error("a case was started in a lab that had broken")
				return Run{}, nil
			}}}
		}
		start := time.Now()
		_, err := runCasesOf(t, Runner{Jobs: jobs}, first...)
		if !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), "test-run/breaks: ") {
			t.Errorf("-j %d: %v, want the case that broke", jobs, err)
		}
		if took := time.Since(start); took > caseLimit/2 {
			t.Errorf("-j %d: it took %v", jobs, took)
		}
	}
}

func TestASkipEndsNoOtherCase(t *testing.T) {
	var ran sync.WaitGroup
	ran.Add(1)
	res, err := runCasesOf(t, Runner{Jobs: 1},
		&Case{ID: "test-run/skips", Run: func(context.Context, *Env) (Run, error) { return Run{}, &Skip{Why: "not here"} }},
		&Case{ID: "test-run/runs", Run: func(ctx context.Context, _ *Env) (Run, error) { ran.Done(); return Run{}, ctx.Err() }})
	if err != nil {
		t.Fatal(err)
	}
	ran.Wait()
	if why := res.Groups[0].Rows[0].Skipped; why != "not here" {
		t.Errorf("skipped for %q", why)
	}
}

func TestACaseThatDoesNotEndIsNamedWithWhatItWaitedFor(t *testing.T) {
	waits := &Case{ID: "test-run/waits", Run: func(ctx context.Context, _ *Env) (Run, error) {
		srv, err := servers.NewStall(servers.StallOptions{})
		if err != nil {
			return Run{}, err
		}
		defer srv.Close()
		if err := srv.Ledger().Await(ctx, worked); err != nil {
			return Run{}, errors.Join(errors.New("wait for the work"), err)
		}
		return Run{}, nil
	}}
	socketWaits := &Case{ID: "test-run/socket", Run: func(ctx context.Context, e *Env) (Run, error) {
		srv, err := servers.NewStall(servers.StallOptions{})
		if err != nil {
			return Run{}, err
		}
		return bySocket(ctx, e, srv, func(s *socket) error {
			s.note("read")
			<-ctx.Done()
			return ctx.Err()
		})
	}}
	for _, row := range []struct {
		c    *Case
		want []string
	}{
		{stuck, []string{"test-run/stuck: attempt 1, after \"", ": does not end within 300ms"}},
		{waits, []string{"test-run/waits: does not end within 300ms: wait for the work"}},
		{socketWaits, []string{"test-run/socket: after \"read\": does not end within 300ms"}},
	} {
		_, err := runCasesOf(t, Runner{Limit: 300 * time.Millisecond}, row.c)
		for _, want := range row.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %q in it", err, want)
			}
		}
	}
}

// Whoever waits for a server that no client can reach waits for ever.
func TestAServerThatIsNeverReachedIsNotWaitedFor(t *testing.T) {
	dead, err := servers.NewRefused()
	if err != nil {
		t.Fatal(err)
	}
	defer dead.Close()
	stall := func() *servers.Server {
		srv, err := servers.NewStall(servers.StallOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return srv
	}
	e := &Env{Epoch: time.Now()}
	for what, run := range map[string]func() error{
		"a call until the work is done": func() error {
			_, err := byHTTPUntil(t.Context(), newClient(e, nil), elsewhere{stall(), dead.URL()}, call{}, worked)
			return err
		},
		"a client that is let in some time": func() error {
			c := newClient(e, nil)
			defer c.close()
			return c.untilAnswered(t.Context(), dead.URL(), func(classifier.Decision) time.Duration { return time.Hour })
		},
		"a crowd": func() error {
			c := newClient(e, nil)
			c.transport.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
				return (&net.Dialer{}).DialContext(ctx, network, dead.Addr())
			}
			_, err := inCrowd(t.Context(), c, 2, func(string, func() error) error { return nil })
			return err
		},
		"an upstream": func() error {
			up := stall()
			defer up.Close()
			gw, err := servers.NewGateway(servers.GatewayOptions{Upstream: dead.URL()})
			if err != nil {
				t.Fatal(err)
			}
			defer gw.Close()
			_, err = through(t.Context(), e, gw, up, true)
			return err
		},
	} {
		if err := run(); err == nil || !strings.Contains(err.Error(), "refused") && !strings.Contains(err.Error(), "502") {
			t.Errorf("%s: %v, want an error that says why nobody came", what, err)
		}
	}
}

// elsewhere is a server whose clients go to another address.
type elsewhere struct {
	*servers.Server
	url string
}

func (s elsewhere) URL() string { return s.url }

func TestChanceComesFromTheRun(t *testing.T) {
	var mu sync.Mutex
	drawn := 0
	r := Runner{Draw: func(below time.Duration) time.Duration {
		mu.Lock()
		defer mu.Unlock()
		drawn++
		return below - 1
	}}
	if _, err := runCasesOf(t, r, connectResetOnAccept); err != nil {
		t.Fatal(err)
	}
	if want := racyRuns; drawn < want { // the client's moment, where it connects, and the server's
		t.Errorf("%d moments drawn in %d runs", drawn, want)
	}
}

func TestAClientThatSpeaksNoHTTP2SkipsItsCases(t *testing.T) {
	t.Setenv("GODEBUG", "http2client=0")
	for id, row := range runRows(t, http2Group()) {
		if !strings.Contains(row.Skipped, "did not speak HTTP/2") {
			t.Errorf("%s: skipped for %q, cells %v", id, row.Skipped, row.Cells)
		}
	}
}
