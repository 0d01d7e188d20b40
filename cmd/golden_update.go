package cmd

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/retry-lab/retry-lab/golden"
)

// mostRuns bounds --runs.
const mostRuns = 1000

// recordOptions are the flags of golden update and golden diff.
type recordOptions struct {
	golden string
	runs   int
	jobs   int
}

func (o *recordOptions) addFlags(c *cobra.Command) {
	addGoldenFlag(c, &o.golden)
	addJobsFlag(c, &o.jobs)
	o.runs = 1
	c.Flags().Var(wholeFlag{&o.runs, 1, mostRuns}, "runs", "run so many times and take the union of what was seen")
}

func newGoldenUpdateCmd(a *app) *cobra.Command {
	var o recordOptions
	c := &cobra.Command{
		Use:   "update [group|case|glob]...",
		Short: "Run cases and record what differs from the golden tables",
		Long: `update runs the cases, shows how the golden tables change, and writes them, each
in one step. A cell that agrees is kept as it is, so that alternatives and ranges
never narrow because one run was lucky. The tables are those in --golden, by
default in ./golden where that is this module's own.`,
		ValidArgsFunction: completeIDs(a.lab.groups),
		RunE: func(c *cobra.Command, ids []string) error {
			a.started = true
			dir := o.golden
			if dir == "" {
				if !ownModule(".") {
					return usageError("--golden DIR names the folder to write to", "this is not the module %s, which ./golden belongs to", modulePath)
				}
				dir = "golden"
			}
			return a.update(c.Context(), dir, ids, o)
		},
	}
	o.addFlags(c)
	return c
}

// ownModule reports whether dir is the root of this module.
func ownModule(dir string) bool {
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(mod)) {
		if name, ok := strings.CutPrefix(line, "module "); ok {
			return strings.TrimSpace(name) == modulePath
		}
	}
	return false
}

func newGoldenDiffCmd(a *app) *cobra.Command {
	var o recordOptions
	c := &cobra.Command{
		Use:               "diff [group|case|glob]...",
		Short:             "Run cases and show what update would change; exit 1 where it is anything",
		ValidArgsFunction: completeIDs(a.lab.groups),
		RunE: func(c *cobra.Command, ids []string) error {
			a.started = true
			set, err := a.tables(o.golden)
			if err != nil {
				return err
			}
			load := func(group string) (expectation, error) { return a.load(set, group) }
			changes, err := a.record(c.Context(), load, ids, o)
			if err != nil {
				return err
			}
			for _, ch := range changes {
				if _, err := io.WriteString(a.stdout, golden.Diff(ch.before, ch.after, ch.file)); err != nil {
					return err
				}
			}
			if len(changes) > 0 {
				return verdict(exitDiffers)
			}
			return nil
		},
	}
	o.addFlags(c)
	return c
}

// update records into dir what a run changes.
func (a *app) update(ctx context.Context, dir string, ids []string, o recordOptions) error {
	load := func(string) (expectation, error) { return expectation{}, nil }
	set, err := golden.Open(dir)
	switch {
	case err == nil:
		load = func(group string) (expectation, error) { return a.load(set, group) }
	case !errors.Is(err, fs.ErrNotExist): // the first record makes it
		return brokenError(brokenFolder, err)
	}
	changes, err := a.record(ctx, load, ids, o)
	if err != nil {
		return err
	}
	for _, ch := range changes {
		file := filepath.ToSlash(filepath.Join(dir, a.lab.platform, ch.table.Group+".md"))
		if _, err := io.WriteString(a.stdout, golden.Diff(ch.before, ch.after, file)); err != nil {
			return err
		}
		if err := golden.Save(dir, a.lab.platform, ch.table, vocabulary(a.lab.groups)); err != nil {
			return brokenError("what was there is unchanged", err)
		}
		a.say("wrote "+file, "")
	}
	if len(changes) == 0 {
		a.say("every golden table stays as it is", "")
	}
	return nil
}
