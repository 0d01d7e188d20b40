package cmd

import "slices"

// parts are the grids that show g in at most width columns without breaking an
// id or a code, where that can be done: each has the first column, which names
// the row, and as many of the others as fit beside it.
func (g grid) parts(width int) []grid {
	var parts []grid
	for next := 1; next < len(g.header); {
		columns := []int{0, next}
		for next++; next < len(g.header); next++ {
			if g.only(append(columns, next)).cost(width) == wordsBroken {
				break
			}
			columns = append(columns, next)
		}
		parts = append(parts, g.only(columns))
	}
	if len(parts) < 2 {
		return []grid{g}
	}
	return parts
}

// only is the grid of some of g's columns.
func (g grid) only(columns []int) grid {
	pick := func(row []string) []string {
		var cells []string
		for _, i := range columns {
			cells = append(cells, row[i])
		}
		return cells
	}
	out := grid{header: pick(g.header), prose: map[int]int{}}
	for _, row := range g.rows {
		out.rows = append(out.rows, pick(row))
	}
	for to, from := range columns {
		if slices.Contains(g.right, from) {
			out.right = append(out.right, to)
		}
		if room, ok := g.prose[from]; ok {
			out.prose[to] = room
		}
	}
	if g.paint != nil {
		out.paint = func(column int, cell string) string { return g.paint(columns[column], cell) }
	}
	return out
}
