package servers

import (
	"net/http"
	"testing"
	"time"
)

func TestAHoldKeepsWarmUpsAndAnswersTheRest(t *testing.T) {
	srv := Must[*Hold](t)(NewHold(Options{}))
	c := client(t)
	held := make(chan error, 1)
	go func() {
		r, err := c.Get(srv.URL() + WarmUpPath)
		if err == nil {
			r.Body.Close()
		}
		held <- err
	}()
	await(t, srv.Ledger(), "the warm-up", func(r Record) bool { return len(r.Deliveries) == 1 && r.Deliveries[0].WarmUp() })
	if r, _, err := post(t, c, srv.URL()+"/pay", "", "12 euros"); err != nil || r.StatusCode != http.StatusOK {
		t.Fatalf("POST beside it: %v, %v; want 200", r, err)
	}
	select {
	case err := <-held:
		t.Fatalf("the warm-up was answered before it was freed: %v", err)
	default:
	}
	srv.Free()
	srv.Free() // again is the same
	if err := <-held; err != nil {
		t.Errorf("the warm-up, freed: %v", err)
	}
	r := srv.Finish(time.Time{})
	if asked := r.Asked(); len(asked) != 1 || !asked[0].Committed || asked[0].Path != "/pay" {
		t.Errorf("asked %+v, want the POST, committed", asked)
	}
}

func TestClosingAHoldEndsWhatItHolds(t *testing.T) {
	srv := Must[*Hold](t)(NewHold(Options{}))
	c := dial(t, srv.Addr())
	write(t, c, "GET "+WarmUpPath+" HTTP/1.1\r\nHost: lab\r\n\r\n")
	await(t, srv.Ledger(), "the warm-up", func(r Record) bool { return len(r.Deliveries) == 1 && r.Deliveries[0].Complete })
	r := srv.Finish(time.Time{})
	if d := only(t, r); d.Answered != 0 {
		t.Errorf("delivery %+v, want none answered", d)
	}
	if r.Saw() != SawNothing {
		t.Errorf("saw %q: a connection for warm-ups alone is nothing that was asked", r.Saw())
	}
}
