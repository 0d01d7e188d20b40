package scenarios

import (
	"strings"
	"testing"

	"github.com/retry-lab/retry-lab/servers"
)

// runRows runs a group and returns its rows by the part of the id after the
// slash. A verdict that the ledger refutes fails the test.
func runRows(t *testing.T, g Group) map[string]Row {
	t.Helper()
	sel, err := Select([]Group{g}, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := Runner{}.Run(t.Context(), sel)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range res.Sound.Unsafe {
		t.Errorf("unsafe: %+v", b)
	}
	for _, w := range res.Useful.Withheld {
		t.Errorf("withheld, though nothing was sent: %+v", w)
	}
	byID := map[string]Row{}
	for _, row := range res.Groups[0].Rows {
		_, id, _ := strings.Cut(row.ID, "/")
		byID[id] = row
		if row.Skipped != "" {
			t.Logf("%s: skipped: %s", row.ID, row.Skipped)
		}
	}
	return byID
}

// want compares cells of a row, given as name and value in turn.
func want(t *testing.T, row Row, cells ...string) {
	t.Helper()
	if row.Skipped != "" {
		return
	}
	for i := 0; i < len(cells); i += 2 {
		if got := row.Cells[cells[i]]; got != cells[i+1] {
			t.Errorf("%s: %s is %q, want %q", row.ID, cells[i], got, cells[i+1])
		}
	}
}

// record is the ledger of a row's first run.
func record(t *testing.T, row Row) servers.Record {
	t.Helper()
	if len(row.Runs) == 0 {
		t.Fatalf("%s has not run", row.ID)
	}
	return row.Runs[0].Record
}
