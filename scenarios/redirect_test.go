package scenarios

import (
	"context"
	"testing"

	"github.com/retry-lab/retry-lab/classifier"
	"github.com/retry-lab/retry-lab/servers"
)

func TestAfterARedirectTheFirstRequestIsJudgedToo(t *testing.T) {
	byID := runRows(t, redirectGroup())

	dead := byID["post-303-dead"]
	want(t, dead, "code", "ECONNREFUSED", "phase", "connect", "processed", "yes", "post", "no", "reason", "answer-lost")
	if n := record(t, dead).Committed(); n != 1 {
		t.Errorf("%s: %d committed, want 1", dead.ID, n)
	}

	busy := byID["post-307-503"]
	want(t, busy, "code", "HTTP_503", "processed", "never", "basis", "claimed", "post", "yes")
	if r := record(t, busy); len(r.Deliveries) != 2 || r.Committed() != 0 {
		t.Errorf("%s: %d deliveries, %d committed; want 2 and 0", busy.ID, len(r.Deliveries), r.Committed())
	}

	loop := byID["loop"]
	want(t, loop, "code", "REDIRECT_LOOP", "phase", "answered", "processed", "yes", "post", "no", "reason", "redirect-limit")
	if r := record(t, loop); len(r.Deliveries) != 10 || r.Committed() != 1 || r.Replays() != 0 {
		t.Errorf("%s: %d deliveries, %d committed, %d replays; want 10, 1, 0", loop.ID, len(r.Deliveries), r.Committed(), r.Replays())
	}
}

// The 503 is the GET's; the POST before it was answered.
func TestA503AfterA303DoesNotAllowThePOSTAgain(t *testing.T) {
	case303 := &Case{ID: "redirect/post-303-503", Run: func(ctx context.Context, e *Env) (Run, error) {
		busy, err := servers.NewStatus(servers.Options{}, 503, nil)
		if err != nil {
			return Run{}, err
		}
		defer busy.Close()
		srv, err := servers.NewRedirect(servers.RedirectOptions{Status: 303, To: busy.URL()})
		if err != nil {
			return Run{}, err
		}
		return byHTTP(ctx, following(e), srv, srv.URL(), call{})
	}}
	g := redirectGroup()
	g.Rows = rows(case303)
	row := runRows(t, g)["post-303-503"]
	want(t, row, "code", "HTTP_503", "processed", "yes", "get", "yes", "post", "no", "reason", "answer-lost")
	if v := row.Verdicts.Post.Verdict; v != classifier.Fail || record(t, row).Committed() != 1 {
		t.Errorf("verdict %s, %d committed; want fail and 1", v, record(t, row).Committed())
	}
}
