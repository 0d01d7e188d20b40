package cmd

import (
	"bytes"

	"github.com/spf13/cobra"

	"github.com/retry-lab/retry-lab/golden"
	"github.com/retry-lab/retry-lab/scenarios"
)

func newGoldenCmd(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "golden",
		Short: "Show the golden tables, record them, or show what recording would change",
	}
	onlySubcommands(c)
	c.AddCommand(newGoldenShowCmd(a), newGoldenUpdateCmd(a), newGoldenDiffCmd(a))
	return c
}

func newGoldenShowCmd(a *app) *cobra.Command {
	var dir string
	var format *choice
	c := &cobra.Command{
		Use:               "show [group|case|glob]...",
		Short:             "Print golden tables of this platform",
		ValidArgsFunction: completeIDs(a.lab.groups),
		RunE: func(_ *cobra.Command, ids []string) error {
			a.started = true
			tables, err := a.goldenTables(dir, ids)
			if err != nil {
				return err
			}
			return a.printTables(format.value, tables)
		},
	}
	format = addFormat(c, "table", "json", "markdown")
	addGoldenFlag(c, &dir)
	return c
}

// goldenTables loads the tables of what ids name, with the rows named.
func (a *app) goldenTables(dir string, ids []string) ([]golden.Table, error) {
	sel, err := a.selectRows(ids)
	if err != nil {
		return nil, err
	}
	set, err := a.tables(dir)
	if err != nil {
		return nil, err
	}
	var tables []golden.Table
	for _, s := range sel {
		e, err := a.load(set, s.Group.ID)
		if err != nil {
			return nil, err
		}
		if e.table == nil {
			a.say("warning: no golden table for group "+s.Group.ID+" on this platform", "'retry-lab golden update' records "+e.file)
			continue
		}
		table := *e.table
		if !s.Complete {
			named := map[string]bool{}
			for _, row := range s.Rows {
				named[row.ID] = true
			}
			table.Rows = rowsNamed(table.Rows, named)
		}
		tables = append(tables, table)
	}
	return tables, nil
}

func rowsNamed(rows []golden.Row, named map[string]bool) []golden.Row {
	var kept []golden.Row
	for _, row := range rows {
		if named[row.ID] {
			kept = append(kept, row)
		}
	}
	return kept
}

// printTables prints golden tables: as they stand in their files for markdown,
// like the tables of a run for a terminal.
func (a *app) printTables(format string, tables []golden.Table) error {
	var b bytes.Buffer
	v := view{palette: a.palette(), width: a.width()}
	groups := []goldenGroup{}
	for _, t := range tables {
		switch format {
		case "json":
			groups = append(groups, newGoldenGroup(t))
		case "markdown":
			if err := golden.Write(&b, t); err != nil {
				return err
			}
			b.WriteByte('\n')
		default:
			g := tableGroup(t)
			v.lines(&b, "", g.ID+": "+safe(g.Title)+" ("+safe(t.File)+")")
			b.WriteByte('\n')
			if err := v.cells(&b, g); err != nil {
				return err
			}
			b.WriteByte('\n')
		}
	}
	if format == "json" {
		return writeJSON(a.stdout, goldenListing{reportSchema, groups}, "  ")
	}
	_, err := a.stdout.Write(b.Bytes())
	return err
}

// tableGroup is a golden table in the form that a run's groups are printed in.
func tableGroup(t golden.Table) Group {
	g := Group{ID: t.Group, Title: t.Title, File: t.File, Columns: t.Columns}
	for _, row := range t.Rows {
		r := scenarios.Row{ID: row.ID, Cells: map[string]string{}}
		for i, column := range t.Columns {
			r.Cells[column] = row.Cells[i].String()
		}
		g.Rows = append(g.Rows, r)
	}
	return g
}

// A goldenListing is what `golden show -o json` prints.
type goldenListing struct {
	Schema int           `json:"schema"`
	Groups []goldenGroup `json:"groups"`
}

type goldenGroup struct {
	ID     string      `json:"id"`
	Title  string      `json:"title"`
	Source string      `json:"source"`
	File   string      `json:"file"`
	Rows   []goldenRow `json:"rows"`
}

type goldenRow struct {
	ID    string            `json:"id"`
	Line  int               `json:"line"`
	Cells map[string]string `json:"cells"` // in the notation of the file
}

func newGoldenGroup(t golden.Table) goldenGroup {
	g := goldenGroup{ID: t.Group, Title: t.Title, Source: t.Source, File: t.File, Rows: []goldenRow{}}
	for i, row := range tableGroup(t).Rows {
		g.Rows = append(g.Rows, goldenRow{ID: row.ID, Line: t.Rows[i].Line, Cells: row.Cells})
	}
	return g
}
