package servers

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"
)

func committed(n int) func(Record) bool {
	return func(r Record) bool { return r.Committed() == n }
}

func TestBareRequestsAlwaysChargeAnew(t *testing.T) {
	srv := Must[*Charge](t)(NewCharge(ChargeOptions{}))
	c := client(t)
	for n := 1; n <= 3; n++ {
		r, body, err := post(t, c, srv.URL(), "", "12 euros")
		want := fmt.Sprintf("{\"id\":\"ch_%d\"}\n", n)
		if err != nil || r.StatusCode != 200 || body != want || r.Header.Get(ReplayedHeader) != "" {
			t.Errorf("charge %d: %v, %q, %v; want %q", n, r, body, err, want)
		}
	}
	if got, want := srv.Charges(), []string{"ch_1", "ch_2", "ch_3"}; !reflect.DeepEqual(got, want) {
		t.Errorf("charges %q, want %q", got, want)
	}
	if r := srv.Finish(time.Time{}); r.Committed() != 3 || r.Saw() != SawCommitted {
		t.Errorf("%d committed, saw %q", r.Committed(), r.Saw())
	}
}

func TestAKeyChargesOncePerPath(t *testing.T) {
	srv := Must[*Charge](t)(NewCharge(ChargeOptions{}))
	c := client(t)
	for _, row := range []struct {
		why, path, key, body string
		status               int
		answer, replayed     string
	}{
		{"the first charges", "/a", "k", "12 euros", 200, `{"id":"ch_1"}`, ""},
		{"the same again is replayed", "/a", "k", "12 euros", 200, `{"id":"ch_1"}`, "true"},
		{"another body is refused", "/a", "k", "13 euros", 422, "another body", ""},
		{"and has not spoilt the key", "/a", "k", "12 euros", 200, `{"id":"ch_1"}`, "true"},
		{"another key charges", "/a", "l", "12 euros", 200, `{"id":"ch_2"}`, ""},
		{"another path charges", "/b", "k", "12 euros", 200, `{"id":"ch_3"}`, ""},
		{"no body has a sum as well", "/a", "m", "", 200, `{"id":"ch_4"}`, ""},
		{"and is replayed", "/a", "m", "", 200, `{"id":"ch_4"}`, "true"},
		{"a key that is too long", "/a", strings.Repeat("k", 256), "12 euros", 400, "255 bytes", ""},
	} {
		r, body, err := post(t, c, srv.URL()+row.path, row.key, row.body)
		if err != nil {
			t.Fatalf("%s: %v", row.why, err)
		}
		if r.StatusCode != row.status || !strings.Contains(body, row.answer) || r.Header.Get(ReplayedHeader) != row.replayed {
			t.Errorf("%s: %s, %q, replayed %q", row.why, r.Status, body, r.Header.Get(ReplayedHeader))
		}
	}
	if n, r := srv.Count(), srv.Finish(time.Time{}); n != 4 || r.Committed() != 4 {
		t.Errorf("%d charges, %d committed; want 4", n, r.Committed())
	}
}

func TestOnlyAPOSTCharges(t *testing.T) {
	srv := Must[*Charge](t)(NewCharge(ChargeOptions{}))
	r, err := client(t).Get(srv.URL())
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	if r.StatusCode != 405 || r.Header.Get("Allow") != "POST" || srv.Count() != 0 {
		t.Errorf("%s, Allow %q, %d charges", r.Status, r.Header.Get("Allow"), srv.Count())
	}
}

// In flight is accepted and not committed, and only that is 409.
func TestBeforeTheCommitTheSameKeyIsInFlight(t *testing.T) {
	srv := Must[*Charge](t)(NewCharge(ChargeOptions{BeforeCommit: time.Hour}))
	first := dial(t, srv.Addr())
	write(t, first, keyed("k", "12 euros"))
	await(t, srv.Ledger(), "accepted", func(r Record) bool { return r.Saw() == SawRequest })
	c := client(t)
	// The ledger has the request a moment before the book has.
	for status := 0; status != 409; {
		r, _, err := postFor(c, srv.URL(), "k", "12 euros", 100*time.Millisecond)
		if err == nil {
			status = r.StatusCode
		}
	}
	if r, _, err := post(t, c, srv.URL(), "k", "13 euros"); err != nil || r.StatusCode != 422 {
		t.Errorf("another body: %v, %v; want 422", r, err)
	}
	if r := srv.Finish(time.Time{}); r.Committed() != 0 || srv.Count() != 0 {
		t.Errorf("%d committed, %d charges; want none", r.Committed(), srv.Count())
	}
}

// postFor gives up after patience.
func postFor(c *http.Client, url, key, body string, patience time.Duration) (*http.Response, string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return nil, "", err
	}
	req.Header.Set(KeyHeader, key)
	r, err := c.Do(req)
	if err == nil {
		r.Body.Close()
	}
	return r, "", err
}

// keyed is a keyed POST as a plain socket writes it.
func keyed(key, body string) string {
	return fmt.Sprintf("POST / HTTP/1.1\r\nHost: lab\r\n%s: %s\r\nContent-Length: %d\r\n\r\n%s", KeyHeader, key, len(body), body)
}

