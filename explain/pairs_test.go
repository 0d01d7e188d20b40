package explain_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/retry-lab/retry-lab/classifier"
	"github.com/retry-lab/retry-lab/explain"
)

// boldness orders verdicts as an operation takes the least bold of them.
func boldness(c explain.Cell) int {
	switch c {
	case explain.CellUnknown, explain.CellNo:
		return 0
	}
	return 1
}

// Two failures in one text are never answered more boldly than the worse of
// them alone, unless one of them is not recognised and so is only a line.
func TestTwoFailuresAreNoBolderThanTheWorse(t *testing.T) {
	cases := loadCases(t, "testdata/cases.jsonl")
	rng := rand.New(rand.NewPCG(3, 4))
	vague := map[string]bool{} // words that may only repeat what another line says
	for _, table := range explain.Tables() {
		for _, e := range table.Entries {
			vague[e.ID] = e.Rank != 0 && e.Rank < 25
		}
	}
	for range 2000 {
		a, b := cases[rng.IntN(len(cases))], cases[rng.IntN(len(cases))]
		if strings.HasPrefix(b.Text, "code:") {
			continue // a property of what stands before it
		}
		alone, other := explain.Text([]byte(a.Text)), explain.Text([]byte(b.Text))
		ra, rb := alone.Operation, other.Operation
		if vague[alone.Answers[0].Entry] || vague[other.Answers[0].Entry] {
			continue
		}
		r := explain.Text([]byte(a.Text + "\n" + b.Text))
		op := r.Operation
		if op == nil || ra == nil || rb == nil || ra.Code == classifier.Unknown || rb.Code == classifier.Unknown {
			continue
		}
		if boldness(op.Post) > min(boldness(ra.Post), boldness(rb.Post)) {
			t.Errorf("%s and %s together: post %s by %v, alone %s %s and %s %s", a.ID, b.ID, op.Post, entries(r), ra.Code, ra.Post, rb.Code, rb.Post)
		}
	}
}
