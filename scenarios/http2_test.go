package scenarios

import (
	"maps"
	"testing"

	"github.com/retry-lab/retry-lab/classifier"
)

// runHTTP2 runs every case of the group on the carrier that carries chooses.
func runHTTP2(t *testing.T, carries func(http2Fault) bool) map[string]Row {
	t.Helper()
	g := http2Group()
	g.Rows = nil
	for _, f := range http2Faults() {
		g.Rows = append(g.Rows, rows(f.onto(carries(f)))...)
	}
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
	byID := map[string]Row{}
	for _, row := range res.Groups[0].Rows {
		byID[row.ID] = row
	}
	return byID
}

// asDefined is each case on its own carrier.
func asDefined(f http2Fault) bool { return f.secure }

func TestHTTP2PromisesAndReplaysAreWhatTheLedgerSays(t *testing.T) {
	byID := runHTTP2(t, asDefined)
	for _, tc := range []struct {
		id                           string
		deliveries, replays, charges int
		processed                    classifier.Processed
		get, post, postKey           classifier.Verdict
	}{
		// The protocol's promise, and the truth.
		{"goaway-above", 1, 0, 0, classifier.Never, classifier.Retry, classifier.Retry, classifier.Retry},
		{"refused-stream", 1, 0, 0, classifier.Never, classifier.Retry, classifier.Retry, classifier.Retry},

		// net/http keeps to itself that it has sent them again.
		{"goaway-above-resent", 2, 1, 1, classifier.Yes, classifier.Done, classifier.Done, classifier.Done},
		{"refused-stream-resent", 2, 1, 1, classifier.Yes, classifier.Done, classifier.Done, classifier.Done},
		{"goaway-always", 21, 20, 1, classifier.Yes, classifier.Done, classifier.Done, classifier.Done},
		{"protocol-error", 21, 20, 21, classifier.Yes, classifier.Done, classifier.Done, classifier.Done},

		// No promise, and the server has acted.
		{"goaway-below", 1, 0, 1, classifier.Maybe, classifier.Retry, classifier.Ambiguous, classifier.Retry},
		{"connection-lost", 1, 0, 1, classifier.Maybe, classifier.Retry, classifier.Ambiguous, classifier.Retry},
		{"internal-error", 1, 0, 1, classifier.Maybe, classifier.Retry, classifier.Ambiguous, classifier.Retry},
		{"cancel", 1, 0, 1, classifier.Maybe, classifier.Retry, classifier.Ambiguous, classifier.Retry},
		{"enhance-your-calm", 1, 0, 1, classifier.Maybe, classifier.Retry, classifier.Ambiguous, classifier.Retry},
		{"http11-required", 1, 0, 1, classifier.Maybe, classifier.RetryModified, classifier.Ambiguous, classifier.RetryModified},
	} {
		row, ok := byID["http2/"+tc.id]
		if !ok || len(row.Runs) != 1 || len(row.Attempts) != 1 {
			t.Errorf("%s: want one run of one attempt: %+v", tc.id, row)
			continue
		}
		record, a, v := row.Runs[0].Record, row.Attempts[0], row.Verdicts
		if len(record.Deliveries) != tc.deliveries || record.Replays() != tc.replays || record.Committed() != tc.charges {
			t.Errorf("%s: %d deliveries, %d replays, %d charges; want %d, %d, %d", tc.id,
				len(record.Deliveries), record.Replays(), record.Committed(), tc.deliveries, tc.replays, tc.charges)
		}
		if a.Processed != tc.processed || v.Get.Verdict != tc.get || v.Post.Verdict != tc.post || v.PostKey.Verdict != tc.postKey {
			t.Errorf("%s: processed %s, verdicts %+v; want %s, %s, %s, %s", tc.id, a.Processed, v, tc.processed, tc.get, tc.post, tc.postKey)
		}
		if !a.Evidence.HTTP2 || a.Evidence.Exposed != (tc.replays > 0) || a.Evidence.Acquisitions < tc.deliveries {
			t.Errorf("%s: the trace missed what the transport did: %+v", tc.id, a.Evidence)
		}
	}
	if len(byID) != 12 {
		t.Errorf("%d cases, of which 12 are tested", len(byID))
	}
}

func TestTheCarrierOfHTTP2ChangesNothing(t *testing.T) {
	own, other := runHTTP2(t, asDefined), runHTTP2(t, func(f http2Fault) bool { return !f.secure })
	for id, row := range own {
		if !maps.Equal(row.Cells, other[id].Cells) {
			t.Errorf("%s: %v on its carrier, %v on the other", id, row.Cells, other[id].Cells)
		}
	}
}
