package cmd

import (
	"bytes"
	"context"
	"fmt"

	"github.com/retry-lab/retry-lab/golden"
)

// A change is a golden table that a run gave another content.
type change struct {
	table         golden.Table
	file          string
	before, after []byte // as written; before is empty where there was no table
}

// record runs the cases and returns the tables that change. It refuses what an
// unsound run saw, and numbers that the physics of a case forbids: a table is
// there to be trusted.
func (a *app) record(ctx context.Context, load func(group string) (expectation, error), ids []string, o recordOptions) ([]change, error) {
	sel, err := a.selectRows(ids)
	if err != nil {
		return nil, err
	}
	existing, err := loadAll(sel, load)
	if err != nil {
		return nil, err
	}
	runs := map[string]golden.Run{}
	for range o.runs {
		res, err := a.runCases(ctx, sel, o.jobs, false)
		if err != nil {
			return nil, err
		}
		if n := len(res.Sound.Unsafe); n > 0 {
			return nil, &failure{exitDiffers, fmt.Errorf("%s, nothing was recorded", plural(n, "unsound verdict")), "see 'retry-lab check'"}
		}
		for _, g := range res.Groups {
			run := observed(g)
			run.Rows = golden.Union(runs[g.Group.ID].Rows, run.Rows)
			runs[g.Group.ID] = run
		}
	}
	var changes []change
	for _, s := range sel {
		run, err := withBounds(runs[s.Group.ID], s.Group)
		if err != nil {
			return nil, err
		}
		ch, err := changeOf(existing[s.Group.ID], run)
		if err != nil {
			return nil, err
		}
		if ch != nil {
			changes = append(changes, *ch)
		}
	}
	return changes, nil
}

// changeOf is the change that a run makes to a table, nil where there is none.
func changeOf(old expectation, run golden.Run) (*change, error) {
	next, changed, err := golden.Update(old.table, run)
	if err != nil || !changed || old.table == nil && len(next.Rows) == 0 {
		return nil, err // without rows nothing ran, and there is nothing to record
	}
	var before, after bytes.Buffer
	if old.table != nil {
		if err := golden.Write(&before, *old.table); err != nil {
			return nil, err
		}
	}
	if err := golden.Write(&after, next); err != nil {
		return nil, err
	}
	return &change{next, old.file, before.Bytes(), after.Bytes()}, nil
}
