package cmd

import (
	"bytes"
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

func newCheckCmd(a *app) *cobra.Command {
	var o labOptions
	var format *choice
	c := &cobra.Command{
		Use:   "check [group|case|glob]...",
		Short: "For CI: run all cases and print only what differs",
		Long: `check runs every case, or those that are named, and prints only what differs from
the golden tables, one line a cell, and a last line that sums up.`,
		ValidArgsFunction: completeIDs(a.lab.groups),
		RunE: func(c *cobra.Command, ids []string) error {
			a.started = true
			render := renderCheck(a.palette())
			if format.value != "table" {
				render = rendererOf(format.value, view{})
			}
			return a.report(c, ids, o, format.value, render)
		},
	}
	format = addFormat(c, formats()...)
	o.addFlags(c)
	return c
}

// renderCheck prints a line for each thing that fails the run, and the verdict.
func renderCheck(p palette) func(io.Writer, Report) error {
	return func(w io.Writer, r Report) error {
		var b bytes.Buffer
		for _, g := range r.Groups {
			for _, d := range g.Drift {
				fmt.Fprintf(&b, "%s %s\n", p.drift.Sprint("drift"), safe(d.String()))
			}
		}
		for _, f := range r.findings() {
			fmt.Fprintf(&b, "%s %s\n", p.drift.Sprint(f.kind), safe(f.row+": "+f.text))
		}
		fmt.Fprintln(&b, safe(r.verdict()))
		_, err := w.Write(b.Bytes())
		return err
	}
}
