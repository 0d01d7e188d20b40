package cmd

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/retry-lab/retry-lab/audit"
)

// A guard is this process while an audit runs in another, its worker: the same
// program with the same arguments and streams. Whichever of the two is killed,
// the other kills what the audit had started, to the last grandchild. The
// worker has a process group of its own, so that a signal to the guard's is not
// the end of both.
type guard struct {
	args  []string
	files []*os.File
}

// lifeLine is the worker's descriptor that ends when its guard does.
const lifeLine = 3

// newGuard is nil where a stream is no file, which another process cannot have.
func newGuard(args []string, streams ...any) *guard {
	g := &guard{args: args}
	for _, s := range streams {
		f, ok := s.(*os.File)
		if !ok {
			return nil
		}
		g.files = append(g.files, f)
	}
	return g
}

// run returns the worker's exit code when nothing of it is left; or why there
// is no worker.
func (g *guard) run(ctx context.Context) (code int, noWorker error) {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return 0, os.NewSyscallError("prctl", err)
	}
	theirs, ours, err := os.Pipe()
	if err != nil {
		return 0, err
	}
	defer ours.Close() // only ever closed
	worker, err := os.StartProcess("/proc/self/exe", append([]string{os.Args[0], workerWord}, g.args...), &os.ProcAttr{
		Files: append(g.files, theirs), Sys: &syscall.SysProcAttr{Setpgid: true},
	})
	if err := errors.Join(err, theirs.Close()); err != nil {
		return 0, err
	}
	ended := make(chan int, 1)
	go func() { ended <- exitCodeOf(worker) }()
	select {
	case code = <-ended:
	case <-ctx.Done():
		_ = worker.Signal(os.Interrupt) // it may have ended
		select {
		case code = <-ended:
		case <-time.After(cleanup):
			_ = worker.Kill()
			code = <-ended
		}
	}
	if audit.KillChildren(cleanup) != nil {
		return exitBroken, nil
	}
	return code, nil
}

// exitCodeOf waits for a process, for the code that a shell would give it.
func exitCodeOf(p *os.Process) int {
	state, err := p.Wait()
	if err != nil {
		return exitBroken
	}
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return state.ExitCode()
}

// guarded ends with ctx, and with the guard.
func guarded(ctx context.Context) context.Context {
	signal.Ignore(syscall.SIGTTOU) // the terminal is the guard's, and may be written to
	syscall.CloseOnExec(lifeLine)
	ctx, cancel := context.WithCancel(ctx)
	line := os.NewFile(lifeLine, "the guard's life line")
	go func() {
		defer cancel()
		_, _ = io.Copy(io.Discard, line) // an error ends it as well
	}()
	return ctx
}
