package cmd

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/retry-lab/retry-lab/audit"
	"github.com/retry-lab/retry-lab/scenarios"
)

// Main runs retry-lab with the arguments after the program's name and returns
// its exit code. lookup reads the environment, as os.LookupEnv does. Where
// stdin, stdout and stderr are files, a terminal is treated as one.
//
// SIGINT and SIGTERM end it within 200 ms with 130, but for `serve`, which ends
// within a second with 0, and `audit`, which first kills what it started. It catches signals for the
// whole process while it runs.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer, lookup func(string) (string, bool)) int {
	// Caught and not ignored: a write to a closed pipe then fails with EPIPE
	// where it would have killed the process, and a child process still starts
	// with the default.
	pipe := make(chan os.Signal, 1)
	signal.Notify(pipe, syscall.SIGPIPE)
	defer signal.Stop(pipe)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()

	if len(args) > 0 && args[0] == scenarios.ChildCommand {
		return untilInterrupted(ctx, func() int { return child(ctx, args[1:], stderr) }, briefly, func() {})
	}
	if len(args) > 0 && args[0] == audit.ChildCommand {
		return untilInterrupted(ctx, func() int { return auditChild(ctx, args[1:], stderr) }, briefly, func() {})
	}
	a := newApp(stdin, stdout, stderr, lookup, realLab())
	if len(args) > 0 && args[0] == workerWord {
		ctx, args = guarded(ctx), args[1:]
	} else {
		a.guard = newGuard(args, stdin, stdout, stderr)
	}
	return untilInterrupted(ctx, func() int { return a.execute(ctx, args) }, a.grace, a.abandon)
}

// workerWord is the hidden word before the arguments of a [guard]'s worker.
const workerWord = "audit-worker"

// grace is how long an interrupted command may take to end by itself. What is
// still busy then, such as a read from a pipe that nobody writes to, ends with
// the process. lastWord is how long it may take to say so, where even stderr
// may be a pipe that nobody reads.
const (
	grace    = 120 * time.Millisecond
	lastWord = 40 * time.Millisecond
	cleanup  = 10 * time.Second // of an audit, to kill what it started
)

func briefly() time.Duration { return grace }

// grace is how long this run may take at the moment: serve has connections to
// end, and audit processes.
func (a *app) grace() time.Duration {
	if d := a.ending.Load(); d != 0 {
		return time.Duration(d)
	}
	return briefly()
}

// untilInterrupted returns what run does, or, when it does not end within grace
// after an interrupt, calls abandon.
func untilInterrupted(ctx context.Context, run func() int, grace func() time.Duration, abandon func()) int {
	code := make(chan int, 1)
	go func() { code <- run() }()
	select {
	case c := <-code:
		return c
	case <-ctx.Done():
	}
	select {
	case c := <-code:
		return c
	case <-time.After(grace()):
	}
	said := make(chan struct{})
	go func() {
		defer close(said)
		abandon()
	}()
	select {
	case <-said:
	case <-time.After(lastWord):
	}
	return exitInterrupted
}

// abandon is the last word of a command that does not end.
func (a *app) abandon() {
	if isTerminal(a.stderr) && !a.dumb() {
		io.WriteString(a.stderr, clearLine) // the progress may still stand there
	}
	a.sayInterrupted()
}
