package scenarios

import "testing"

func TestACallersOwnCancellationIsNeverOverruled(t *testing.T) {
	byID := runRows(t, cancelGroup())
	for _, row := range byID {
		want(t, row, "code", "CANCELED", "get", "no", "post", "no", "post_key", "no")
		if v := row.Verdicts.Get; v.Verdict != "stop" || v.Reason != "caller-canceled" {
			t.Errorf("%s: GET is %+v, want stop", row.ID, v)
		}
	}
	want(t, byID["before-send"], "processed", "never", "saw", "nothing", "is_canceled", "yes")
	want(t, byID["while-awaiting"], "processed", "maybe", "saw", "request, committed", "is_canceled", "yes")

	// With a cause the error no longer says that it was one: ask the context.
	want(t, byID["with-cause"], "processed", "maybe", "is_canceled", "no", "message", errShutdown.Error())
}
