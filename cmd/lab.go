package cmd

import (
	"context"
	"errors"
	"io/fs"
	"net/netip"
	"path"
	"strings"

	"github.com/spf13/cobra"

	"github.com/retry-lab/retry-lab/classifier"
	"github.com/retry-lab/retry-lab/golden"
	"github.com/retry-lab/retry-lab/scenarios"
)

// labOptions are the flags of every command that runs cases.
type labOptions struct {
	golden     string // folder; empty: the embedded tables
	strict     bool
	requireAll bool
	engine     bool // where nothing is named: also the groups on request
	jobs       int
}

func (o *labOptions) addFlags(c *cobra.Command) {
	addGoldenFlag(c, &o.golden)
	addJobsFlag(c, &o.jobs)
	c.Flags().BoolVar(&o.strict, "strict", false, "believe no server's bare claim that it did no work; golden tables are not compared")
	c.Flags().BoolVar(&o.requireAll, "require-all", false, "exit 3 where a golden table is missing or a row is skipped")
}

func addGoldenFlag(c *cobra.Command, dir *string) {
	c.Flags().Var(textFlag{dir, "a folder"}, "golden", "folder of golden tables, <os>/<group>.md, instead of the embedded ones")
	if err := c.MarkFlagDirname("golden"); err != nil {
		panic(err) // only for a flag that does not exist
	}
}

func addJobsFlag(c *cobra.Command, jobs *int) {
	c.Flags().VarP(wholeFlag{jobs, 0, mostJobs}, "jobs", "j", "how many cases run at once; 0 is all of them")
}

// mostJobs bounds -j: more than there are cases is all of them.
const mostJobs = 10_000

// selectRows finds what ids name; none names every group that is not on request.
func (a *app) selectRows(ids []string) ([]scenarios.Selection, error) {
	sel, err := scenarios.Select(a.lab.groups, ids)
	if err == nil {
		return sel, nil
	}
	hint := "see 'retry-lab list'"
	if unknown, ok := errors.AsType[*scenarios.UnknownID](err); ok && len(unknown.Nearest) > 0 {
		hint = didYouMean(unknown.Nearest)
	}
	return nil, &failure{exitUsage, err, hint}
}

// groupIDs names every group, also those on request.
func groupIDs(groups []scenarios.Group) []string {
	var ids []string
	for _, g := range groups {
		ids = append(ids, g.ID)
	}
	return ids
}

// tables opens the folder of golden tables, by default the embedded one.
func (a *app) tables(dir string) (golden.Set, error) {
	if dir == "" {
		return a.lab.embedded, nil
	}
	set, err := golden.Open(dir)
	switch {
	case err == nil:
		return set, nil
	case errors.Is(err, fs.ErrNotExist): // most likely misspelt
		return set, &failure{exitUsage, err, "--golden wants a folder that holds " + path.Join(a.lab.platform, "<group>.md")}
	}
	return set, brokenError(brokenFolder, err)
}

// brokenFolder is what to do about a folder of golden tables that is none.
const brokenFolder = "it must be a folder that can be read"

// load reads what is expected of a group.
func (a *app) load(set golden.Set, group string) (expectation, error) {
	table, file, err := set.Load(a.lab.platform, group, vocabulary(a.lab.groups))
	switch {
	case err == nil:
		return expectation{&table, file}, nil
	case errors.Is(err, fs.ErrNotExist):
		return expectation{nil, file}, nil
	}
	return expectation{}, brokenError(brokenTable, err)
}

// brokenTable is what to do about a golden table that cannot be read.
const brokenTable = "mend it, or remove it and record it anew with 'retry-lab golden update'"

// loadAll reads what is expected of every selected group, by its id. It comes
// before a run, so that a broken table is known at once.
func loadAll(sel []scenarios.Selection, load func(group string) (expectation, error)) (map[string]expectation, error) {
	all := map[string]expectation{}
	for _, s := range sel {
		e, err := load(s.Group.ID)
		if err != nil {
			return nil, err
		}
		all[s.Group.ID] = e
	}
	return all, nil
}

// runLab runs the selection, compares it, and returns the report. whole: the
// selection is everything, so that a golden table without a group is drift.
func (a *app) runLab(ctx context.Context, sel []scenarios.Selection, whole bool, o labOptions) (Report, error) {
	set, err := a.tables(o.golden)
	if err != nil {
		return Report{}, err
	}
	expected, err := loadAll(sel, func(group string) (expectation, error) { return a.load(set, group) })
	if err != nil {
		return Report{}, err
	}
	var orphans []Group
	if whole && !o.strict {
		if orphans, err = a.orphans(set); err != nil {
			return Report{}, err
		}
	}
	rep := newReport()
	rep.Strict, rep.RequireAll = o.strict, o.requireAll
	res, err := a.runCases(ctx, sel, o.jobs, o.strict)
	if err != nil {
		rep.Broken = err.Error()
		return rep, err
	}
	rep.Sound, rep.Useful, rep.ElapsedMS = res.Sound, res.Useful, res.ElapsedMS
	for _, g := range res.Groups {
		rep.Groups = append(rep.Groups, newGroup(g, expected[g.Group.ID], o.strict))
	}
	rep.Groups = append(rep.Groups, orphans...)
	a.warnAbout(rep)
	return rep, nil
}

// newReport is a report of nothing, whose lists are empty and not absent.
func newReport() Report {
	return Report{
		Schema: reportSchema, Env: thisEnv(), Groups: []Group{},
		Sound:  scenarios.Sound{Unsafe: []scenarios.Breach{}, RefutedClaims: []scenarios.Breach{}},
		Useful: scenarios.Useful{Withheld: []scenarios.Withheld{}},
	}
}

// runCases runs the selection and shows on a terminal what is still going.
func (a *app) runCases(ctx context.Context, sel []scenarios.Selection, jobs int, strict bool) (scenarios.Result, error) {
	p := a.startProgress(sel)
	defer p.stop()
	return a.lab.run(ctx, scenarios.Runner{
		Jobs: jobs, Policy: classifier.Policy{Strict: strict}, Normalize: normalize, Progress: p.tell,
	}, sel)
}

// normalize makes a cell's text the same in every run.
func normalize(text, resolver string) string {
	n := golden.Normalizer{}
	if addr, err := netip.ParseAddrPort(resolver); err == nil {
		n.Resolver = addr
	}
	return n.Normalize(text)
}

// warnAbout says on stderr what was not compared for want of a table.
func (a *app) warnAbout(r Report) {
	var missing []string
	for _, g := range r.Groups {
		if g.Golden == goldenMissing {
			missing = append(missing, g.ID)
		}
	}
	if len(missing) > 0 {
		a.say("warning: no golden table on this platform, not compared: "+strings.Join(missing, ", "), "'retry-lab golden update' records it")
	}
}
