package scenarios

import (
	"strings"
	"testing"
)

func TestAFailedReadTakenForAnEmptyAnswerPublishesTwice(t *testing.T) {
	byID := runRows(t, outageGroup())
	want(t, byID["read-as-empty"], "published", "2", "code", "ECONNRESET", "get", "yes")
	want(t, byID["kept-apart"], "published", "1", "code", "ECONNRESET", "get", "yes")

	apart := byID["kept-apart"]
	reads := 0
	for _, d := range record(t, apart).Deliveries {
		if d.Method == "GET" && d.Answered == 0 {
			reads++
		}
		if d.Replay {
			t.Errorf("delivery %+v: a retry of the job's was a replay of net/http's", d)
		}
	}
	if reads != readTries {
		t.Errorf("%d reads were answered with a reset, want %d", reads, readTries)
	}
	for _, part := range []string{"could not find out", "GET http://127.0.0.1:", "/posts", "3 times"} {
		if !strings.Contains(apart.Cells["believes"], part) {
			t.Errorf("the job reports %q, want it to name %q", apart.Cells["believes"], part)
		}
	}
}
