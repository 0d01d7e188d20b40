package servers

import (
	"errors"
	"io"
	"testing"
	"time"
)

func TestAFINAfterTheWorkIsAnEndOfFileForTheClient(t *testing.T) {
	srv := Must[*Server](t)(NewFIN(Options{}))
	if _, _, err := post(t, client(t), srv.URL()+"/pay", "", "12 euros"); !errors.Is(err, io.EOF) {
		t.Fatalf("POST: %v, want EOF", err)
	}
	d := only(t, srv.Finish(time.Time{}))
	if !d.Committed || !d.Complete || d.Answered != 0 || d.Ended != EndedFIN {
		t.Errorf("delivery %+v, want committed, not answered, fin", d)
	}
}

func TestAFINComesOnlyOnceTheRequestIsComplete(t *testing.T) {
	srv := Must[*Server](t)(NewFIN(Options{}))
	c := dial(t, srv.Addr())
	write(t, c, uploadHead(8)+"half")
	await(t, srv.Ledger(), "the head", func(r Record) bool { return len(r.Deliveries) == 1 && r.Deliveries[0].Method == "POST" })
	if d := only(t, srv.Ledger().Record(time.Time{})); d.Committed || !d.EndedAt.IsZero() {
		t.Errorf("after half of the body: %+v", d)
	}
	write(t, c, "half")
	if n, err := c.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("read: %d, %v; want EOF", n, err)
	}
	if d := only(t, srv.Finish(time.Time{})); !d.Committed || d.BodyBytes != 8 {
		t.Errorf("delivery %+v, want committed with 8 bytes", d)
	}
}
