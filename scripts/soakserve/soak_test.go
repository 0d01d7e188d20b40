package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/retry-lab/retry-lab/scripts/child"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == serveArg {
		if err := serve(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(3)
		}
		return
	}
	os.Exit(m.Run())
}

// needsProc skips where the soak cannot run.
func needsProc(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("no /proc")
	}
	t.Setenv("GORACE", "atexit_sleep_ms=0") // else the child takes a second to end
}

func TestSoakCountsWhatTheClientsCount(t *testing.T) {
	needsProc(t)
	var stdout, stderr bytes.Buffer
	code := soak(t.Context(), []string{"-conns", "20", "-time", "50ms"}, &stdout, &stderr)
	if lines := strings.Count(stdout.String(), "\n"); code != 0 || stderr.Len() > 0 || lines != 1+len(faults) {
		t.Errorf("soak = %d, want 0 and a line for each fault\n%s%s", code, &stdout, &stderr)
	}
}

func TestSoakComplainsOfMemory(t *testing.T) {
	needsProc(t)
	var stdout, stderr bytes.Buffer
	code := soak(t.Context(), []string{"-conns", "1", "-time", "1ms", "-memory", "1"}, &stdout, &stderr)
	if code != 1 || !strings.Contains(stderr.String(), "more than 1") {
		t.Errorf("soak within 1 MiB = %d, %q, want 1 and a complaint", code, &stderr)
	}
}

func TestEveryDifferenceIsAComplaint(t *testing.T) {
	const mib = 1 << 20
	good := soaked{
		clients: tally{connected: 3, asked: 7, met: 7},
		before:  count{Connections: 10, Strays: 1},
		after: count{Connections: 13, Strays: 1, Deliveries: 7, Commits: 7,
			Goroutines: 2, Descriptors: 9, Memory: child.Memory{Peak: 20 * mib}},
		idle: count{Goroutines: 2, Descriptors: 9},
	}
	if got := good.complaints(faults[0], 20*mib); len(got) > 0 {
		t.Fatalf("complaints of a run that held: %q", got)
	}
	rows := []struct {
		why  string
		harm func(*soaked)
		want string
	}{
		{"a delivery is not in the ledger", func(s *soaked) { s.after.Deliveries-- }, "6 deliveries"},
		{"a delivery too many", func(s *soaked) { s.after.Deliveries++ }, "8 deliveries"},
		{"work that was not done", func(s *soaked) { s.after.Commits-- }, "6 commits"},
		{"a request without its fault", func(s *soaked) { s.clients.met-- }, "6 met the fault"},
		{"a client that met something else", func(s *soaked) { s.clients.fail(errors.New("odd")) }, "one of them: odd"},
		{"nobody asked", func(s *soaked) { *s = soaked{idle: s.idle, after: s.idle} }, "0 requests"},
		{"a connection that was not accepted", func(s *soaked) { s.after.Connections-- }, "3 connections, but 2 accepted"},
		{"a request that no call has", func(s *soaked) { s.after.Strays++ }, "1 requests were no call's"},
		{"a connection is left", func(s *soaked) { s.after.Open = 1 }, "left: 1 connections"},
		{"a delivery is left", func(s *soaked) { s.after.InFlight = 1 }, "1 deliveries;"},
		{"a goroutine is left", func(s *soaked) { s.after.Goroutines++ }, "3 goroutines"},
		{"a descriptor is left", func(s *soaked) { s.after.Descriptors++ }, "10 descriptors"},
		{"memory", func(s *soaked) { s.after.Memory.Peak += mib }, "21 MiB"},
	}
	for _, r := range rows {
		t.Run(r.why, func(t *testing.T) {
			s := good
			r.harm(&s)
			if got := s.complaints(faults[0], 20*mib); len(got) != 1 || !strings.Contains(got[0], r.want) {
				t.Errorf("complaints %q, want one with %q", got, r.want)
			}
		})
	}
}

func TestClientKnowsItsFault(t *testing.T) {
	answer := func(raw string) func() (*http.Response, error) {
		return func() (*http.Response, error) { return http.ReadResponse(bufio.NewReader(strings.NewReader(raw)), nil) }
	}
	reset := func() (*http.Response, error) { return nil, syscall.ECONNRESET }
	all := answer("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\npaid")
	half := answer("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\npa")
	none := answer("")
	unavailable := answer("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n")
	rows := []struct {
		why  string
		what func() (*http.Response, error)
		by   func(*http.Response, error) error
		met  bool
	}{
		{"a whole answer", all, whole, true},
		{"half an answer is not whole", half, whole, false},
		{"another status", unavailable, whole, false},
		{"a reset is no answer", reset, whole, false},
		{"a reset", reset, wasReset, true},
		{"an answer is no reset", all, wasReset, false},
		{"a close in order is no reset", none, wasReset, false},
		{"half a body", half, wasTruncated, true},
		{"a whole body is not truncated", all, wasTruncated, false},
		{"no head is not half a body", none, wasTruncated, false},
		{"a reset is not half a body", reset, wasTruncated, false},
	}
	for _, r := range rows {
		t.Run(r.why, func(t *testing.T) {
			if err := r.by(r.what()); (err == nil) != r.met {
				t.Errorf("%v, want met %v", err, r.met)
			}
		})
	}
}

func TestInterruptedSoakEnds(t *testing.T) {
	needsProc(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stdout, stderr bytes.Buffer
	if code := soak(ctx, []string{"-conns", "2"}, &stdout, &stderr); code != 130 {
		t.Errorf("interrupted soak = %d, want 130\n%s", code, &stderr)
	}
}

func TestWrongUsageRunsNothing(t *testing.T) {
	for _, args := range [][]string{{"x"}, {"-conns", "0"}, {"-time", "0s"}, {"-conns", "many"}, {"-unknown"}} {
		var stdout, stderr bytes.Buffer
		if code := soak(t.Context(), args, &stdout, &stderr); code != 2 || stdout.Len() > 0 || stderr.Len() == 0 {
			t.Errorf("soak %q = %d, stdout %q, stderr %q, want 2 and a message", args, code, &stdout, &stderr)
		}
	}
}
