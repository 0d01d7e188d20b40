package scenarios

import (
	"testing"

	"github.com/retry-lab/retry-lab/classifier"
)

func TestUploadsShowWhatAResetHides(t *testing.T) {
	byID := runRows(t, uploadGroup())
	want(t, byID["half-close"], "code", "CONN_CLOSED", "phase", "write", "processed", "maybe", "post", "no")
	want(t, byID["early-413-drained"], "code", "HTTP_413", "get", "no", "saw", "head")
	want(t, byID["expect-417"], "code", "HTTP_417", "post", "modified", "saw", "head")
	want(t, byID["expect-503"], "code", "HTTP_503", "post", "yes", "saw", "head")
	want(t, byID["body-error"], "code", "INVALID_REQUEST", "phase", "write", "get", "no", "post", "no", "saw", "part of the body")

	// One fault: the server has said 413 every time, and the client judges by
	// what it has seen.
	answered, lost := byID["early-413-answered"], byID["early-413-lost"]
	if n := len(answered.Runs) + len(lost.Runs); n != racyRuns {
		t.Errorf("early-413: %d runs in its two rows, want %d", n, racyRuns)
	}
	for _, row := range []Row{answered, lost} {
		for _, run := range row.Runs {
			a, d := run.Attempts[0], run.Record.Deliveries[0]
			if d.Answered != 413 || d.Committed {
				t.Errorf("%s: delivery %+v, want answered 413 and not committed", row.ID, d)
			}
			known := a.Phase == classifier.PhaseAnswered
			if known != (row.ID == answered.ID) || known != (a.Processed == classifier.Never) {
				t.Errorf("%s: phase %s, processed %s", row.ID, a.Phase, a.Processed)
			}
		}
	}
}
