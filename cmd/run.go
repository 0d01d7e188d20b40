package cmd

import "github.com/spf13/cobra"

func newRunCmd(a *app) *cobra.Command {
	var o runOptions
	c := &cobra.Command{
		Use:   "run <group|case|glob>...",
		Short: "Run groups or single cases",
		Example: `  retry-lab run network charge      two groups
  retry-lab run network/refused     one case
  retry-lab run 'network/*-http'    a glob
  retry-lab run charge/bare -v      with the timeline of both sides`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError("name groups, cases or globs, see 'retry-lab list'; 'retry-lab all' runs everything", "run what?")
			}
			return nil
		},
		ValidArgsFunction: completeIDs(a.lab.groups),
		RunE: func(c *cobra.Command, ids []string) error {
			a.started = true
			return a.runAndPrint(c, ids, o)
		},
	}
	o.addFlags(c)
	return c
}
