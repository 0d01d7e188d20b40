package cmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/retry-lab/retry-lab/audit"
	"github.com/retry-lab/retry-lab/golden"
)

// auditOptions are the flags of audit.
type auditOptions struct {
	audit.Options
	format        *choice
	failOn        choice
	cases         []string
	baseline      string
	writeBaseline string
	verbose       bool
}

func newAuditCmd(a *app) *cobra.Command {
	o := auditOptions{failOn: choice{value: string(audit.Danger), allowed: failWords()}}
	c := &cobra.Command{
		Use:   "audit [flags] -- command [argument]...",
		Short: "Run any client against the servers, and judge it by what they saw",
		Long: `audit runs a command once a case, with the case's request in its arguments and
environment, against servers that fail in a way that is known and count what
reaches them. It says whether the client retries what it should, and whether it
ever does the work twice.

Placeholders in the arguments: {url} {method} {key} {body_file} {timeout_ms}
{deadline_ms} {warm_url} {ca_file}; the same and more are in the environment, as
RETRY_LAB_URL and so on. The command makes one request, and exits 0 on success.`,
		Example: `  retry-lab audit -- curl -sS -f -L --retry 3 --max-time 2 -X {method} \
      -H 'Idempotency-Key: {key}' --data-binary @{body_file} {url}
  retry-lab audit --quick --cases 'replay/*' -- node client.mjs
  retry-lab audit list`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError("write it after '--': retry-lab audit -- curl -sS -f {url}", "no command to audit")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			a.started = true
			o.Command = args
			return a.audit(c.Context(), o)
		},
	}
	f := c.Flags()
	f.SetInterspersed(false)
	o.format = addFormat(c, formats()...)
	f.StringSliceVar(&o.cases, "cases", nil, "run only these: groups, ids or globs, with commas between them")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "with tables: the ledger's rows of every case, not only of what is bad")
	f.BoolVar(&o.Quick, "quick", false, "cut each run at 10 s, and run racy cases once")
	f.VarP(wholeFlag{&o.Jobs, 0, 1000}, "jobs", "j", "how many processes may start at a time (0: two a core)")
	f.StringVar(&o.Client, "client", "", "what the report calls the client")
	f.Var(&o.failOn, "fail-on", "the least verdict that makes the exit code 1; none: only drift does")
	f.StringVar(&o.baseline, "baseline", "", "compare with this table; a worse verdict is drift")
	f.StringVar(&o.writeBaseline, "write-baseline", "", "write the table of this run to a file")
	f.BoolVar(&o.NoKey, "no-key", false, "the command sends no Idempotency-Key")
	f.BoolVar(&o.GetOnly, "get-only", false, "the command sends nothing but GET")
	f.BoolVar(&o.NoRedirects, "no-redirects", false, "the command follows no redirect")
	f.BoolVar(&o.TotalTimeout, "total-timeout", false, "its time-out is that of the whole call, which it must keep")
	f.BoolVar(&o.MethodFixed, "method-fixed", false, "the command sends one method, whatever it is asked for")
	f.BoolVar(&o.Persistent, "persistent", false, "the command prints READY, and reads one case a line")
	f.BoolVar(&o.NoNetns, "no-netns", false, "run no case in a network of its own")
	complete(c, "fail-on", o.failOn.allowed)
	c.AddCommand(newAuditListCmd(a))
	return c
}

// failWords are the verdicts that can fail an audit, or none of them.
func failWords() []string {
	return []string{string(audit.Danger), string(audit.Harm), string(audit.Weak), failNone}
}

// failNone is for a client that is known not to be good: only drift from the
// --baseline fails.
const failNone = "none"

// least is the verdict at which an audit fails; empty: none does.
func (o auditOptions) least() audit.Verdict {
	if o.failOn.value == failNone {
		return ""
	}
	return audit.Verdict(o.failOn.value)
}

// audit runs an audit, prints it, and returns its exit code.
func (a *app) audit(ctx context.Context, o auditOptions) error {
	o.Environ, o.Cases = os.Environ(), o.cases
	var want *golden.Table
	if o.baseline != "" {
		t, err := readBaseline(o.baseline) // before what takes long
		if err != nil {
			return err
		}
		want = &t
	}
	if code, ok := a.guarded(ctx); ok {
		return verdictError(code)
	}
	tell, stop := a.auditProgress()
	o.Progress = tell
	a.ending.Store(int64(cleanup))
	rep, err := audit.Run(ctx, o.Options)
	a.ending.Store(0)
	stop()
	if err != nil {
		return auditError(err)
	}
	if want != nil && rep.Usable {
		rep = rep.Against(*want)
	}
	least := o.least()
	v := view{palette: a.palette(), width: a.width(), verbose: o.verbose}
	if err := auditRenderer(o.format.value, v, least)(a.stdout, rep); err != nil {
		return err
	}
	if o.writeBaseline != "" && rep.Usable {
		if err := writeBaseline(o.writeBaseline, rep); err != nil {
			return err
		}
	}
	return auditExit(rep, least)
}

// guarded runs the audit in a worker, and gives the exit code of that; false:
// there can be none, so that the audit is this process's.
func (a *app) guarded(ctx context.Context) (int, bool) {
	if a.guard == nil {
		return 0, false
	}
	a.ending.Store(int64(2 * cleanup))
	code, err := a.guard.run(ctx)
	if err != nil {
		return 0, false
	}
	switch {
	case code == exitInterrupted:
		a.interrupted.Do(func() {}) // the worker has said so
	case code > 128 && code != exitClosedPipe: // a signal, as a shell has it
		a.say(fmt.Sprintf("the audit was killed by signal %d", code-128), "")
	}
	return code, true
}

// auditError tells a mistake in the command line from a lab that cannot run.
func auditError(err error) error {
	if unknown, ok := errors.AsType[*audit.UnknownPlaceholderError](err); ok {
		return usageError("the placeholders are "+placeholderList(), "%v", unknown)
	}
	if unknown, ok := errors.AsType[*audit.UnknownCaseError](err); ok {
		return usageError("see 'retry-lab audit list'", "%v", unknown)
	}
	if _, ok := errors.AsType[*fs.PathError](err); ok && !errors.Is(err, syscall.ENOSPC) && !errors.Is(err, syscall.EMFILE) {
		return brokenError("the lab keeps bodies and certificates in a folder in TMPDIR", err)
	}
	return err
}

// fails: a verdict is as bad as the least that fails an audit, if any does.
func fails(v, least audit.Verdict) bool { return least != "" && !least.Worse(v) }

// auditExit is the exit code of a report.
func auditExit(rep audit.Report, least audit.Verdict) error {
	switch {
	case !rep.Usable:
		return brokenError("see 'retry-lab audit --help' for how the command gets its URL", errors.New(strings.Join(rep.Notes, "; ")))
	case len(rep.Drift) > 0, fails(rep.Worst(), least):
		return verdictError(exitDiffers)
	case len(rep.Broken) > 0:
		return brokenError("run fewer at once with -j, or raise the limit of open files", errors.New(rep.Notes[len(rep.Notes)-1]))
	}
	return nil
}

func placeholderList() string {
	var list []string
	for _, p := range audit.Placeholders() {
		list = append(list, fmt.Sprintf("{%s}", p))
	}
	return strings.Join(list, " ")
}
