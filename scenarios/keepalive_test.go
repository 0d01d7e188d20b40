package scenarios

import (
	"testing"

	"github.com/retry-lab/retry-lab/classifier"
)

func TestWhatNetHTTPSendsAgainByItselfStandsInTheLedger(t *testing.T) {
	byID := runRows(t, keepaliveGroup())
	for _, end := range []string{"fin", "rst"} {
		for _, row := range []struct{ id, deliveries, replays, charges, code string }{
			{"get", "2", "1", "0", "HTTP_200"},
			{"post", "1", "0", "1", ""},
			{"put", "1", "0", "1", ""},
			{"post-key", "2", "1", "1", "HTTP_200"},
		} {
			r := byID["stale-"+end+"-"+row.id]
			want(t, r, "deliveries", row.deliveries, "replays", row.replays, "charges", row.charges)
			if row.code == "" { // not resent, and the outcome unknown
				row.code = map[string]string{"fin": "EOF", "rst": "ECONNRESET"}[end]
				want(t, r, "processed", "maybe", "post", "no")
			}
			want(t, r, "code", row.code)
			if asked := record(t, r).Asked(); !asked[0].Reused || asked[0].Attempt != 1 || asked[0].Ended != end {
				t.Errorf("%s: first delivery %+v, want it on the kept connection, ended by %s", r.ID, asked[0], end)
			}
		}
	}
}

// The text is that of the safest error there is, and the work is done.
func TestARefusedReplayDoesNotEraseWhatWasDelivered(t *testing.T) {
	sticky := runRows(t, keepaliveGroup())["sticky-refused"]
	port := runRows(t, Group{ID: "connect", Columns: networkGroup().Columns, Rows: rows(connectRefused)})["refused"]
	for _, name := range []string{"code", "syscall", "phase"} {
		want(t, sticky, name, port.Cells[name])
	}
	want(t, port, "processed", "never", "post", "yes", "saw", "nothing")
	want(t, sticky, "processed", "maybe", "post", "no", "post_key", "yes", "deliveries", "1", "saw", "request, committed")
	if ev := sticky.Attempts[0].Evidence; !ev.Exposed || ev.Acquisitions != 2 {
		t.Errorf("exposed %v after %d acquisitions, want true after 2", ev.Exposed, ev.Acquisitions)
	}
	if a := sticky.Attempts[0]; a.Basis == classifier.Guaranteed {
		t.Errorf("basis %s", a.Basis)
	}
}
