package cmd

import (
	"context"
	"io"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/retry-lab/retry-lab/golden"
	"github.com/retry-lab/retry-lab/scenarios"
)

// An app is one run of the program: its streams, its environment, and the lab.
type app struct {
	stdin  io.Reader
	stdout *output
	stderr io.Writer
	lookup func(string) (string, bool)
	lab    lab

	color choice

	// started tells a mistake in the command line from a failure of what was
	// asked: cobra checks flags and arguments before it calls a command.
	started bool

	interrupted sync.Once // guards the line that says so

	// serving: an interrupt is how the command ends, and its exit code is that
	// of what it did.
	serving atomic.Bool

	// ending is how long an interrupted command may take to end, where that is
	// more than grace: a time.Duration, or zero.
	ending atomic.Int64

	guard *guard // nil: an audit runs in this process
}

// A lab is what the commands need of the packages below. Tests put another in
// its place.
type lab struct {
	groups   []scenarios.Group
	run      func(context.Context, scenarios.Runner, []scenarios.Selection) (scenarios.Result, error)
	embedded golden.Set
	platform string // of the golden tables
	now      func() time.Time
}

func realLab() lab {
	return lab{
		groups: scenarios.Groups(),
		run: func(ctx context.Context, r scenarios.Runner, sel []scenarios.Selection) (scenarios.Result, error) {
			return r.Run(ctx, sel)
		},
		embedded: golden.Embedded(),
		platform: runtime.GOOS,
		now:      time.Now,
	}
}

func newApp(stdin io.Reader, stdout, stderr io.Writer, lookup func(string) (string, bool), l lab) *app {
	return &app{
		stdin: stdin, stdout: &output{w: stdout}, stderr: stderr, lookup: lookup, lab: l,
		color: choice{value: "auto", allowed: []string{"auto", "always", "never"}},
	}
}

// execute runs the command that args name and returns the exit code.
func (a *app) execute(ctx context.Context, args []string) int {
	root := newRootCmd(a)
	root.SetArgs(append([]string{}, args...)) // nil would mean os.Args
	c, err := root.ExecuteContextC(ctx)
	return a.exitCode(ctx, c, err)
}

// An output remembers the first error of its writer: whoever renders may lose
// it, the exit code must not.
type output struct {
	w   io.Writer
	err error
}

func (o *output) Write(p []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.w.Write(p)
	o.err = err
	return n, err
}
