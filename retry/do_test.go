package retry_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/retry-lab/retry-lab/classifier"
	"github.com/retry-lab/retry-lab/retry"
	"github.com/retry-lab/retry-lab/servers"
)

func TestDoTriesAgainWhatIsSafe(t *testing.T) {
	mine := errors.New("disk on fire")
	idempotent, keyed, bare := retry.Op{Idempotent: true}, retry.Op{Key: true}, retry.Op{}
	rows := []struct {
		why   string
		op    retry.Op
		err   error
		want  int   // tries
		same  error // what comes out, if it is that very value
		code  retry.Code
		cause error
	}{
		{"a bare write that may have worked", bare, io.EOF, 1, io.EOF, "", nil},
		{"a bare write, and an error that nobody knows", bare, mine, 1, mine, "", nil},
		{"a bare write that was never sent", bare, refusedDial(), 3, nil, retry.CodeMaxAttempts, errRefused},
		{"a bare write that is marked as safe", bare, retry.Safe(mine), 3, nil, retry.CodeMaxAttempts, mine},
		{"an idempotent one, and an error that nobody knows", idempotent, mine, 3, nil, retry.CodeMaxAttempts, mine},
		{"one with a key", keyed, io.EOF, 3, nil, retry.CodeMaxAttempts, io.EOF},
		{"permanent is permanent", idempotent, retry.Permanent(mine), 1, mine, "", nil},
		{"also deep inside", idempotent, fmt.Errorf("save: %w", retry.Permanent(mine)), 1, nil, "", mine},
		{"a name that does not exist", idempotent, lookupError(), 1, nil, "", nil},
		{"a breaker that is open", idempotent, retry.Halt(mine), 1, nil, retry.CodeStopped, mine},
		{"what a policy below has given up", idempotent, &retry.Error{Code: retry.CodeMaxAttempts}, 1, nil, "", nil},
	}
	for _, row := range rows {
		t.Run(row.why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var tries []int
				err := retry.Do(t.Context(), steady(), row.op, func(_ context.Context, n int) error {
					tries = append(tries, n)
					return row.err
				})
				if len(tries) != row.want || tries[0] != 1 || tries[len(tries)-1] != row.want {
					t.Errorf("tries %v, want 1 to %d", tries, row.want)
				}
				if row.same != nil && err != row.same {
					t.Errorf("got %#v, want the very error %#v", err, row.same)
				}
				if row.cause != nil && !errors.Is(err, row.cause) {
					t.Errorf("%v has lost %v", err, row.cause)
				}
				if e, ok := err.(*retry.Error); row.code != "" && (!ok || e.Code != row.code || len(e.Attempts) != row.want) {
					t.Errorf("got %v, want %s", err, row.code)
				}
			})
		})
	}
}

func TestDoEndsWithTheFirstSuccess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var report retry.Report
		p := steady()
		p.OnDone = func(r retry.Report) { report = r }
		err := retry.Do(t.Context(), p, retry.Op{Idempotent: true, Name: "export"}, func(_ context.Context, n int) error {
			if n < 3 {
				return io.EOF
			}
			return nil
		})
		if err != nil || time.Since(start) != 3*time.Second {
			t.Errorf("%v after %v, want nil after 3s", err, time.Since(start))
		}
		if report.Name != "export" || report.Outcome() != "success" || len(report.Attempts) != 3 || report.Attempts[0].Reason != retry.SaidIdempotent {
			t.Errorf("report %+v", report)
		}
	})
}

func TestDoKeepsTheWaitThatAnErrorCarries(t *testing.T) {
	rows := []struct {
		why   string
		err   error
		tries int
		took  time.Duration
	}{
		{"the wait is kept", retry.After(retry.Safe(io.EOF), 7*time.Second), 2, 7 * time.Second},
		{"the longest of several", retry.After(retry.After(retry.Safe(io.EOF), 7*time.Second), 2*time.Second), 2, 7 * time.Second},
		{"one beyond the bound is not waited for", retry.After(retry.Safe(io.EOF), time.Hour), 1, 0},
		{"a wait alone is no permission", retry.After(io.EOF, time.Second), 1, 0},
	}
	for _, row := range rows {
		t.Run(row.why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start, tries := time.Now(), 0
				retry.Do(t.Context(), steady(), retry.Op{}, func(context.Context, int) error {
					if tries++; tries > 1 {
						return nil
					}
					return row.err
				})
				if tries != row.tries || time.Since(start) != row.took {
					t.Errorf("%d tries in %v, want %d in %v", tries, time.Since(start), row.tries, row.took)
				}
			})
		})
	}
}

func TestDoStopsInTheMidstOfAWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(300*time.Millisecond, cancel)
		start := time.Now()
		err := retry.Do(ctx, steady(), retry.Op{Idempotent: true, Name: "sync"}, func(context.Context, int) error { return io.EOF })
		if !errors.Is(err, context.Canceled) || !errors.Is(err, io.EOF) || time.Since(start) != 300*time.Millisecond {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		if want := "stopped after 1 try: sync (the caller gave up, and that is never overruled; context canceled)"; err.Error() != want {
			t.Errorf("got  %s\nwant %s", err, want)
		}
	})
}

func TestDoGivesEachTryItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := steady()
		p.AttemptTimeout, p.Deadline = time.Second, 3500*time.Millisecond
		start := time.Now()
		err := retry.Do(t.Context(), p, retry.Op{Idempotent: true}, func(ctx context.Context, _ int) error {
			<-ctx.Done()
			return ctx.Err()
		})
		e, ok := err.(*retry.Error)
		if !ok || e.Reason != retry.PastDeadline || len(e.Attempts) != 2 || e.Attempts[0].Code != classifier.Timeout || time.Since(start) != 3*time.Second {
			t.Errorf("%+v after %v", err, time.Since(start))
		}
	})
}

// The context that fn gets watches what net/http does with it.
func TestDoKnowsThatARequestOfItsOwnWasNeverSent(t *testing.T) {
	dead := servers.Must[*servers.Refused](t)(servers.NewRefused())
	reset := servers.Must[*servers.Server](t)(servers.NewReset(servers.Options{}))
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	p := quick()
	for _, row := range []struct {
		why, url string
		tries    int
	}{
		{"nobody there", dead.URL(), 3},
		{"it may have been acted on", reset.URL(), 1},
	} {
		tries := 0
		err := retry.Do(t.Context(), p, retry.Op{}, func(ctx context.Context, _ int) error {
			tries++
			r, err := http.NewRequestWithContext(ctx, "POST", row.url, strings.NewReader("x"))
			if err != nil {
				return retry.Permanent(err)
			}
			resp, err := client.Do(r)
			if err == nil {
				resp.Body.Close()
			}
			return err
		})
		if err == nil || tries != row.tries {
			t.Errorf("%s: %v after %d tries, want %d", row.why, err, tries, row.tries)
		}
	}
}

func TestDoHasABudgetWithAStoreOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		count := func(b retry.Budget) int {
			p := steady()
			p.MaxAttempts, p.Budget = 50, b
			p.Backoff.Base = time.Millisecond
			p.Backoff.Cap = time.Millisecond
			tries := 0
			retry.Do(t.Context(), p, retry.Op{Idempotent: true}, func(context.Context, int) error { tries++; return io.EOF })
			return tries
		}
		if got := count(retry.Budget{}); got != 50 {
			t.Errorf("%d tries without a store, want 50", got)
		}
		if got := count(retry.Budget{Store: retry.NewMemoryStore()}); got != 11 {
			t.Errorf("%d tries with one, want 11", got)
		}
	})
}

func TestEveryAttemptIsLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		p := steady()
		p.Logger = slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug,
			ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
				if a.Key == slog.TimeKey || a.Key == "duration" {
					return slog.Attr{}
				}
				return a
			}}))
		tr := &retry.Transport{Base: play(status(503), status(404)), Policy: p}
		resp, err := tr.RoundTrip(request(t, t.Context(), "GET", ""))
		if err != nil {
			t.Fatal(err)
		}
		read(t, resp)
		const want = `level=INFO msg="attempt failed, trying again" method=GET url=http://lab/charge attempt=1 code=HTTP_503 status=503 phase=answered processed=never verdict=retry reason=server-did-no-work wait=1s reused=false
level=WARN msg="attempt failed" method=GET url=http://lab/charge attempt=2 code=HTTP_404 status=404 phase=answered processed=never verdict=fail reason=deterministic wait=0s reused=false
`
		if out.String() != want {
			t.Errorf("got\n%swant\n%s", &out, want)
		}
	})
}

func TestEveryReasonHasASentence(t *testing.T) {
	for _, r := range append(classifier.Reasons(),
		retry.AttemptsUsedUp, retry.PastDeadline, retry.BudgetUsedUp, retry.PolicyRefuses, retry.PolicyAllows, retry.SaidIdempotent,
		retry.MarkedPermanent, retry.MarkedSafe, retry.MarkedHalt, retry.TriedBelow, retry.CannotModify, retry.BodyInUse, retry.FreshLogin) {
		if retry.Sentence(r) == "" {
			t.Errorf("%s has none", r)
		}
	}
	if retry.Sentence("no-such-reason") != "" {
		t.Error("a sentence for no reason")
	}
}

func TestMarksOnNothingAreNothing(t *testing.T) {
	if retry.Safe(nil) != nil || retry.Permanent(nil) != nil || retry.Halt(nil) != nil || retry.After(nil, time.Second) != nil {
		t.Error("a mark has made an error out of nil")
	}
}
