package cmd

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/retry-lab/retry-lab/golden"
	"github.com/retry-lab/retry-lab/scenarios"
)

// withBounds widens the numbers that a run saw to the bounds of their case:
// what is recorded is then the physics, and not the luck of the machine that
// recorded it. A value outside is an error: recorded, it would be expected of
// every machine from then on.
func withBounds(run golden.Run, g scenarios.Group) (golden.Run, error) {
	bounds := map[string]map[string][2]int{}
	for _, def := range g.Rows {
		bounds[def.ID] = def.Case.Bounds
	}
	for _, row := range run.Rows {
		for column, b := range bounds[row.ID] {
			seen := row.Cells[column]
			if len(seen) == 0 {
				continue
			}
			if !within(seen, b) {
				return golden.Run{}, &failure{exitDiffers,
					fmt.Errorf("%s %s: saw %q, which must lie in %d..%d; nothing was recorded", row.ID, column, seen, b[0], b[1]),
					"record on a machine that is not busy"}
			}
			row.Cells[column] = append(seen, strconv.Itoa(b[0]), strconv.Itoa(b[1]))
		}
	}
	return run, nil
}

// within says whether every number lies in the bounds.
func within(numbers []string, b [2]int) bool {
	return !slices.ContainsFunc(numbers, func(text string) bool {
		n, err := strconv.Atoi(text)
		return err != nil || n < b[0] || n > b[1]
	})
}
