package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// report is the part of the lab's JSON report that a soak looks at.
type report struct {
	Schema int `json:"schema"`
	Groups []struct {
		Drift []struct {
			Row, Column, Want, Got string
		} `json:"drift"`
	} `json:"groups"`
	Sound struct {
		Unsafe []struct {
			Row, Why string
		} `json:"unsafe"`
	} `json:"sound"`
	Usable bool      `json:"usable"` // of an audit
	Cases  []audited `json:"cases"`  // of an audit alone
}

// An observation is what one run showed.
type observation struct {
	elapsed time.Duration
	peak    int64    // bytes of the largest resident set; 0: not told
	drifts  []string // cells that differ from the golden tables
	unsound []string // rows whose verdict the ledger contradicts
	failure string   // why the run is no clean one though it names neither
	cases   []audited
}

// complaints is one line for each thing that was wrong.
func (o observation) complaints() []string {
	var lines []string
	for _, d := range o.drifts {
		lines = append(lines, "drift: "+d)
	}
	for _, u := range o.unsound {
		lines = append(lines, "unsound: "+u)
	}
	if o.failure != "" {
		lines = append(lines, "failed: "+o.failure)
	}
	return lines
}

// grace is how long an interrupted command may take to end.
const grace = 2 * time.Second

// observe runs the command once. A run longer than limit is interrupted, then
// killed, and has failed.
func observe(ctx context.Context, limit time.Duration, command []string) observation {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var stdout, stderr bytes.Buffer
	run := exec.CommandContext(ctx, command[0], command[1:]...)
	run.Stdout, run.Stderr = &stdout, &stderr
	run.Cancel = func() error { return run.Process.Signal(os.Interrupt) }
	run.WaitDelay = grace
	start := time.Now()
	err := run.Run()
	o := observation{elapsed: time.Since(start), peak: peak(run.ProcessState)}

	var r report
	if bad := json.Unmarshal(stdout.Bytes(), &r); bad != nil || r.Schema != 1 {
		o.failure = fmt.Sprintf("no report of schema 1 (%v, %v): %s", bad, err, tail(&stderr))
		return o
	}
	if len(r.Cases) > 0 {
		if o.cases = r.Cases; !r.Usable {
			o.failure = fmt.Sprintf("nothing could be asked: %s", tail(&stderr))
		}
		return o // whose exit code is the client's, not the lab's
	}
	for _, g := range r.Groups {
		for _, d := range g.Drift {
			o.drifts = append(o.drifts, fmt.Sprintf("%s %s: want %q, got %q", d.Row, d.Column, d.Want, d.Got))
		}
	}
	for _, u := range r.Sound.Unsafe {
		o.unsound = append(o.unsound, u.Row+": "+u.Why)
	}
	if err != nil && len(o.drifts)+len(o.unsound) == 0 {
		o.failure = fmt.Sprintf("%v: %s", err, tail(&stderr))
	}
	return o
}

// tail is the last line of a command's messages, bounded.
func tail(b *bytes.Buffer) string {
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	last := lines[len(lines)-1]
	return fmt.Sprintf("%.300q", last)
}
