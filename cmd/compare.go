package cmd

import (
	"cmp"
	"maps"
	"regexp"
	"slices"

	"github.com/retry-lab/retry-lab/golden"
	"github.com/retry-lab/retry-lab/scenarios"
)

// An expectation is a group's golden table, nil where there is none, and the
// name of its file.
type expectation struct {
	table *golden.Table
	file  string
}

// newGroup compares a group's rows with what is expected of them.
func newGroup(g scenarios.GroupResult, want expectation, strict bool) Group {
	out := Group{
		ID: g.Group.ID, Title: g.Group.Title, ElapsedMS: g.ElapsedMS,
		Rows: []scenarios.Row{}, Drift: []golden.Drift{}, Columns: columnNames(g.Group), File: want.file,
	}
	for _, row := range g.Rows {
		out.Rows = append(out.Rows, redact(row))
	}
	skipped := func(r scenarios.Row) bool { return r.Skipped != "" }
	switch {
	case strict, len(g.Rows) > 0 && !slices.ContainsFunc(g.Rows, func(r scenarios.Row) bool { return !skipped(r) }):
		out.Golden = goldenSkipped
	case want.table == nil:
		out.Golden = goldenMissing
	default:
		out.Drift = append(out.Drift, golden.Compare(*want.table, observed(g))...)
		out.Golden = goldenMatch
		if len(out.Drift) > 0 {
			out.Golden = goldenDrift
		}
	}
	return out
}

// orphans are the golden tables that no group of the lab stands behind any
// more: each of their rows is drift.
func (a *app) orphans(set golden.Set) ([]Group, error) {
	names, err := set.Groups(a.lab.platform)
	if err != nil {
		return nil, brokenError("it must be readable", err)
	}
	var list []Group
	for _, name := range names {
		if slices.ContainsFunc(a.lab.groups, func(g scenarios.Group) bool { return g.ID == name }) {
			continue
		}
		table, file, err := set.Load(a.lab.platform, name, nil) // its columns are in no vocabulary
		if err != nil {
			return nil, brokenError(brokenTable, err)
		}
		list = append(list, Group{
			ID: name, Title: table.Title, Golden: goldenDrift, Rows: []scenarios.Row{}, Columns: table.Columns, File: file,
			Drift: append([]golden.Drift{}, golden.Compare(table, golden.Run{Group: name, Columns: table.Columns, Complete: true})...),
		})
	}
	return list, nil
}

// observed is a group's result in golden's terms.
func observed(g scenarios.GroupResult) golden.Run {
	run := golden.Run{
		Group: g.Group.ID, Title: g.Group.Title, Source: g.Group.Source,
		Columns: columnNames(g.Group), Complete: g.Complete,
	}
	for _, c := range g.Group.Columns {
		if c.Numeric {
			run.Numeric = append(run.Numeric, c.Name)
		}
	}
	for _, row := range g.Rows {
		o := golden.Observed{ID: row.ID, Skipped: row.Skipped != "", NotSeen: row.NotSeen, Cells: map[string][]string{}}
		for column, values := range row.Seen {
			o.Cells[column] = slices.Sorted(maps.Keys(values))
		}
		run.Rows = append(run.Rows, o)
	}
	return run
}

func columnNames(g scenarios.Group) []string {
	var names []string
	for _, c := range g.Columns {
		names = append(names, c.Name)
	}
	return names
}

var wholeNumber = regexp.MustCompile(`-?[0-9]+`)

// either allows what one of two groups says in a column of one name.
func either(a, b golden.Rule) golden.Rule {
	if a.Words == nil && a.Pattern == nil || b.Words == nil && b.Pattern == nil {
		return golden.Rule{} // any text
	}
	for _, w := range b.Words {
		if !slices.Contains(a.Words, w) {
			a.Words = append(slices.Clone(a.Words), w)
		}
	}
	a.Pattern = cmp.Or(a.Pattern, b.Pattern)
	return a
}

// vocabulary is what the golden tables of groups may say. What golden knows by
// itself is stricter and wins.
func vocabulary(groups []scenarios.Group) golden.Vocabulary {
	v := golden.Vocabulary{}
	for _, g := range groups {
		for _, c := range g.Columns {
			rule := golden.Rule{Words: c.Words}
			if c.Numeric {
				rule.Pattern = wholeNumber
			}
			if other, known := v[c.Name]; known {
				rule = either(other, rule)
			}
			v[c.Name] = rule
		}
	}
	return v.With(golden.Standard())
}
