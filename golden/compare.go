package golden

import (
	"fmt"
	"slices"
)

// Drift is one difference between a golden table and a run. Its JSON form is
// part of the lab's output contract.
type Drift struct {
	Row    string `json:"row"`    // the row's ID; the group's where a whole column differs
	Column string `json:"column"` // "id" where a whole row differs
	Want   string `json:"want"`   // of the golden table, as Cell.String writes it; in parentheses what is no cell
	Got    string `json:"got"`    // of the run, in the same form
	File   string `json:"file"`   // of the golden table
	Line   int    `json:"line"`   // of the row, or of the header where there is no row; 0 in a table that was not parsed
}

// What Want and Got say where a whole row or column differs.
const (
	noRow     = "(no golden row)"
	aCase     = "(a case)"
	aRow      = "(a golden row)"
	noCase    = "(no case)"
	noColumn  = "(no such column)"
	theColumn = "(a column)"
)

// String says the drift on one line, without control characters:
//
//	golden/linux/network.md:12: network/refused syscall: want connect, got read
func (d Drift) String() string {
	place := ""
	if d.File != "" {
		place = fmt.Sprintf("%s:%d: ", d.File, d.Line)
	}
	return printable(fmt.Sprintf("%s%s %s: want %s, got %s", place, d.Row, d.Column, d.Want, d.Got))
}

// Compare returns where run differs from the golden table want: first columns
// that only one of them has, then cells in the order of the run, then golden
// rows without a case. A row that was skipped or not seen does not differ, nor
// does a golden row that was not selected, unless the run is complete. None is
// nil.
func Compare(want Table, run Run) []Drift {
	c := comparison{want: want, run: run}
	c.columns()
	rows := Union(run.Rows)
	for _, o := range rows {
		if o.measured() {
			c.row(o)
		}
	}
	if run.Complete {
		c.golden(rows)
	}
	return c.drifts
}

type comparison struct {
	want   Table
	run    Run
	drifts []Drift
}

func (c *comparison) add(row, column, want, got string, line int) {
	c.drifts = append(c.drifts, Drift{Row: row, Column: column, Want: want, Got: got, File: c.want.File, Line: line})
}

func (c *comparison) columns() {
	for _, column := range c.run.Columns {
		if !slices.Contains(c.want.Columns, column) {
			c.add(c.want.Group, column, noColumn, theColumn, c.want.Line)
		}
	}
	for _, column := range c.want.Columns {
		if !slices.Contains(c.run.Columns, column) {
			c.add(c.want.Group, column, theColumn, noColumn, c.want.Line)
		}
	}
}

func (c *comparison) row(o Observed) {
	i := indexOf(c.want.Rows, o.ID)
	if i < 0 {
		c.add(o.ID, idColumn, noRow, aCase, c.want.Line)
		return
	}
	row := c.want.Rows[i]
	for _, column := range c.run.Columns {
		at := slices.Index(c.want.Columns, column)
		if at < 0 || row.Cells[at].Agrees(o.Cells[column]) {
			continue
		}
		cell, got := row.Cells[at], record(o.Cells[column], slices.Contains(c.run.Numeric, column))
		wantText, gotText := cell.String(), got.String()
		if wantText == gotText { // a value that reads like the notation: show which is which
			wantText, gotText = cell.encode(), got.encode()
		}
		c.add(o.ID, column, wantText, gotText, row.Line)
	}
}

// golden finds the golden rows that no case stands behind any more.
func (c *comparison) golden(rows []Observed) {
	cases := make(map[string]bool, len(rows))
	for _, o := range rows {
		cases[o.ID] = true
	}
	for _, row := range c.want.Rows {
		if !cases[row.ID] {
			c.add(row.ID, idColumn, aRow, noCase, row.Line)
		}
	}
}

func indexOf(rows []Row, id string) int {
	return slices.IndexFunc(rows, func(r Row) bool { return r.ID == id })
}
