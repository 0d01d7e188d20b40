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
	ID      string   `json:"id"`
	Title   string   `json:"title"`
	Source  string   `json:"source"`
	Columns []string `json:"columns"`
	// OnRequest: it runs only where it is named.
	OnRequest bool         `json:"on_request"`
	Rows      []listedCase `json:"rows"`
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
			brief := len(ids) == 0
			if brief {
				ids = groupIDs(a.lab.groups)
			}
			sel, err := a.selectRows(ids)
			if err != nil {
				return err
			}
			return a.printList(format.value, newListing(sel), brief)
		},
	}
	format = addFormat(c, "table", "json", "markdown")
	return c
}

func newListing(sel []scenarios.Selection) listing {
	out := listing{Schema: reportSchema, Groups: []listedGroup{}}
	for _, s := range sel {
		g := listedGroup{ID: s.Group.ID, Title: s.Group.Title, Source: s.Group.Source, Columns: columnNames(s.Group), OnRequest: s.Group.OnRequest, Rows: []listedCase{}}
		for _, row := range s.Rows {
			g.Rows = append(g.Rows, listedCase{
				ID: row.ID, Title: row.Case.Title, Source: row.Case.Source, Needs: row.Case.Needs, Runs: max(1, row.Case.Runs),
			})
		}
		out.Groups = append(out.Groups, g)
	}
	return out
}

// printList prints a listing. brief: where nothing was named, a text says of a
// group on request only that there is one; its rows are many.
func (a *app) printList(format string, l listing, brief bool) error {
	if format == "json" {
		return writeJSON(a.stdout, l, "  ")
	}
	var b bytes.Buffer
	v := view{width: a.width()}
	header := []string{"id", "what happens", "needs"}
	for _, g := range l.Groups {
		heading, rows := g.heading(), !(brief && g.OnRequest)
		if format == "markdown" {
			fmt.Fprintf(&b, "## %s\n\n", markdown(heading))
			if rows {
				writeMarkdownTable(&b, header, g.cells(markdown))
				b.WriteByte('\n')
			}
			continue
		}
		v.lines(&b, "", safe(heading))
		b.WriteByte('\n')
		if rows {
			if err := (grid{header: header, rows: g.cells(safe), prose: map[int]int{1: 16, 2: 12}}).write(&b, v.width); err != nil {
				return err
			}
			b.WriteByte('\n')
		}
	}
	_, err := a.stdout.Write(b.Bytes())
	return err
}

func (g listedGroup) heading() string {
	h := g.ID + ": " + g.Title
	if g.OnRequest {
		h += fmt.Sprintf(" (on request, %s: retry-lab list %s)", plural(len(g.Rows), "row"), g.ID)
	}
	return h
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
