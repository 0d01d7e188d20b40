package cmd

import (
	"slices"
	"testing"

	"github.com/retry-lab/retry-lab/golden"
	"github.com/retry-lab/retry-lab/scenarios"
)

func TestBoundsWidenOnlyWhatLiesWithinThem(t *testing.T) {
	c := &scenarios.Case{Bounds: map[string][2]int{"requests": {15, 21}}}
	g := scenarios.Group{ID: "g", Rows: []scenarios.RowDef{{ID: "g/x", Case: c}}}
	for _, tc := range []struct {
		why        string
		seen, want []string
	}{
		{"a quiet machine shows a part of the physics", []string{"20", "21"}, []string{"20", "21", "15", "21"}},
		{"what the physics forbids is recorded as seen", []string{"20", "22"}, []string{"20", "22"}},
		{"no number, no bounds", []string{""}, []string{""}},
		{"a row that was not run stays empty", nil, nil},
	} {
		run := golden.Run{Rows: []golden.Observed{{ID: "g/x", Cells: map[string][]string{"requests": tc.seen}}}}
		if got := withBounds(run, g).Rows[0].Cells["requests"]; !slices.Equal(got, tc.want) {
			t.Errorf("%s: %q became %q, want %q", tc.why, tc.seen, got, tc.want)
		}
	}
}
