package scenarios

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/retry-lab/retry-lab/classifier"
	"github.com/retry-lab/retry-lab/servers"
)

// The server acknowledges a charge after acknowledge; the client gives up
// after patience.
const (
	acknowledge = 900 * time.Millisecond
	patience    = 300 * time.Millisecond
)

// chargeGroup is the same timeout three times: without a key, with one, and
// with one made anew for each try.
func chargeGroup() Group {
	return Group{
		ID: "charge", Title: "a charge whose answer comes too late, tried once more",
		Source:  "RFC 9110 section 9.2.2; draft-ietf-httpapi-idempotency-key-header",
		Columns: columns("attempts", "charges", "believes"),
		Rows: rows(
			charges("bare", "two tries without a key: charged twice, and every log line says failed",
				Terms{Stalls: classifier.PhaseAwait}, func(int) string { return "" }),
			charges("keyed", "one key for both tries: the second gets the stored answer",
				Terms{LeftOut: anotherRequest}, func(int) string { return "order-5150" }),
			charges("new-key", "a new key for each try: no better than none",
				Terms{LeftOut: anotherRequest}, func(n int) string { return "order-5150-" + strconv.Itoa(n) }),
		),
	}
}

// charges is a client that gives up on a charge and tries once more.
func charges(id, title string, terms Terms, key func(attempt int) string) *Case {
	return &Case{
		ID: "charge/" + id, Title: title, Source: "RFC 9110 section 9.2.2", Waits: 2 * patience, ByEngine: terms,
		Run: func(ctx context.Context, e *Env) (Run, error) {
			answer := acknowledge
			if e.as != nil { // whose patience may be longer
				answer = time.Hour
			}
			srv, err := servers.NewCharge(servers.ChargeOptions{BeforeAnswer: answer})
			if err != nil {
				return Run{}, fmt.Errorf("start server: %w", err)
			}
			defer srv.Close()
			c := newClient(e, nil)
			defer c.close()
			var log []string
			for n := 1; n <= 2; n++ {
				a, ans, err := c.send(ctx, srv.URL(), call{Key: key(n), GiveUp: afterCommit(srv.Ledger(), n)})
				if err != nil {
					return Run{}, err
				}
				log = append(log, logged(a, ans))
				if a.Status == 200 || a.Step != nil { // the engine's tries are its own
					break
				}
			}
			if err := c.awaitSent(ctx, srv, isDealtWith); err != nil {
				return Run{}, err
			}
			c.close()
			run, err := finish(e, srv, Run{Attempts: c.attempts})
			run.Cells = map[string]string{
				"attempts": strings.Join(log, ", "),
				"charges":  strconv.Itoa(run.Record.Committed()),
				"believes": believes(c.attempts),
			}
			return run, err
		},
	}
}

// afterCommit is a client's patience that does not run out before the server
// has committed attempt n: what is shown is the lost answer, not a slow
// machine.
func afterCommit(l *servers.Ledger, n int) func(context.Context) error {
	return func(ctx context.Context) error {
		if err := sleep(ctx, patience); err != nil {
			return err
		}
		return l.Await(ctx, func(r servers.Record) bool {
			for _, d := range r.Deliveries {
				if d.Attempt == n && d.Committed {
					return true
				}
			}
			return false
		})
	}
}

// logged is the line a client would write about an attempt.
func logged(a Attempt, ans answer) string {
	if ans.Header.Get("Idempotent-Replayed") == "true" {
		return string(a.Code) + " replayed"
	}
	return string(a.Code)
}

// believes is what the client thinks of its charge in the end.
func believes(attempts []Attempt) string {
	if last := attempts[len(attempts)-1]; last.Phase == classifier.PhaseAnswered && last.Status < 400 {
		return "charged"
	}
	return "failed"
}