func TestAfterTheCommitTheStoredAnswerDoesNotWait(t *testing.T) {
	srv := Must[*Charge](t)(NewCharge(ChargeOptions{BeforeAnswer: time.Hour}))
	first := dial(t, srv.Addr())
	write(t, first, keyed("k", "12 euros"))
	await(t, srv.Ledger(), "the charge", committed(1))
	r, body, err := post(t, client(t), srv.URL(), "k", "12 euros")
	if err != nil || r.StatusCode != 200 || body != "{\"id\":\"ch_1\"}\n" || r.Header.Get(ReplayedHeader) != "true" {
		t.Fatalf("%v, %q, %v; want the stored answer", r, body, err)
	}
	d := srv.Finish(time.Time{}).Deliveries
	if !d[0].Committed || d[0].Answered != 0 || d[0].Ended != EndedStalled {
		t.Errorf("the first: %+v", d[0])
	}
	if d[1].Committed || d[1].Answered != 200 || d[1].AnsweredAt.Before(d[0].CommittedAt) {
		t.Errorf("the second: %+v", d[1])
	}
}

// The client gives up, the server does not.
func TestAChargeGoesOnWhenTheClientHasLeft(t *testing.T) {
	srv := Must[*Charge](t)(NewCharge(ChargeOptions{BeforeCommit: 200 * time.Millisecond, BeforeAnswer: 200 * time.Millisecond}))
	c := dial(t, srv.Addr())
	write(t, c, keyed("k", "12 euros"))
	await(t, srv.Ledger(), "accepted", func(r Record) bool { return r.Saw() == SawRequest })
	c.Close()
	idle(t, srv.Server)
	d := only(t, srv.Finish(time.Time{}))
	if !d.Committed || d.Answered != 200 || d.CommittedAt.Sub(d.At) < 200*time.Millisecond || d.AnsweredAt.Sub(d.CommittedAt) < 200*time.Millisecond {
		t.Errorf("waits too short: %+v", d)
	}
	if d.Ended != EndedFIN || !d.EndedAt.Before(d.AnsweredAt) {
		t.Errorf("the client's leaving: %+v", d)
	}
}

func TestClosingBeforeTheCommitFreesTheKeyAndChargesNothing(t *testing.T) {
	b := book{limit: 10, calls: map[callID]*call{}}
	id := callID{"/", "k"}
	if _, refused := b.accept(id, "sum"); refused != nil {
		t.Fatal(refused)
	}
	b.finish(id)
	if _, refused := b.accept(id, "another"); refused != nil {
		t.Errorf("the key is still taken: %v", refused.why)
	}
}

func TestTheOldestFinishedKeyIsForgottenFirst(t *testing.T) {
	b := book{limit: 2, calls: map[callID]*call{}}
	id := func(key string) callID { return callID{"/", key} }
	accept := func(key string) (string, *refusal) { return b.accept(id(key), "sum") }
	nothing := func() {}

	accept("slow")
	accept("quick")
	if _, refused := accept("third"); refused != busy {
		t.Errorf("with two in flight: %v, want busy", refused)
	}
	b.commit(id("quick"), nothing)
	if _, refused := accept("third"); refused != busy {
		t.Errorf("committed, its answer not sent: %v, want busy", refused)
	}
	b.finish(id("quick"))
	if _, refused := accept("third"); refused != nil {
		t.Errorf("with one finished: %v", refused.why)
	}
	if _, refused := accept("slow"); refused != inFlight {
		t.Errorf("the slow one: %v, want in flight", refused)
	}
	if len(b.calls) != 2 || len(b.finished) != 0 {
		t.Errorf("%d keys, %d finished; want 2, 0", len(b.calls), len(b.finished))
	}
}

func TestAKeyUnderManyHandsChargesOnce(t *testing.T) {
	srv := Must[*Charge](t)(NewCharge(ChargeOptions{BeforeCommit: time.Millisecond, BeforeAnswer: time.Millisecond}))
	c := client(t)
	var wg sync.WaitGroup
	for range 200 {
		wg.Go(func() {
			for {
				r, body, err := post(t, c, srv.URL(), "k", "12 euros")
				if err != nil {
					t.Error(err)
					return
				}
				if r.StatusCode == 409 {
					continue // in flight
				}
				if r.StatusCode != 200 || body != "{\"id\":\"ch_1\"}\n" {
					t.Errorf("%s, %q", r.Status, body)
				}
				return
			}
		})
	}
	wg.Wait()
	if r := srv.Finish(time.Time{}); r.Committed() != 1 || srv.Count() != 1 {
		t.Errorf("%d committed, %d charges; want 1", r.Committed(), srv.Count())
	}
}

func TestAChargeAtAPlainSocket(t *testing.T) {
	srv := Must[*Charge](t)(NewCharge(ChargeOptions{}))
	c := dial(t, srv.Addr())
	br := bufio.NewReader(c)
	for i, replayed := range []string{"", "true"} {
		write(t, c, keyed(`"quoted"`, "12 euros"))
		if r, body := respond(t, br, "POST"); r.StatusCode != 200 || body != "{\"id\":\"ch_1\"}\n" || r.Header.Get(ReplayedHeader) != replayed {
			t.Errorf("answer %d: %s, %q, %v", i+1, r.Status, body, r.Header)
		}
	}
	if d := srv.Finish(time.Time{}).Deliveries; d[0].Key != `"quoted"` || !d[1].Reused {
		t.Errorf("deliveries %+v", d)
	}
}

func TestANegativeBoundOfKeysIsRefused(t *testing.T) {
	if srv, err := NewCharge(ChargeOptions{MaxKeys: -1}); err == nil {
		srv.Close()
		t.Error("accepted")
	}
}
