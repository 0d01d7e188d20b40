package scenarios

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/retry-lab/retry-lab/netns"
)

// ChildCommand is the word by which a case starts this program once more, as
// its child; what follows goes to [RunChild].
const ChildCommand = "child"

// An inner is the part of a case that runs in a child process: the whole case.
// It returns what Case.Run does; a step that this machine cannot take is an
// error that wraps *netns.Unavailable.
type inner func(context.Context, *Env, *netns.Child) (Run, error)

// inChild completes a case that runs in a child process, which is started as
// spec says. The errors of a client are classified there: an error's value
// does not cross.
func inChild(c Case, spec netns.Spec, run inner) *Case {
	c.inner = run
	c.Run = func(ctx context.Context, e *Env) (Run, error) {
		spec := spec
		spec.Args = []string{ChildCommand, c.ID, strconv.FormatInt(e.Epoch.UnixNano(), 10)}
		if e.as != nil {
			as, err := json.Marshal(e.as)
			if err != nil {
				return Run{}, fmt.Errorf("tell the child its request: %w", err)
			}
			spec.Args = append(spec.Args, string(as))
		}
		answer, err := netns.Run(ctx, spec)
		if u, ok := errors.AsType[*netns.Unavailable](err); ok {
			return Run{}, &Skip{Why: u.Error()}
		}
		if err != nil {
			return Run{}, err
		}
		var w wireRun
		if err := json.Unmarshal(answer, &w); err != nil {
			return Run{}, fmt.Errorf("answer of child %q: %w", spec.Args, err)
		}
		return w.run(), nil
	}
	return &c
}

// RunChild is the whole of a child process: it runs the case of args and
// answers the parent with one line of JSON. args are what follows ChildCommand,
// the case's id, the run's epoch in Unix nanoseconds, and the request that is to
// be made in place of the case's own, if there is one. It must come before
// anything that opens a descriptor or looks up a name.
//
// A step that this machine cannot take is told to the parent. Every other
// error is the caller's to print and to exit by.
func RunChild(ctx context.Context, args []string) error { return runChild(ctx, Groups(), args) }

func runChild(ctx context.Context, groups []Group, args []string) error {
	child, err := netns.Enter()
	if err != nil {
		return err
	}
	ctx, cancel := within(ctx, caseLimit-childHead)
	defer cancel()
	run, err := runInner(ctx, groups, args, child)
	if err != nil {
		return child.Report(reported(overdue(ctx, err)))
	}
	return writeRun(child.Result(), run)
}

// reported is err as it crosses to the parent: why this machine cannot run the
// case is a step that failed, whoever noticed it.
func reported(err error) error {
	if _, ok := errors.AsType[*netns.Unavailable](err); ok {
		return err
	}
	if skip := skipOf(err); skip != nil {
		return &netns.Unavailable{Step: "run the case in a child process", Err: errors.New(skip.Why)}
	}
	return err
}

// runInner finds the case of args and runs it.
func runInner(ctx context.Context, groups []Group, args []string, child *netns.Child) (Run, error) {
	if len(args) != 2 && len(args) != 3 {
		return Run{}, fmt.Errorf("want a case, an epoch and maybe a request, not %q", args)
	}
	ns, err := strconv.ParseInt(args[1], 10, 64)
	if err != nil {
		return Run{}, fmt.Errorf("epoch: %w", err)
	}
	e := &Env{Epoch: since(ns)}
	if len(args) == 3 {
		if err := json.Unmarshal([]byte(args[2]), &e.as); err != nil {
			return Run{}, fmt.Errorf("request: %w", err)
		}
	}
	for _, g := range groups {
		for _, row := range g.Rows {
			if row.Case.ID == args[0] && row.Case.inner != nil {
				return row.Case.inner(ctx, e, child)
			}
		}
	}
	return Run{}, fmt.Errorf("no case %q runs in a child", args[0])
}

// since is the instant ns by this process's own monotonic clock, so that what
// is measured from it does not jump with the wall clock.
func since(ns int64) time.Time {
	now := time.Now()
	return now.Add(time.Unix(0, ns).Sub(now))
}

// writeRun answers the parent.
func writeRun(w io.Writer, run Run) error {
	if err := json.NewEncoder(w).Encode(wireOf(run)); err != nil {
		return fmt.Errorf("answer the parent: %w", err)
	}
	return nil
}
