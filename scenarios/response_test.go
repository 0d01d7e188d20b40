package scenarios

import (
	"strings"
	"testing"
)

func TestABrokenAnswerIsNeverALicenceToSendAgain(t *testing.T) {
	byID := runRows(t, responseGroup())
	for id, row := range byID {
		want(t, row, "post", "no")
		if done := record(t, row).Committed() == 1; done == (id == "reset") {
			t.Errorf("%s: committed is %v", row.ID, done)
		}
	}
	// Half of the answer is proof enough that the work was done.
	for _, id := range []string{"truncated-length", "truncated-chunk", "reset-mid-body", "truncated-head", "gzip-cut"} {
		want(t, byID[id], "processed", "yes", "get", "yes", "post_key", "yes")
	}
	for _, id := range []string{"fin", "reset", "garbage", "head-too-large"} {
		want(t, byID[id], "processed", "maybe")
	}
	for _, id := range []string{"truncated-length", "truncated-chunk", "truncated-head", "gzip-cut"} {
		want(t, byID[id], "code", "TRUNCATED")
	}
}

func TestABodyThatOnlyTheCloseEndsIsCutWithoutAnError(t *testing.T) {
	row := runRows(t, responseGroup())["close-delimited-cut"]
	want(t, row, "code", "HTTP_200", "phase", "answered", "processed", "yes", "get", "no", "note", "cannot be detected: 500 of 1000 bytes, and no error")
	for id, other := range runRows(t, responseGroup()) {
		if note := other.Cells["note"]; id != "close-delimited-cut" && strings.HasPrefix(note, "cannot") {
			t.Errorf("%s: %q, though the client had an error: %s", other.ID, note, other.Cells["message"])
		}
	}
}
