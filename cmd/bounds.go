package cmd

import (
	"slices"
	"strconv"

	"github.com/retry-lab/retry-lab/golden"
	"github.com/retry-lab/retry-lab/scenarios"
)

// withBounds widens the numbers that a run saw to the bounds of their case,
// where all of them lie within: what is recorded is then the physics, and not
// the luck of the machine that recorded it. A number outside is left as seen.
func withBounds(run golden.Run, g scenarios.Group) golden.Run {
	bounds := map[string]map[string][2]int{}
	for _, def := range g.Rows {
		bounds[def.ID] = def.Case.Bounds
	}
	for _, row := range run.Rows {
		for column, b := range bounds[row.ID] {
			if seen := row.Cells[column]; len(seen) > 0 && within(seen, b) {
				row.Cells[column] = append(seen, strconv.Itoa(b[0]), strconv.Itoa(b[1]))
			}
		}
	}
	return run
}

// within says whether every number lies in the bounds.
func within(numbers []string, b [2]int) bool {
	return !slices.ContainsFunc(numbers, func(text string) bool {
		n, err := strconv.Atoi(text)
		return err != nil || n < b[0] || n > b[1]
	})
}
