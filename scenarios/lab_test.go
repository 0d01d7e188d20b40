package scenarios

import (
	"context"
	"testing"
)

func TestTheWholeLabIsSoundAndUsefulWhereItCanBe(t *testing.T) {
	sel, err := Select(Groups(), nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := Runner{}.Run(context.Background(), sel)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range res.Groups {
		for _, row := range g.Rows {
			t.Log(row.ID, row.Skipped, row.Cells, row.Verdicts)
			for _, run := range row.Runs {
				for name := range run.Cells {
					if commonColumns()[name] != nil && name != "saw" { // of one attempt, where others reached the server too
						t.Errorf("%s writes its own cell %s", row.ID, name)
					}
				}
			}
		}
	}
	for _, b := range res.Sound.Unsafe {
		t.Errorf("unsafe: %+v", b)
	}
	// An empty ledger would be sound as well.
	if res.Sound.Checked == 0 || res.Useful.Checked == 0 {
		t.Errorf("%d attempts checked for sound, %d for useful; want some of each", res.Sound.Checked, res.Useful.Checked)
	}
	for _, b := range res.Sound.RefutedClaims {
		if b.Row != "gateway/lying-503" {
			t.Errorf("refuted claim: %+v", b)
		}
	}
	checkUntraced(t, res.Groups)
	t.Logf("%+v %+v %v", res.Sound, res.Useful, res.ElapsedMS)
}
