package scenarios

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// A Selection is a group and those of its rows that were asked for.
type Selection struct {
	Group    Group
	Rows     []RowDef
	Complete bool // all of them
}

// An UnknownID is an id that names nothing.
type UnknownID struct {
	ID      string
	Nearest []string // at most three
}

func (e *UnknownID) Error() string { return fmt.Sprintf("unknown case or group %q", e.ID) }

// Select finds groups, rows and globs ("status", "network/refused",
// "network/*-http") among groups, in their order and each row once; no id
// selects all that are not on request. An id that matches nothing gives an *UnknownID, a broken glob
// path.ErrBadPattern.
func Select(groups []Group, ids []string) ([]Selection, error) {
	for _, id := range ids {
		if err := known(groups, id); err != nil {
			return nil, err
		}
	}
	var sel []Selection
	for _, g := range groups {
		chosen := chosenOf(g, ids)
		if len(chosen) > 0 {
			sel = append(sel, Selection{Group: g, Rows: chosen, Complete: len(chosen) == len(g.Rows)})
		}
	}
	return sel, nil
}

// chosenOf are the rows of a group that ids name.
func chosenOf(g Group, ids []string) []RowDef {
	if len(ids) == 0 && g.OnRequest {
		return nil
	}
	var chosen []RowDef
	for _, row := range g.Rows {
		if len(ids) > 0 && !slices.ContainsFunc(ids, func(id string) bool { return matches(id, g, row) }) {
			continue
		}
		if row.Case.Sums != nil {
			return g.Rows // it is about all of them
		}
		chosen = append(chosen, row)
	}
	return chosen
}

// known says whether an id selects anything.
func known(groups []Group, id string) error {
	if _, err := path.Match(id, ""); err != nil {
		return fmt.Errorf("pattern %q: %w", id, err)
	}
	for _, g := range groups {
		for _, row := range g.Rows {
			if matches(id, g, row) {
				return nil
			}
		}
	}
	return &UnknownID{ID: id, Nearest: nearest(id, allIDs(groups))}
}

func matches(id string, g Group, row RowDef) bool {
	if id == g.ID || id == row.ID {
		return true
	}
	ok, err := path.Match(id, row.ID)
	return err == nil && ok
}

func allIDs(groups []Group) []string {
	var ids []string
	for _, g := range groups {
		ids = append(ids, g.ID)
		for _, row := range g.Rows {
			ids = append(ids, row.ID)
		}
	}
	return ids
}

// nearest is the up to three ids that take the fewest edits to reach; an id
// whose last part was typed alone is near too. Case does not count, and
// nothing is near to what would share no letter with it.
func nearest(id string, ids []string) []string {
	type near struct {
		id   string
		cost int
	}
	id = strings.ToLower(id[:min(len(id), mostEdits)])
	var all []near
	for _, other := range ids {
		lower := strings.ToLower(other)
		cost := edits(id, lower)
		if _, last, ok := strings.Cut(lower, "/"); ok {
			cost = min(cost, edits(id, last)+1)
		}
		all = append(all, near{other, cost})
	}
	slices.SortStableFunc(all, func(a, b near) int { return a.cost - b.cost })
	var out []string
	for _, n := range all[:min(3, len(all))] {
		if n.cost <= min(max(3, len(id)/2), len(id)-1) {
			out = append(out, n.id)
		}
	}
	return out
}

// mostEdits bounds what edits looks at, in bytes.
const mostEdits = 64

// edits is the Levenshtein distance of the first mostEdits bytes.
func edits(a, b string) int {
	a, b = a[:min(len(a), mostEdits)], b[:min(len(b), mostEdits)]
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
