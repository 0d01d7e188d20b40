package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == serveArg {
		if err := serve(os.Args[2], os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(3)
		}
		return
	}
	os.Exit(m.Run())
}

const answeredReport = `Running 1s test @ http://127.0.0.1:33865/200
  2 threads and 64 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     3.83ms    7.24ms  96.95ms   89.39%
    Req/Sec    16.14k     2.71k   22.84k    66.67%
  61600 requests in 2.00s, 6.20MB read
Requests/sec:  30800.00
Transfer/sec:      5.64MB
`

const resetReport = `Running 4s test @ http://127.0.0.1:37965/reset
  2 threads and 512 connections
  0 requests in 4.00s, 0.00B read
  Socket errors: connect 0, read 106904, write 0, timeout 0
Requests/sec:      0.00
`

func TestReportsOfWrkAreUnderstood(t *testing.T) {
	rows := []struct {
		why, said string
		rate      func(run) (float64, error)
		want      float64 // 0: an error
	}{
		{"requests over the time they took", answeredReport, run.answers, 30800},
		{"a reset is a read error", resetReport, run.resets, 26726},
		{"resets are no answers", resetReport, run.answers, 0},
		{"answers are no resets", answeredReport, run.resets, 0},
		{"an answer that is no success", answeredReport + "  Non-2xx or 3xx responses: 3\n", run.answers, 0},
		{"a connection that failed", strings.Replace(resetReport, "connect 0", "connect 3", 1), run.resets, 0},
		{"no report", "unable to connect to 127.0.0.1:1 Connection refused\n", run.answers, 0},
	}
	for _, r := range rows {
		t.Run(r.why, func(t *testing.T) {
			said, err := understand(r.said)
			var got float64
			if err == nil {
				got, err = r.rate(said)
			}
			if got != r.want || (err == nil) != (r.want > 0) {
				t.Errorf("rate %.0f, %v, want %.0f of\n%s", got, err, r.want, r.said)
			}
		})
	}
}

func TestTargetIsHeldAgainstTheMedianRatio(t *testing.T) {
	rows := []struct {
		why        string
		ours, bare []float64
		atLeast    bool
		missed     bool
	}{
		{"one slow round of three", []float64{90, 10, 95}, []float64{100, 100, 100}, true, false},
		{"two slow rounds of three", []float64{90, 10, 10}, []float64{100, 100, 100}, true, true},
		{"a slow machine slows both", []float64{9, 95, 1}, []float64{10, 100, 1}, true, false},
		{"more where less is wanted", []float64{90}, []float64{100}, false, true},
		{"less where less is wanted", []float64{70}, []float64{100}, false, false},
		{"the target itself", []float64{80}, []float64{100}, true, false},
	}
	for _, r := range rows {
		t.Run(r.why, func(t *testing.T) {
			one := row{what: "x", ours: r.ours, bare: r.bare, target: 0.8, atLeast: r.atLeast}
			var b bytes.Buffer
			if err := table(&b, []row{one}); err != nil {
				t.Fatal(err)
			}
			if one.missed() != r.missed || strings.Contains(b.String(), "MISSED") != r.missed {
				t.Errorf("missed = %v, want %v, and the table\n%s", one.missed(), r.missed, &b)
			}
		})
	}
}

// The servers and the memory are real, and wrk is not needed for them.
func TestBenchMeasuresIdleConnections(t *testing.T) {
	t.Setenv("GORACE", "atexit_sleep_ms=0") // else each child takes a second to end
	var stdout, stderr bytes.Buffer
	code := bench(t.Context(), []string{"-conns", "", "-idle", "20"}, &stdout, &stderr)
	want := 0
	if strings.Contains(stdout.String(), "MISSED") {
		want = 1
	}
	if code != want || strings.Count(stdout.String(), "20 idle connections") != 2 {
		t.Errorf("bench = %d, want %d and two rows\n%s%s", code, want, &stdout, &stderr)
	}
}

// What the two rivals send differs in no byte but those that differ from one
// answer of the Origin's to the next.
func TestBareServerAnswersTheSameBytes(t *testing.T) {
	t.Setenv("GORACE", "atexit_sleep_ms=0")
	p := plan{stderr: os.Stderr, time: time.Second}
	var said [2]string
	for i, what := range []string{origin, bareHTTP} {
		r, err := p.compete(what)
		if err != nil {
			t.Fatal(err)
		}
		said[i] = wholeAnswer(t, r.addr)
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
	ours, bare := fields(said[0]), fields(said[1])
	if len(ours) == 0 || fmt.Sprint(ours) != fmt.Sprint(bare) {
		t.Errorf("the heads differ:\n%q\n%q", said[0], said[1])
	}
}

func TestBenchSaysHowToInstallWrk(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	var stdout, stderr bytes.Buffer
	code := bench(t.Context(), nil, &stdout, &stderr)
	if code != 3 || !strings.Contains(stderr.String(), "apt-get install wrk") {
		t.Errorf("bench without wrk = %d, %q, want 3 and how to install it", code, &stderr)
	}
}

func TestWrongUsageMeasuresNothing(t *testing.T) {
	for _, args := range [][]string{{"x"}, {"-rounds", "0"}, {"-time", "1500ms"}, {"-conns", "1"}, {"-conns", "many"}, {"-idle", "-1"}} {
		var stdout, stderr bytes.Buffer
		if code := bench(t.Context(), args, &stdout, &stderr); code != 2 || stdout.Len() > 0 || stderr.Len() == 0 {
			t.Errorf("bench %q = %d, stdout %q, stderr %q, want 2 and a message", args, code, &stdout, &stderr)
		}
	}
}
