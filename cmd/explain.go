package cmd

import (
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/retry-lab/retry-lab/explain"
)

// askText is how explain is asked.
const askText = "give the text as an argument, --file FILE, or - to paste it and end with Ctrl-D"

// explainOptions are the flags of explain.
type explainOptions struct {
	file    string
	log     logFlag
	follow  bool
	lines   bool
	phrases bool
	format  *choice
}

func newExplainCmd(a *app) *cobra.Command {
	var o explainOptions
	c := &cobra.Command{
		Use:   "explain [TEXT]",
		Short: "What does this error text mean, and may the request be sent again?",
		Long: `explain reads the text of an error as any HTTP client, driver or gateway prints
it, with its stack and its causes, and says what failed, whether the server may
have acted on the request, and whether it may be sent again as a GET, as a bare
POST and as a POST with an honoured Idempotency-Key. The first line is the answer.

The text is the arguments, a --file, or stdin; with --lines each line of it is
JSON, a string or an object with a member "text", and is answered by a line of
JSON. With --log it is a log: the failures among its lines are found, grouped and
counted. Files and stdin may be compressed with gzip or zstd.

Exit codes: 0 every record was recognised, 1 one was not, 2 wrong usage, 3 the
input could not be read to its end.`,
		Example: `  retry-lab explain 'Error: read ECONNRESET'
  retry-lab explain --file crash.txt -o json
  retry-lab explain --log app.log.gz
  kubectl logs -f deploy/api | retry-lab explain --log -f`,
		Args: cobra.ArbitraryArgs,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if o.log.on {
				return nil, cobra.ShellCompDirectiveDefault // the log
			}
			return nil, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			if err := o.check(c, args); err != nil {
				return err
			}
			switch {
			case o.phrases:
				a.started = true
				return a.printPhrases(o.format.value)
			case o.log.on:
				return a.explainLog(c.Context(), o.logName(args), &o)
			case o.lines:
				return a.explainLines(c.Context(), o.file)
			}
			return a.explainText(c.Context(), args, &o)
		},
	}
	f := c.Flags()
	f.Var(textFlag{&o.file, "the name of a file"}, "file", "read the text from a file; - is stdin")
	f.Var(&o.log, "log", "find the failures in a log; without a name, or with -, in stdin")
	f.Lookup("log").NoOptDefVal = "-"
	f.BoolVarP(&o.follow, "follow", "f", false, "with --log: go on as the log grows, until interrupted")
	f.BoolVar(&o.lines, "lines", false, "JSON lines in, JSON lines out")
	f.BoolVar(&o.phrases, "phrases", false, "print the literals that --log looks for, one a line")
	completeFiles(c, "file", "log")
	c.MarkFlagsMutuallyExclusive("log", "lines", "phrases")
	c.MarkFlagsMutuallyExclusive("log", "phrases", "file")
	o.format = addFormat(c, "table", "json", "ndjson", "markdown")
	c.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return usageError("a text that begins with a dash goes behind --; see '"+c.CommandPath()+" --help'", "%w", flagError(c, err))
	})
	return c
}

// completeFiles lets the shell complete flags with names of files; for the error
// see complete.
func completeFiles(c *cobra.Command, flags ...string) {
	for _, name := range flags {
		if err := c.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault)); err != nil {
			panic(err)
		}
	}
}

// A logFlag is a flag that may have the name of a log: --log=FILE.
type logFlag struct {
	on   bool
	name string
}

func (l *logFlag) String() string { return l.name }
func (l *logFlag) Type() string   { return "file" }

func (l *logFlag) Set(s string) error {
	if err := (textFlag{&l.name, "the name of a log"}).Set(s); err != nil {
		return err
	}
	l.on = true
	return nil
}

// logName is the log: of the flag, or the argument behind it.
func (o *explainOptions) logName(args []string) string {
	if len(args) == 1 {
		return args[0]
	}
	return o.log.name
}

// check refuses flags that do not go together.
func (o *explainOptions) check(c *cobra.Command, args []string) error {
	format := o.format.value
	switch {
	case o.follow && !o.log.on:
		return usageError("", "--follow goes with --log")
	case o.log.on && (len(args) > 1 || len(args) == 1 && o.log.name != "-"):
		return usageError("pipe several through zcat -f or cat", "--log takes one log")
	case (o.lines || o.phrases) && len(args) > 0:
		return usageError("texts go to stdin or a --file", "no argument is wanted here, there is %q", args[0])
	case o.file != "" && len(args) > 0:
		return usageError("", "both a text and a --file")
	case o.lines && format != "json" && c.Flags().Changed("output"):
		return usageError("", "--lines answers in JSON alone, not in %s", format)
	case format == "ndjson" && !o.log.on:
		return usageError("--lines answers in JSON lines", "-o ndjson goes with --log")
	case format == "markdown" && o.phrases:
		return usageError("", "--phrases prints a list, or json")
	}
	return nil
}

// printPhrases prints the literals as grep -F -f takes them.
func (a *app) printPhrases(format string) error {
	if format == "json" {
		return writeJSON(a.stdout, struct {
			Schema  int      `json:"schema"`
			Phrases []string `json:"phrases"`
		}{explain.Schema, explain.Phrases()}, "")
	}
	_, err := io.WriteString(a.stdout, strings.Join(explain.Phrases(), "\n")+"\n")
	return err
}
