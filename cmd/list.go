package cmd

import (
	"bytes"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/retry-lab/retry-lab/scenarios"
)

// A listing is what `list -o json` prints.
type listing struct {
	Schema int           `json:"schema"`
	Groups []listedGroup `json:"groups"`
}

type listedGroup struct {
	ID      string       `json:"id"`
	Title   string       `json:"title"`
	Source  string       `json:"source"`
	Columns []string     `json:"columns"`
	Rows    []listedCase `json:"rows"`
}

type listedCase struct {
	ID     string `json:"id"`
	Title  string `json:"title"`
	Source string `json:"source"`
	Needs  string `json:"needs"` // empty: nothing but loopback
	Runs   int    `json:"runs"`  // how often one run of the lab runs it
}

func newListCmd(a *app) *cobra.Command {
	var format *choice
	c := &cobra.Command{
		Use:               "list [group|case|glob]...",
		Short:             "List groups and cases, and what they need, without running anything",
		ValidArgsFunction: completeIDs(a.lab.groups),
		RunE: func(_ *cobra.Command, ids []string) error {
			a.started = true
			sel, err := a.selectRows(ids)
			if err != nil {
				return err
			}
			return a.printList(format.value, newListing(sel))
		},
	}
	format = addFormat(c, "table", "json", "markdown")
	return c
}

func newListing(sel []scenarios.Selection) listing {
	out := listing{Schema: reportSchema, Groups: []listedGroup{}}
	for _, s := range sel {
		g := listedGroup{ID: s.Group.ID, Title: s.Group.Title, Source: s.Group.Source, Columns: columnNames(s.Group), Rows: []listedCase{}}
		for _, row := range s.Rows {
			g.Rows = append(g.Rows, listedCase{
				ID: row.ID, Title: row.Case.Title, Source: row.Case.Source, Needs: row.Case.Needs, Runs: max(1, row.Case.Runs),
			})
		}
		out.Groups = append(out.Groups, g)
	}
	return out
}

func (a *app) printList(format string, l listing) error {
	if format == "json" {
		return writeJSON(a.stdout, l, "  ")
	}
	var b bytes.Buffer
	v := view{width: a.width()}
	for _, g := range l.Groups {
		if format == "markdown" {
			fmt.Fprintf(&b, "## %s: %s\n\n", markdown(g.ID), markdown(g.Title))
			writeMarkdownTable(&b, []string{"id", "what happens", "needs"}, g.cells(markdown))
		} else {
			v.lines(&b, "", g.ID+": "+safe(g.Title))
			b.WriteByte('\n')
			if err := (grid{header: []string{"id", "what happens", "needs"}, rows: g.cells(safe)}).write(&b, v.width); err != nil {
				return err
			}
		}
		b.WriteByte('\n')
	}
	_, err := a.stdout.Write(b.Bytes())
	return err
}

func (g listedGroup) cells(escape func(string) string) [][]string {
	var rows [][]string
	for _, c := range g.Rows {
		needs := c.Needs
		if needs == "" {
			needs = "-"
		}
		rows = append(rows, []string{c.ID, escape(c.Title), escape(needs)})
	}
	return rows
}
