package main

import (
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"time"
)

// threads of wrk's.
const threads = 2

// A run is what wrk said.
type run struct {
	requests int // answered
	connect  int // errors of each kind
	read     int
	write    int
	timeout  int
	took     time.Duration
}

var (
	saidRequests = regexp.MustCompile(`(\d+) requests in ([\d.]+\w+),`)
	saidErrors   = regexp.MustCompile(`Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)`)
	saidStatus   = regexp.MustCompile(`Non-2xx or 3xx responses: \d+`)
)

// wrk runs it against a URL.
func wrk(ctx context.Context, conns int, d time.Duration, url string) (run, error) {
	seconds := strconv.Itoa(int(d.Seconds())) + "s"
	out, err := exec.CommandContext(ctx, "wrk", "-t", strconv.Itoa(threads), "-c", strconv.Itoa(conns), "-d", seconds, url).CombinedOutput()
	if err != nil {
		return run{}, fmt.Errorf("wrk: %w: %.300q", err, out)
	}
	return understand(string(out))
}

// understand reads wrk's report.
func understand(said string) (run, error) {
	var r run
	m := saidRequests.FindStringSubmatch(said)
	if m == nil || saidStatus.MatchString(said) {
		return r, fmt.Errorf("wrk said %.500q", said)
	}
	var err error
	if r.took, err = time.ParseDuration(m[2]); err != nil || r.took <= 0 {
		return r, fmt.Errorf("wrk took %q", m[2])
	}
	r.requests = number(m[1])
	if m = saidErrors.FindStringSubmatch(said); m != nil {
		r.connect, r.read, r.write, r.timeout = number(m[1]), number(m[2]), number(m[3]), number(m[4])
	}
	return r, nil
}

// number is of digits that a pattern has found; too many of them are the
// largest there is.
func number(digits string) int {
	n, _ := strconv.Atoi(digits)
	return n
}

// answers is requests a second of a run that must have no error.
func (r run) answers() (float64, error) {
	if r.connect+r.read+r.write+r.timeout > 0 || r.requests == 0 {
		return 0, fmt.Errorf("not every request was answered: %+v", r)
	}
	return float64(r.requests) / r.took.Seconds(), nil
}

// resets is resets a second of a run in which nothing is answered.
func (r run) resets() (float64, error) {
	if r.connect+r.write+r.timeout+r.requests > 0 || r.read == 0 {
		return 0, fmt.Errorf("not every request was reset: %+v", r)
	}
	return float64(r.read) / r.took.Seconds(), nil
}
