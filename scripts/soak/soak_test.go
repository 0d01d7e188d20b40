package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"testing"
)

// lab is the argument that makes the test binary a lab which prints one of
// these reports.
const lab = "pretend-to-be-the-lab"

var labs = map[string]struct {
	report string
	code   int
}{
	"agrees": {`{"schema":1,"groups":[{"id":"network","drift":[]}],"sound":{"checked":3,"unsafe":[]}}`, 0},
	"drifts": {`{"schema":1,"groups":[{"drift":[{"row":"network/reset","column":"syscall","want":"read","got":"write"},
		{"row":"network/reset","column":"code","want":"ECONNRESET","got":"EPIPE"}]}],"sound":{"unsafe":[]}}`, 1},
	"is unsound": {`{"schema":1,"groups":[],"sound":{"unsafe":[{"row":"charge/bare","why":"committed twice"}]}}`, 1},
	"breaks":     {``, 3},
	"denies":     {`{"schema":1,"groups":[],"sound":{"unsafe":[]}}`, 1},
	"audits":     {`{"schema":1,"usable":true,"cases":[{"id":"status/post-500","verdict":"danger"}]}`, 1},
	"cannot ask": {`{"schema":1,"usable":false,"cases":[{"id":"control/ok","verdict":"n.a."}]}`, 3},
	"moves on":   {`{"schema":2}`, 0},
}

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == spinArg {
		spin(os.Stdin)
		return
	}
	if len(os.Args) == 3 && os.Args[1] == lab {
		os.Exit(pretend(os.Args[2]))
	}
	os.Exit(m.Run())
}

// pretend is the whole of a false lab. One that hangs ends when interrupted.
func pretend(how string) int {
	if how == "hangs" {
		interrupted := make(chan os.Signal, 1)
		signal.Notify(interrupted, os.Interrupt)
		<-interrupted
		return 130
	}
	fmt.Println(labs[how].report)
	fmt.Fprintln(os.Stderr, "first line\nretry-lab:", how)
	return labs[how].code
}

// self is a soak command line that runs the false lab.
func self(t *testing.T, how string, flags ...string) []string {
	t.Helper()
	t.Setenv("GORACE", "atexit_sleep_ms=0") // else each child takes a second to end
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return append(flags, "--", path, lab, how)
}

func TestSoakReportsWhatEveryRunShowed(t *testing.T) {
	rows := []struct {
		lab, why, summary, complaint string
		code                         int
	}{
		{"agrees", "a clean lab passes", "runs 2, drifts 0, unsound 0, failed 0", "", 0},
		{"drifts", "every cell of every run counts, and is named", "runs 2, drifts 4, unsound 0, failed 0",
			`soak: run 2: drift: network/reset code: want "ECONNRESET", got "EPIPE"`, 1},
		{"is unsound", "a breach is counted apart from drift", "runs 2, drifts 0, unsound 2, failed 0",
			"soak: run 1: unsound: charge/bare: committed twice", 1},
		{"breaks", "a lab that cannot run is no clean run, and its last word is shown", "runs 2, drifts 0, unsound 0, failed 2",
			`exit status 3): "retry-lab: breaks"`, 1},
		{"denies", "a failed exit code counts even when the report shows nothing", "runs 2, drifts 0, unsound 0, failed 2",
			"failed: exit status 1", 1},
		{"audits", "the exit code of an audit is its client's", "runs 2, drifts 0, unsound 0, failed 0", "", 0},
		{"cannot ask", "an audit that could ask nothing is no clean run", "runs 2, drifts 0, unsound 0, failed 2", "nothing could be asked", 1},
		{"moves on", "a report of another schema is not understood by luck", "runs 2, drifts 0, unsound 0, failed 2",
			"no report of schema 1", 1},
	}
	for _, r := range rows {
		t.Run(r.why, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			code := soak(t.Context(), self(t, r.lab, "-runs", "2", "-loops", "1"), &stdout, &stderr)
			if code != r.code || !strings.HasPrefix(stdout.String(), r.summary) || !strings.Contains(stderr.String(), r.complaint) {
				t.Errorf("soak of a lab that %s = %d\nstdout: %s\nstderr: %s\nwant %d, %q and %q",
					r.lab, code, &stdout, &stderr, r.code, r.summary, r.complaint)
			}
			if r.complaint == "" && stderr.Len() > 0 {
				t.Errorf("stderr is %q, want nothing", &stderr)
			}
		})
	}
}

func TestAuditsThatDiffer(t *testing.T) {
	first := []audited{{"a", "pass", "once"}, {"b", "weak", "once"}, {"c", "pass", ""}}
	got := differing(first, []audited{{"b", "weak", "twice"}, {"a", "harm", "thrice"}})
	want := []string{`a verdict: first "pass" (once), now "harm" (thrice)`, "c: not in the report"}
	if !slices.Equal(got, want) {
		t.Errorf("differing = %q, want %q", got, want)
	}
}

func TestSoakEndsAHangingRun(t *testing.T) {
	var stdout bytes.Buffer
	code := soak(t.Context(), self(t, "hangs", "-runs", "1", "-loops", "0", "-limit", "10ms"), &stdout, io.Discard)
	if want := "runs 1, drifts 0, unsound 0, failed 1"; code != 1 || !strings.HasPrefix(stdout.String(), want) {
		t.Errorf("soak of a hanging lab = %d, %q, want 1 and %q", code, &stdout, want)
	}
}

func TestInterruptedSoakSaysWhatItHas(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stdout bytes.Buffer
	code := soak(ctx, self(t, "hangs", "-loops", "1"), &stdout, io.Discard)
	if want := "runs 0, drifts 0"; code != 130 || !strings.HasPrefix(stdout.String(), want) {
		t.Errorf("interrupted soak = %d, %q, want 130 and %q", code, &stdout, want)
	}
}

func TestWrongUsageRunsNothing(t *testing.T) {
	for _, args := range [][]string{{}, {"-runs", "0", "--", "x"}, {"-runs", "many"}, {"-limit", "0s", "--", "x"}, {"-unknown"}} {
		var stdout, stderr bytes.Buffer
		if code := soak(t.Context(), args, &stdout, &stderr); code != 2 || stdout.Len() > 0 || stderr.Len() == 0 {
			t.Errorf("soak %q = %d, stdout %q, stderr %q, want 2 and a message on stderr", args, code, &stdout, &stderr)
		}
	}
}

// A busy loop outlives nothing: its stdin ends with the process that holds the
// other end, however that process ended.
func TestBusyLoopEndsWithItsInput(t *testing.T) {
	r, w := io.Pipe()
	done := make(chan struct{})
	go func() {
		spin(r)
		close(done)
	}()
	select {
	case <-done:
		t.Fatal("spin ended while its input was open")
	default:
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	<-done
}
