package cmd

import (
	"io"
	"math"
	"slices"
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
type layout struct {
	table, list grid
	least       int // the room that the last column needs
}

// cells prints the table of a group, in the layout that takes the fewest lines
// of those in which no word is broken.
func (v view) cells(w io.Writer, g Group) error {
	var best layout
	lines := math.MaxInt
	layouts := v.layouts(g)
	for _, l := range layouts {
		fitted := l.fit(v.width)
		if l.table.least() <= v.width && l.readable(fitted) && fitted.height() < lines {
			best, lines = fitted, fitted.height()
		}
	}
	if lines == math.MaxInt { // a very narrow terminal
		best = layouts[len(layouts)-1].fit(v.width)
	}
	return best.print(w)
}

// layouts are all ways to print a group, the most compact last.
func (v view) layouts(g Group) []layout {
	g.Columns = tableColumns(g.Columns)
	columns, list, least := g.Columns, grid{}, 0
	if n := len(columns); n > 0 {
		if room, ok := aside(columns[n-1]); ok {
			ran := g
			ran.Rows = slices.DeleteFunc(slices.Clone(g.Rows), func(r Row) bool { return rowState(r) != "" })
			list, least = v.grid(ran, each(columns[n-1:])), room
			columns = columns[:n-1]
		}
	}
	var layouts []layout
	for _, places := range [][]place{each(columns), paired(columns, ", "), paired(columns, "\n")} {
		if len(columns) < len(g.Columns) {
			inside := append(slices.Clone(places), each(g.Columns[len(columns):])...)
			layouts = append(layouts, layout{table: v.grid(g, inside), least: least})
		}
		layouts = append(layouts, layout{table: v.grid(g, places), list: list})
	}
	return layouts
}

func (l layout) fit(width int) layout {
	return layout{l.table.fit(width), l.list.fit(width), l.least}
}

// readable: fitted leaves what explains a row the room that it needs.
func (l layout) readable(fitted layout) bool {
	full, now := l.table.widths(), fitted.table.widths()
	last := len(full) - 1
	return now[last] >= min(l.least, full[last])
}

func (l layout) height() int {
	if len(l.list.rows) == 0 {
		return l.table.height()
	}
	return l.table.height() + 1 + l.list.height()
}

func (l layout) print(w io.Writer) error {
	if err := l.table.print(w); err != nil || len(l.list.rows) == 0 {
		return err
	}
	if _, err := io.WriteString(w, "\n"); err != nil {
		return err
	}
	return l.list.print(w)
}
