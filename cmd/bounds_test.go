package cmd

import (
	"errors"
	"io/fs"
	"slices"
	"strconv"
	"testing"

	"github.com/retry-lab/retry-lab/golden"
	"github.com/retry-lab/retry-lab/scenarios"
)

func TestWhatThePhysicsForbidsIsNotRecorded(t *testing.T) {
	c := &scenarios.Case{Bounds: map[string][2]int{"requests": {15, 21}}}
	g := scenarios.Group{ID: "g", Rows: []scenarios.RowDef{{ID: "g/x", Case: c}}}
	for _, tc := range []struct {
		why        string
		seen, want []string
		fails      bool
	}{
		{"a quiet machine shows a part of the physics", []string{"20", "21"}, []string{"20", "21", "15", "21"}, false},
		{"above: the case or the machine is wrong, and a table would hide it", []string{"20", "22"}, nil, true},
		{"below", []string{"14"}, nil, true},
		{"no number", []string{""}, nil, true},
		{"a row that was not run stays empty", nil, nil, false},
	} {
		run := golden.Run{Rows: []golden.Observed{{ID: "g/x", Cells: map[string][]string{"requests": tc.seen}}}}
		got, err := withBounds(run, g)
		if (err != nil) != tc.fails {
			t.Errorf("%s: %q: error %v, want one: %v", tc.why, tc.seen, err, tc.fails)
		} else if err == nil && !slices.Equal(got.Rows[0].Cells["requests"], tc.want) {
			t.Errorf("%s: %q became %q, want %q", tc.why, tc.seen, got.Rows[0].Cells["requests"], tc.want)
		}
	}
}

// A cell that agrees is never narrowed, so that a range too wide would stay.
func TestTheTablesThatShipExpectThePhysicsAndNoMore(t *testing.T) {
	groups := scenarios.Groups()
	for _, g := range groups {
		table, file, err := golden.Embedded().Load("linux", g.ID, vocabulary(groups))
		if errors.Is(err, fs.ErrNotExist) {
			continue // check says that it is missing
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, def := range g.Rows {
			for column, b := range def.Case.Bounds {
				want := golden.Range(int64(b[0]), int64(b[1]))
				if b[0] == b[1] {
					want = golden.Values(strconv.Itoa(b[0]))
				}
				i := slices.IndexFunc(table.Rows, func(r golden.Row) bool { return r.ID == def.ID })
				at := slices.Index(table.Columns, column)
				if i < 0 || at < 0 {
					t.Errorf("%s: no cell %s of %s", file, column, def.ID)
				} else if got := table.Rows[i].Cells[at]; !got.Equal(want) {
					t.Errorf("%s: %s %s is %v, want %v", file, def.ID, column, got, want)
				}
			}
		}
	}
}
