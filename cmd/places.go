package cmd

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/retry-lab/retry-lab/scenarios"
)

// A place is a column of the terminal: one column of the group, or several.
type place struct {
	columns   []string
	separator string
}

// each gives every column a place of its own.
func each(columns []string) []place {
	var places []place
	for _, c := range columns {
		places = append(places, place{columns: []string{c}})
	}
	return places
}

// paired puts a column into the place of the one that it belongs to.
func paired(columns []string, separator string) []place {
	partner := map[string]string{"syscall": "code", "basis": "processed"}
	var places []place
	at := map[string]int{}
	for _, c := range columns {
		if i, ok := at[partner[c]]; ok {
			places[i] = place{append(places[i].columns, c), separator}
			continue
		}
		at[c] = len(places)
		places = append(places, place{columns: []string{c}})
	}
	return places
}

// grid lays a group's rows out.
func (v view) grid(g Group, places []place) grid {
	out := grid{header: []string{"case"}, paint: func(column int, cell string) string {
		if column > 0 && isAnswer(places[column-1].columns[0]) {
			return v.palette.word(cell)
		}
		return cell
	}}
	for i, p := range places {
		if room, ok := aside(p.columns[0]); ok && room > 0 {
			out.prose = map[int]int{i + 1: room}
		}
		out.header = append(out.header, p.join(columnTitle))
	}
	for _, row := range g.Rows {
		line := append([]string{shortID(row.ID, g.ID)}, make([]string, len(places))...)
		if state := rowState(row); state != "" && len(places) > 0 {
			line[1] = state
		} else {
			for i, p := range places {
				line[i+1] = p.join(func(column string) string { return cellText(row, column) })
			}
		}
		out.rows = append(out.rows, line)
	}
	return out
}

func (p place) join(text func(column string) string) string {
	var texts []string
	for _, c := range p.columns {
		texts = append(texts, text(c))
	}
	return strings.Join(texts, p.separator)
}

// rowState says why a row has no cells; empty where it has.
func rowState(row scenarios.Row) string {
	switch {
	case row.Skipped != "":
		return "skipped"
	case row.NotSeen:
		return "not seen"
	}
	return ""
}

// cellText is a cell for a person: escaped, - where it is empty, and where
// several texts explain a racy row, how often each was seen.
func cellText(row scenarios.Row, column string) string {
	seen := row.Seen[column]
	if len(seen) < 2 {
		return valueText(row.Cells[column])
	}
	var values, counted []string
	for _, text := range slices.Sorted(maps.Keys(seen)) {
		values = append(values, valueText(text))
		counted = append(counted, fmt.Sprintf("%d× %s", seen[text], valueText(text)))
	}
	if _, ok := aside(column); ok {
		return strings.Join(counted, "\n")
	}
	return strings.Join(values, " or ")
}

func valueText(value string) string { return cmp.Or(safe(value), "-") }

// isAnswer: the column says whether a request may be sent again.
func isAnswer(column string) bool { return column == "get" || column == "post" || column == "post_key" }

// columnTitle is what stands above a column: its name, but the verdicts as
// requests are written.
func columnTitle(name string) string {
	switch name {
	case "get":
		return "GET"
	case "post":
		return "POST"
	case "post_key":
		return "POST +KEY"
	}
	return name
}

// shortID drops the group, which stands above the table.
func shortID(id, group string) string { return strings.TrimPrefix(id, group+"/") }
