package audit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// killTime is how long killed processes may take to be gone, drainTime how long
// a pipe is read that somebody else still holds.
const (
	killTime  = 5 * time.Second
	drainTime = time.Second
)

// A subject is what is observed in one run: a command that was started for it,
// or one that was handed an order.
type subject interface {
	began() time.Time
	over() <-chan struct{}    // closed when it has ended by itself, or was killed
	flooded() <-chan struct{} // closed when it has printed too much
	// stop returns when nothing of it is left, or only what goes on to the next
	// order; ended says that it had ended by itself.
	stop(ctx context.Context, ended bool) error
	stays() bool           // it goes on, and keeps its connections
	exit() int             // its exit code
	endedAt() time.Time    // after stop
	text() (string, int64) // what it printed, and how much that was
}

// A client is one started command.
type client struct {
	lab     *lab
	process *os.Process
	mark    mark
	out     *output
	start   time.Time
	gone    chan struct{} // closed when it has been waited for
	state   *os.ProcessState
	waitErr error
	end     time.Time
	flood   chan struct{}
}

func (c *client) began() time.Time         { return c.start }
func (c *client) over() <-chan struct{}    { return c.gone }
func (c *client) flooded() <-chan struct{} { return c.flood }
func (c *client) stays() bool              { return false }
func (c *client) endedAt() time.Time       { return c.end }
func (c *client) text() (string, int64)    { return c.out.text() }

// spawn starts the command for an order.
func (l *lab) spawn(o order) (*client, error) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, err
	}
	defer null.Close() // only read
	return l.begin(o.args(l.o.Command[1:]), o.env(), null, nil)
}

// begin starts the command. What it prints is collected, but for its standard
// output where that goes to stdout.
func (l *lab) begin(args, env []string, stdin, stdout *os.File) (*client, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	pipe, err := r.Stat()
	if err != nil {
		return nil, errors.Join(err, r.Close(), w.Close())
	}
	c := &client{lab: l, mark: mark{l.mark + newKeyValue(), pipe}, gone: make(chan struct{}), flood: make(chan struct{})}
	if stdout == nil {
		stdout = w
	}
	attr := &os.ProcAttr{Env: slices.Concat(l.env, env, []string{c.mark.env}), Files: []*os.File{stdin, stdout, w}}
	c.start = time.Now()
	c.process, err = l.spawner.start(l.path, append([]string{l.o.Command[0]}, args...), attr)
	if err == nil {
		l.reaper.own(c.process.Pid, true)
	} else if path, ok := errors.AsType[*os.PathError](err); ok {
		err = &notStartedError{path.Err} // the path is known
	}
	closeErr := w.Close()
	if err != nil || closeErr != nil {
		return nil, errors.Join(err, closeErr, r.Close())
	}
	c.out = collect(r, func() { close(c.flood) })
	go func() {
		c.state, c.waitErr = c.process.Wait()
		c.end = time.Now()
		close(c.gone)
	}()
	return c, nil
}

// stop ends the command's group and all that left it, and returns when the
// last of them is gone. When the audit itself has ended, what left the group
// is killed with that of all runs, and what they printed is not waited for.
func (c *client) stop(ctx context.Context, _ bool) error {
	if err := c.process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) { // it may have left its group
		return err
	}
	over, patience := ctx.Err() != nil, drainTime
	err := c.lab.reaper.group(c.process.Pid)
	select {
	case <-c.gone:
	case <-time.After(killTime):
		return errors.Join(err, errors.New("the command cannot be killed"))
	}
	if over {
		patience = 0
	} else {
		err = errors.Join(err, c.lab.reaper.kill(c.mark, killTime))
	}
	c.lab.reaper.own(c.process.Pid, false)
	return errors.Join(err, c.waitErr, c.out.drain(patience))
}

// exit is the command's exit code.
func (c *client) exit() int {
	if code := c.state.ExitCode(); code >= 0 {
		return code
	}
	return 128 + signalOf(c.state)
}

// find is the program that a command names, as exec does.
func find(name string, environ []string) (string, error) {
	for _, v := range environ {
		if path, ok := strings.CutPrefix(v, "PATH="); ok {
			return lookPath(name, path)
		}
	}
	return lookPath(name, "")
}

// Why there is nothing to run.
var (
	errNotFound      = errors.New("no such program")
	errFolder        = errors.New("a folder is no program")
	errNotExecutable = errors.New("it is not executable")
)

func notRun(name string, why error) error { return fmt.Errorf("command %q: %w", name, why) }

// A notStartedError is why the system does not start a program.
type notStartedError struct{ err error }

func (e *notStartedError) Error() string { return "the command cannot be started: " + e.err.Error() }
func (e *notStartedError) Unwrap() error { return e.err }
