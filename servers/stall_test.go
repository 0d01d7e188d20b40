package servers

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// leave posts to a server that stalls, and leaves once the ledger satisfies
// done.
func leave(t *testing.T, srv *Server, done func(Record) bool) error {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer cancel()
		srv.Ledger().Await(ctx, done)
	}()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, srv.URL(), strings.NewReader("12 euros"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := client(t).Do(req)
	if err == nil {
		r.Body.Close()
	}
	return err
}

func isComplete(r Record) bool  { return len(r.Deliveries) == 1 && r.Deliveries[0].Complete }
func isCommitted(r Record) bool { return r.Committed() == 1 }
func hasLeft(r Record) bool     { return len(r.Deliveries) == 1 && !r.Deliveries[0].EndedAt.IsZero() }

func TestAStalledAnswerCommitsWhenItIsTold(t *testing.T) {
	for _, row := range []struct {
		why    string
		commit When
		leave  func(Record) bool // when the client does
		then   func(Record) bool // what comes of it
		want   bool
	}{
		{"never", CommitNever, isComplete, hasLeft, false},
		{"before the client leaves", CommitAtOnce, isCommitted, hasLeft, true},
		{"after the client has left", CommitLate, isComplete, isCommitted, true},
	} {
		srv := Must[*Server](t)(NewStall(StallOptions{Commit: row.commit}))
		if err := leave(t, srv, row.leave); !errors.Is(err, context.Canceled) {
			t.Fatalf("%s: %v, want context canceled", row.why, err)
		}
		await(t, srv.Ledger(), row.why, row.then)
		d := only(t, srv.Finish(time.Time{}))
		if d.Committed != row.want || d.Answered != 0 || d.Ended != EndedStalled {
			t.Errorf("%s: delivery %+v", row.why, d)
		}
		if late := d.CommittedAt.After(d.EndedAt); row.want && late != (row.commit == CommitLate) {
			t.Errorf("%s: committed at %v, the client left at %v", row.why, d.CommittedAt, d.EndedAt)
		}
	}
}

func TestALateCommitDoesNotComeOfClosingTheServer(t *testing.T) {
	srv := Must[*Server](t)(NewStall(StallOptions{Commit: CommitLate}))
	c := dial(t, srv.Addr())
	write(t, c, uploadHead(3)+"pay")
	await(t, srv.Ledger(), "the request", isComplete)
	if d := only(t, srv.Finish(time.Time{})); d.Committed {
		t.Errorf("delivery %+v: nobody has left", d)
	}
}

func TestAnAnswerCanStallInTheMidstOfItsBody(t *testing.T) {
	srv := Must[*Server](t)(NewStall(StallOptions{Commit: CommitAtOnce, Begin: true}))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, srv.URL(), nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := client(t).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if _, err := io.ReadFull(r.Body, make([]byte, BrokenBody/2)); err != nil || r.ContentLength != BrokenBody {
		t.Fatalf("half of %d bytes: %v", r.ContentLength, err)
	}
	cancel()
	if _, err := r.Body.Read(make([]byte, 1)); !errors.Is(err, context.Canceled) {
		t.Errorf("the other half: %v, want context canceled", err)
	}
	if d := only(t, srv.Finish(time.Time{})); !d.Committed || d.Answered != 200 {
		t.Errorf("delivery %+v, want committed and begun to be answered", d)
	}
}
