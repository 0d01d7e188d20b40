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
		}
	}
	for _, b := range res.Sound.Unsafe {
		t.Errorf("unsafe: %+v", b)
	}
	checkUntraced(t, res.Groups)
	t.Logf("%+v %+v %v", res.Sound, res.Useful, res.ElapsedMS)
}
