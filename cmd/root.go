package cmd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// newRootCmd builds the whole tree anew, so that two runs in one process share
// no flag.
func newRootCmd(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "retry-lab",
		Short: "Show both sides of every HTTP failure, and what may be sent again",
		Long: `retry-lab makes each way an HTTP call can fail happen on this machine, and shows
what the client saw, what the server really received, and whether a GET, a bare
POST and a POST with an Idempotency-Key may be sent again.

Exit codes: 0 all agree; 1 drift, or an unsound verdict; 2 wrong usage; 3 the lab
itself could not run; 130 interrupted; 141 stdout was closed.`,
		SilenceErrors: true, // exitCode prints them
		SilenceUsage:  true,
	}
	onlySubcommands(root)
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.PersistentFlags().Var(&a.color, "color", "colour the words of the verdicts: auto, always or never")
	complete(root, "color", a.color.allowed)
	root.AddCommand(
		newAllCmd(a), newRunCmd(a), newListCmd(a), newCheckCmd(a), newGoldenCmd(a), newClassifyCmd(a), newExplainCmd(a), newPolicyCmd(a),
		newServeCmd(a), newAuditCmd(a), newVersionCmd(a),
	)
	root.SetHelpCommand(newHelpCmd(a))
	root.SetFlagErrorFunc(flagError)
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" { // cobra's own prints its help, whatever it is asked
			onlySubcommands(c)
		}
	}
	return root
}

// onlySubcommands makes c a command that does nothing itself.
func onlySubcommands(c *cobra.Command) {
	c.Args = subcommandOnly
	c.RunE = func(c *cobra.Command, _ []string) error { return subcommandOnly(c, []string{""}) }
}

// subcommandOnly refuses whatever did not name a command of c.
func subcommandOnly(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil // RunE says what is missing
	}
	hint := "see '" + c.CommandPath() + " --help'"
	if args[0] == "" {
		return usageError(hint, "no command given")
	}
	c.SuggestionsMinimumDistance = 2
	if near := c.SuggestionsFor(args[0]); len(near) > 0 {
		hint = didYouMean(near)
	}
	return usageError(hint, "unknown command %q", args[0])
}

func didYouMean(near []string) string {
	return "did you mean " + strings.Join(near, " or ") + "?"
}

// newHelpCmd is cobra's, but a word that is no command is wrong usage.
func newHelpCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "help [command]",
		Short: "Help about any command",
		RunE: func(c *cobra.Command, args []string) error {
			found, rest, err := c.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return usageError("see 'retry-lab --help'", "no help for %q", strings.Join(args, " "))
			}
			a.started = true
			found.InitDefaultHelpFlag()
			return found.Help()
		},
	}
}

// A choice is a flag that takes one of a few words.
type choice struct {
	value   string
	allowed []string
}

func (c *choice) String() string { return c.value }
func (c *choice) Type() string   { return strings.Join(c.allowed, "|") }

func (c *choice) Set(s string) error {
	if !slices.Contains(c.allowed, s) {
		return fmt.Errorf("want one of %s", strings.Join(c.allowed, ", "))
	}
	c.value = s
	return nil
}

// addFormat gives a command its -o; the first format is the default.
func addFormat(c *cobra.Command, formats ...string) *choice {
	f := &choice{value: formats[0], allowed: formats}
	c.Flags().VarP(f, "output", "o", "how to print the results")
	complete(c, "output", formats)
	return f
}
