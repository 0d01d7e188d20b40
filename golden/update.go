package golden

import (
	"fmt"
	"slices"
)

// Update returns the table that records run over existing, which is nil where
// there is no table yet, and whether that differs from existing. It changes
// neither argument.
//
// A cell that agrees with what was seen is kept, so that alternatives and
// ranges never narrow because one run was lucky. Any other becomes what was
// seen: the values as alternatives, sorted, or from the least to the greatest
// in a Numeric column. Rows that were not selected, were skipped or not seen are
// kept. A row without a case is dropped only by a complete run. New rows are put
// behind the one they follow in the run.
//
// It fails where the group has a column that the table has not, and a row that
// is to be kept has no value for it.
func Update(existing *Table, run Run) (Table, bool, error) {
	if existing == nil {
		existing = &Table{Group: run.Group, Title: run.Title, Source: run.Source, Columns: run.Columns}
	}
	u := update{old: *existing, run: run}
	u.next = Table{Group: run.Group, Title: run.Title, Source: run.Source, Columns: slices.Clone(run.Columns)}
	rows := Union(run.Rows)
	if err := u.keep(rows); err != nil {
		return Table{}, false, err
	}
	u.insert(rows)
	if same(*existing, u.next) {
		return *existing, false, nil
	}
	return u.next, true, nil
}

type update struct {
	old, next Table
	run       Run
}

// keep takes over the rows of the old table, recording those that were run.
func (u *update) keep(rows []Observed) error {
	byID := make(map[string]Observed, len(rows))
	for _, o := range rows {
		byID[o.ID] = o
	}
	for _, row := range u.old.Rows {
		o, selected := byID[row.ID]
		switch {
		case !selected && u.run.Complete:
			continue
		case selected && o.measured():
			u.next.Rows = append(u.next.Rows, u.recordRow(&row, o))
		default:
			kept, err := u.arrange(row)
			if err != nil {
				return err
			}
			u.next.Rows = append(u.next.Rows, kept)
		}
	}
	return nil
}

// arrange puts the cells of a row that was not run in the order of the run's
// columns.
func (u *update) arrange(row Row) (Row, error) {
	kept := Row{ID: row.ID}
	for _, column := range u.run.Columns {
		at := slices.Index(u.old.Columns, column)
		if at < 0 {
			return Row{}, fmt.Errorf("cannot update golden table %s: column %s is new, and row %s was not run: it needs a run of every row",
				u.run.Group, column, row.ID)
		}
		kept.Cells = append(kept.Cells, row.Cells[at])
	}
	return kept, nil
}

// insert adds the rows that the old table does not have.
func (u *update) insert(rows []Observed) {
	at := len(u.next.Rows) // what comes before the first row of a partial run is not known
	if u.run.Complete {
		at = 0
	}
	for _, o := range rows {
		if i := indexOf(u.next.Rows, o.ID); i >= 0 {
			at = i + 1
		} else if o.measured() {
			u.next.Rows = slices.Insert(u.next.Rows, at, u.recordRow(nil, o))
			at++
		}
	}
}

// recordRow returns the row that o gives; old is the one it replaces, or nil.
func (u *update) recordRow(old *Row, o Observed) Row {
	row := Row{ID: o.ID}
	for _, column := range u.run.Columns {
		seen, at := o.Cells[column], slices.Index(u.old.Columns, column)
		cell := record(seen, slices.Contains(u.run.Numeric, column))
		if old != nil && at >= 0 && old.Cells[at].Agrees(seen) {
			cell = old.Cells[at]
		}
		row.Cells = append(row.Cells, cell)
	}
	return row
}

// record returns the cell that stands for the values seen.
func record(seen []string, numeric bool) Cell {
	values := slices.Sorted(slices.Values(seen))
	values = slices.Compact(values)
	if !numeric || len(values) < 2 {
		return Values(values...)
	}
	var numbers []int64
	for _, v := range values {
		n, ok := integer(v)
		if !ok {
			return Values(values...)
		}
		numbers = append(numbers, n)
	}
	return Range(slices.Min(numbers), slices.Max(numbers))
}

// same reports whether a and b are written the same.
func same(a, b Table) bool {
	return a.Group == b.Group && a.Title == b.Title && a.Source == b.Source && slices.Equal(a.Columns, b.Columns) &&
		slices.EqualFunc(a.Rows, b.Rows, func(r, s Row) bool {
			return r.ID == s.ID && slices.EqualFunc(r.Cells, s.Cells, Cell.Equal)
		})
}

// Union merges what several runs of the same cases gave: each case once, in the
// order of its first appearance, with every distinct value of each column in
// the order seen. A case counts as skipped, or as not seen, only where no run
// gave it any values.
func Union(rows ...[]Observed) []Observed {
	var merged []Observed
	at := map[string]int{}
	for _, o := range slices.Concat(rows...) {
		i, ok := at[o.ID]
		if !ok {
			i = len(merged)
			at[o.ID] = i
			merged = append(merged, Observed{ID: o.ID, Skipped: o.Skipped, NotSeen: o.NotSeen})
		}
		if o.measured() {
			merged[i] = withValues(merged[i], o)
		} else if !merged[i].measured() {
			// Skipped here, not seen there: it can be run, and was not seen.
			merged[i].Skipped = merged[i].Skipped && o.Skipped
			merged[i].NotSeen = !merged[i].Skipped
		}
	}
	return merged
}

// withValues adds the values of o to m, which is measured from then on.
func withValues(m, o Observed) Observed {
	m.Skipped, m.NotSeen = false, false
	if m.Cells == nil {
		m.Cells = map[string][]string{}
	}
	for column, values := range o.Cells {
		for _, v := range values {
			if !slices.Contains(m.Cells[column], v) {
				m.Cells[column] = append(m.Cells[column], v)
			}
		}
	}
	return m
}
