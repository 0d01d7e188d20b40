package netns

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"time"
)

// maxResult is the most that a child may answer, in bytes.
const maxResult = 4 << 20

// afterDeath is how long the pipes of a dead child are still read, in case a
// descendant holds them open.
const afterDeath = 10 * time.Second

// errTooLarge ends a child that answers without bound.
var errTooLarge = fmt.Errorf("the answer is larger than %d bytes", maxResult)

// A process is a started child, seen from the parent.
type process struct {
	cmd    *exec.Cmd
	stdin  *os.File // the child's life line: it exits when this closes
	result *os.File // where its answer arrives
	output ends     // what it printed, on either stream
}

// Run starts the running binary once more as spec says, waits for it, and
// returns what it wrote to [Child.Result], at most 4 MiB.
//
// The error wraps [*Unavailable] if the child could not be started or reported
// a step that failed; it wraps ctx's cause if ctx ended first, in which case
// the child has been killed and is gone; otherwise it says how the child ended
// and what it printed, escaped and bounded. A child may not run children: to it
// they are Unavailable.
//
// Run keeps an OS thread for as long as the child lives.
func Run(ctx context.Context, spec Spec) ([]byte, error) {
	if err := spec.Validate(); err != nil {
		return nil, err
	}
	// The kernel kills the child when the thread that forked it ends, which
	// for an unlocked goroutine may be any time: go.dev/issue/27505.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	answer, err := run(ctx, cancel, spec)
	if err != nil {
		return nil, fmt.Errorf("child %q: %w", spec.Args, err)
	}
	return answer, nil
}

// run starts the child, limits it, lets it go, and waits for it.
func run(ctx context.Context, cancel context.CancelCauseFunc, spec Spec) ([]byte, error) {
	p, err := start(ctx, spec)
	if p == nil {
		return nil, err
	}
	if err == nil {
		err = p.release(spec.NoFile)
	}
	if err != nil {
		cancel(err) // kills it
	}
	return p.wait(ctx, cancel)
}

// wait reads the child's answer to its end. cancel ends ctx, and so the child.
func (p *process) wait(ctx context.Context, cancel context.CancelCauseFunc) ([]byte, error) {
	var answer []byte
	var readErr error
	read := make(chan struct{})
	go func() {
		defer close(read)
		answer, readErr = io.ReadAll(io.LimitReader(p.result, maxResult+1))
		if len(answer) > maxResult {
			readErr = errTooLarge
			cancel(errTooLarge)
		}
	}()
	waitErr := p.cmd.Wait()
	deadlineErr := p.result.SetReadDeadline(time.Now().Add(afterDeath))
	<-read
	closeErr := p.close()

	unavailable, reportErr := readReport(answer)
	switch {
	case waitErr != nil && ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case readErr != nil:
		return nil, fmt.Errorf("its answer: %w", readErr)
	case unavailable != nil:
		return nil, unavailable
	case reportErr != nil:
		return nil, reportErr
	case waitErr != nil:
		return nil, fmt.Errorf("%w, having printed %s", waitErr, &p.output)
	}
	return answer, errors.Join(deadlineErr, closeErr)
}

// close gives up the parent's ends of the pipes, which ends a child that
// still runs.
func (p *process) close() error { return errors.Join(p.stdin.Close(), p.result.Close()) }
