package cmd

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/retry-lab/retry-lab/scenarios"
)

// complete lets the shell complete a flag's words. The only error is a flag
// that does not exist: a mistake in this package, which its tests would meet.
func complete(c *cobra.Command, flag string, words []string) {
	if err := c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err)
	}
}

// completeIDs lets the shell complete groups and cases. Cases are offered once
// their group has been typed: there are too many for one screen.
func completeIDs(groups []scenarios.Group) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		var words []cobra.Completion
		add := func(id, title string) {
			if strings.HasPrefix(id, typed) {
				words = append(words, cobra.CompletionWithDesc(id, safe(title)))
			}
		}
		for _, g := range groups {
			add(g.ID, g.Title)
			if !strings.HasPrefix(typed, g.ID) {
				continue
			}
			for _, r := range g.Rows {
				add(r.ID, r.Case.Title)
			}
		}
		return words, cobra.ShellCompDirectiveNoFileComp
	}
}
