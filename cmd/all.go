package cmd

import (
	"errors"
	"io"

	"github.com/spf13/cobra"
)

// runOptions are the flags of all and run.
type runOptions struct {
	lab     labOptions
	format  *choice
	verbose bool
}

func newAllCmd(a *app) *cobra.Command {
	var o runOptions
	c := &cobra.Command{
		Use:   "all",
		Short: "Run every case and compare it with the golden tables",
		Long: `all runs every case at once, prints a table a group, compares each cell with the
golden table of this platform, and ends with three lines: sound (no verdict lets
a bare POST go again whose work the server has done), useful (which requests
never reached a server and may go again), and the verdict of the run. The groups
of the retry engine run on request: with --engine, or by 'retry-lab run'.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			a.started = true
			return a.runAndPrint(c, nil, o)
		},
	}
	o.addFlags(c)
	c.Flags().BoolVar(&o.lab.engine, "engine", false, "also the groups that run on request: the retry engine on every fault, and its waits")
	return c
}

func (o *runOptions) addFlags(c *cobra.Command) {
	o.format = addFormat(c, formats()...)
	c.Flags().BoolVarP(&o.verbose, "verbose", "v", false, "with tables: the timeline of both sides, the reasons and the ledger of every row")
	o.lab.addFlags(c)
}

// runAndPrint is all, and run.
func (a *app) runAndPrint(c *cobra.Command, ids []string, o runOptions) error {
	v := view{palette: a.palette(), width: a.width(), verbose: o.verbose}
	return a.report(c, ids, o.lab, o.format.value, rendererOf(o.format.value, v))
}

// report runs what ids name and prints the report.
func (a *app) report(c *cobra.Command, ids []string, o labOptions, format string, render func(io.Writer, Report) error) error {
	whole := len(ids) == 0
	if whole && o.engine {
		ids = groupIDs(a.lab.groups)
	}
	sel, err := a.selectRows(ids)
	if err != nil {
		return err
	}
	r, err := a.runLab(c.Context(), sel, whole, o)
	if err != nil {
		if r.Broken == "" || c.Context().Err() != nil {
			return err
		}
		return errors.Join(err, a.printBroken(format, r))
	}
	if err := render(a.stdout, r); err != nil {
		return err
	}
	return verdictError(r.exitCode())
}
