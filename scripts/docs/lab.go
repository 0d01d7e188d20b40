package main

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/retry-lab/retry-lab/golden"
	"github.com/retry-lab/retry-lab/scenarios"
)

// A lab is every group with what was recorded of its rows.
type lab struct {
	platform string
	groups   []group
}

type group struct {
	scenarios.Group
	rows []row
}

// A row is a case under the id of a group.
type row struct {
	id   string
	c    *scenarios.Case
	part string // which of the case's outcomes; empty where it has one

	// home is the row that the case has in its own group; its own id but for
	// the rows that a group borrows from another.
	home string

	// cells is what was recorded, by column; nil where the row was not seen or
	// could not run.
	cells map[string]golden.Cell

	// judged are the three decisions; nil where the group has no such columns.
	judged *judged
}

// load joins the definitions with the golden tables.
func load(set golden.Set, platform string, defs []scenarios.Group) (lab, error) {
	l := lab{platform: platform}
	for _, def := range defs {
		table, file, err := set.Load(platform, def.ID, nil)
		if errors.Is(err, fs.ErrNotExist) {
			return lab{}, fmt.Errorf("no golden table %s: make golden records it", file)
		}
		if err != nil {
			return lab{}, err
		}
		g, err := join(def, table, defs)
		if err != nil {
			return lab{}, fmt.Errorf("%s: %w", file, err)
		}
		l.groups = append(l.groups, g)
	}
	for _, g := range l.groups {
		for _, r := range g.rows {
			if _, ok := l.find(r.c.Pair); !ok && r.c.Pair != "" {
				return lab{}, fmt.Errorf("%s is paired with %s, which is no row", r.id, r.c.Pair)
			}
		}
	}
	return l, nil
}

// join is a group with its table.
func join(def scenarios.Group, table golden.Table, defs []scenarios.Group) (group, error) {
	var columns []string
	for _, c := range def.Columns {
		columns = append(columns, c.Name)
	}
	if !slices.Equal(columns, table.Columns) {
		return group{}, fmt.Errorf("its columns are %q, those of the group %q: make golden", table.Columns, columns)
	}
	recorded := map[string]golden.Row{}
	for _, r := range table.Rows {
		recorded[r.ID] = r
	}
	g := group{Group: def}
	for _, d := range def.Rows {
		r := row{id: d.ID, c: d.Case, part: d.Part, home: homeOf(d, defs)}
		if cells, ok := recorded[d.ID]; ok {
			r.cells = map[string]golden.Cell{}
			for i, c := range columns {
				r.cells[c] = cells.Cells[i]
			}
		}
		delete(recorded, d.ID)
		var err error
		if r.judged, err = judge(r); err != nil {
			return group{}, fmt.Errorf("%s: %w", d.ID, err)
		}
		g.rows = append(g.rows, r)
	}
	for id := range recorded {
		return group{}, fmt.Errorf("no case stands behind the row %s", id)
	}
	return g, nil
}

// homeOf is the row that a definition's case has in its own group: the same
// part of it, under the case's group.
func homeOf(d scenarios.RowDef, defs []scenarios.Group) string {
	own, _, _ := strings.Cut(d.Case.ID, "/")
	for _, g := range defs {
		for _, other := range g.Rows {
			if g.ID == own && other.Case == d.Case && other.Part == d.Part {
				return other.ID
			}
		}
	}
	return d.ID
}

// find is the row with an id.
func (l lab) find(id string) (row, bool) {
	for _, g := range l.groups {
		for _, r := range g.rows {
			if r.id == id {
				return r, true
			}
		}
	}
	return row{}, false
}

// own are the rows that stand for a case, each once, as recorded.
func (l lab) own() []row {
	var list []row
	for _, g := range l.groups {
		for _, r := range g.rows {
			if r.home == r.id && r.cells != nil {
				list = append(list, r)
			}
		}
	}
	return list
}

// pairs are the ids of the rows that look like r and are another thing: the one
// that its case names, and those whose cases name r.
func (l lab) pairs(r row) []string {
	var ids []string
	if r.c.Pair != "" {
		ids = append(ids, r.c.Pair)
	}
	for _, g := range l.groups {
		for _, other := range g.rows {
			if other.c.Pair == r.id && other.home == other.id && !slices.Contains(ids, other.id) {
				ids = append(ids, other.id)
			}
		}
	}
	return ids
}

// outcomes are links to the rows of r's case in its own group but r.
func (l lab) outcomes(r row) []string {
	var list []string
	for _, g := range l.groups {
		for _, other := range g.rows {
			if other.c == r.c && other.home == other.id && other.id != r.id {
				list = append(list, link("", other.id))
			}
		}
	}
	return list
}

// text is a cell for a reader: its values joined by "or", - for an empty one.
// Empty where there is no such column.
func (r row) text(column string) string {
	if c, ok := r.cells[column]; ok {
		return c.String()
	}
	return ""
}

// values are the alternatives of a cell of words or of text.
func (r row) values(column string) []string {
	if c, ok := r.cells[column]; ok {
		return c.Alternatives()
	}
	return nil
}
