package scenarios

import "testing"

// The four waits of Client.Timeout print one text. Three of them come before
// anything is sent, the fourth after the work is done.
func TestOnlyTheTraceTellsTheWaitsOfAClientTimeoutApart(t *testing.T) {
	byID := runRows(t, timeoutGroup())
	const text = "context deadline exceeded (Client.Timeout exceeded while awaiting headers)"
	for _, row := range []struct{ wait, phase, processed, post string }{
		{"dial", "connect", "never", "yes"},
		{"tls", "tls", "never", "yes"},
		{"pool", "pool", "never", "yes"},
		{"await", "await", "maybe", "no"},
	} {
		r := byID[row.wait+"-client-timeout"]
		want(t, r, "message", text, "code", "TIMEOUT", "phase", row.phase, "processed", row.processed, "post", row.post)
		if n := record(t, r).Committed(); (n == 1) != (row.wait == "await") {
			t.Errorf("%s: %d committed", r.ID, n)
		}
	}
}

// The same text, the same verdict, the opposite truth: no client can know.
func TestWorkThatIsDoneAfterTheClientLeftLooksLikeWorkThatNeverIs(t *testing.T) {
	byID := runRows(t, timeoutGroup())
	never, late := byID["await"], byID["done-but-late"]
	for name, value := range never.Cells {
		if name != "saw" {
			want(t, late, name, value)
		}
	}
	want(t, never, "processed", "maybe", "post", "no", "saw", "request")
	want(t, late, "saw", "request, committed")
	if d := record(t, late).Deliveries[0]; !d.CommittedAt.After(d.EndedAt) || d.EndedAt.IsZero() {
		t.Errorf("committed at %v, the client left at %v", d.CommittedAt, d.EndedAt)
	}
}

func TestATimerInTheBodyComesAfterTheWork(t *testing.T) {
	byID := runRows(t, timeoutGroup())
	want(t, byID["body"], "phase", "read-body", "processed", "yes", "get", "yes", "post", "no", "saw", "request, committed")
	want(t, byID["response-header-timeout"], "phase", "await", "processed", "maybe", "post", "no", "saw", "request, committed")
}
