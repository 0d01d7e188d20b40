package cmd

import (
	"cmp"
	"io"
	"slices"

	"github.com/retry-lab/retry-lab/scenarios"
)

// aside reports whether a column explains its row, such as the widest and last
// one of a table: where there is no room it is listed under it. room is how many
// columns of the terminal such a text needs to be read inside the table.
func aside(column string) (room int, ok bool) {
	switch column {
	case "message":
		return 24, true
	case "reason":
		return 0, true
	}
	return 0, false
}

// untraced is the column that the tables on a terminal leave out: what the
// error alone would have told is for those who ask about a row (-v), and for
// what is compared and kept.
const untraced = "untraced"

// tableColumns are the columns of a group that its table on a terminal shows.
func tableColumns(columns []string) []string {
	return slices.DeleteFunc(slices.Clone(columns), func(c string) bool { return c == untraced })
}

// A layout is a way to print a group: a table, and under it the list of what
// explains its rows, unless that is the table's last column.
type layout struct{ table, list grid }

// A fitted layout is one that was cut to a width.
type fitted struct {
	grids  []grid // the tables, and the list where there is one
	tables int    // without the list
	cost   int    // what it does to words, as grid.cost says
}

// cells prints the table of a group, in the layout that breaks the fewest words;
// of those the one of the fewest tables, and then of the fewest lines.
func (v view) cells(w io.Writer, g Group) error {
	var best fitted
	for i, l := range v.layouts(g) {
		if f := l.fit(v.width); i == 0 || f.compare(best) < 0 {
			best = f
		}
	}
	return printAll(w, best.grids)
}

// layouts are all ways to print a group, the most compact last.
func (v view) layouts(g Group) []layout {
	g.Columns = tableColumns(g.Columns)
	columns, list := g.Columns, grid{}
	if n := len(columns); n > 0 {
		if _, ok := aside(columns[n-1]); ok {
			ran := g
			ran.Rows = slices.DeleteFunc(slices.Clone(g.Rows), func(r scenarios.Row) bool { return rowState(r) != "" })
			list = v.grid(ran, each(columns[n-1:]))
			columns = columns[:n-1]
		}
	}
	var layouts []layout
	for _, places := range [][]place{each(columns), paired(columns, ", "), paired(columns, "\n")} {
		if len(columns) < len(g.Columns) {
			inside := append(slices.Clone(places), each(g.Columns[len(columns):])...)
			layouts = append(layouts, layout{table: v.grid(g, inside)})
		}
		layouts = append(layouts, layout{table: v.grid(g, places), list: list})
	}
	return layouts
}

func (l layout) fit(width int) fitted {
	var f fitted
	add := func(g grid) {
		for _, part := range g.parts(width) {
			f.grids = append(f.grids, part.fit(width))
			f.cost = max(f.cost, part.cost(width))
		}
	}
	add(l.table)
	f.tables = len(f.grids)
	if len(l.list.rows) > 0 {
		add(l.list)
	}
	return f
}

// compare is negative where f is better.
func (f fitted) compare(other fitted) int {
	return cmp.Or(
		cmp.Compare(f.cost, other.cost), cmp.Compare(f.tables, other.tables), cmp.Compare(f.height(), other.height()),
	)
}

func (f fitted) height() int {
	total := len(f.grids) - 1
	for _, g := range f.grids {
		total += g.height()
	}
	return total
}
