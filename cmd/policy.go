package cmd

import (
	"strings"

	"github.com/spf13/cobra"
)

func newPolicyCmd(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "policy",
		Short: "Put a policy of the retry engine into words, with its waits",
	}
	onlySubcommands(c)
	c.AddCommand(newPolicyShowCmd(a))
	return c
}

func newPolicyShowCmd(a *app) *cobra.Command {
	var o *policyOptions
	var format *choice
	c := &cobra.Command{
		Use:   "show",
		Short: "Say what a policy does, and list the waits before each retry",
		Long: `show says what package retry does with a policy, and how long it waits before
each retry: the least, the median and the most, where no server names a longer
wait. Without flags it shows the policy that an engine has which was told
nothing. Each flag is a field of retry.Policy.`,
		Example: `  retry-lab policy show --attempts 5 --base 100ms --cap 5s
  retry-lab policy show --strategy fixed --base 2s --jitter none --deadline 10s
  retry-lab policy show --key --budget-retries 1000 --budget-window 1m -o json`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := o.complete(c.Flags().Changed); err != nil {
				return err
			}
			if err := o.policy.Validate(); err != nil {
				return usageError("see 'retry-lab policy show --help'", "%s", strings.ReplaceAll(err.Error(), "\n", "; "))
			}
			a.started = true
			return a.printPolicy(&o.policy, format.value)
		},
	}
	o = addPolicyFlags(c)
	format = addFormat(c, "table", "json", "markdown")
	return c
}
