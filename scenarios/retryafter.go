package scenarios

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/retry-lab/retry-lab/classifier"
	"github.com/retry-lab/retry-lab/servers"
)

// window is how long the rate limiter refuses: Retry-After has whole seconds.
const window = time.Second

// ownPause is the backoff of a client that does not read Retry-After.
const ownPause = 50 * time.Millisecond

// maxRequests bounds a client that the limiter never lets in.
const maxRequests = 200

// retryAfterGroup is what obeying the server's wait costs, and what each form
// of the header means.
func retryAfterGroup() Group {
	return Group{
		ID: "retry-after", Title: "the server's wait: obeyed or not, and what each form means",
		Source:  "RFC 9110 sections 10.2.3 and 5.6.7",
		Columns: columns("requests", "elapsed_ms", "wait_429", "wait_503"),
		Rows:    rows(retryAfterCases()...),
	}
}

func retryAfterCases() []*Case {
	day := func(layout string, after time.Duration) func(time.Time) string {
		return func(now time.Time) string { return now.Add(after).Format(layout) }
	}
	text := func(s string) func(time.Time) string { return func(time.Time) string { return s } }
	return []*Case{
		limited("own-backoff", "a client with its own 50 ms backoff, against a limit of one second",
			Terms{LeftOut: "differs from retry-after/obey in its client alone"},
			[2]int{15, 21}, // 1000/50 + 1 at most; a loaded machine loses some
			func(classifier.Decision) time.Duration { return ownPause }),
		limited("obey", "a client that waits as long as the server says",
			Terms{Asks: window},
			[2]int{2, 2},
			func(d classifier.Decision) time.Duration { return d.Wait }),
		stated("seconds", 2*time.Second, "delay-seconds", text("2")),
		stated("date-imf", 3*time.Second, "an IMF-fixdate three seconds after the response's Date", day(http.TimeFormat, 3*time.Second)),
		stated("date-850", 3*time.Second, "the same in the obsolete form of RFC 850", day("Monday, 02-Jan-06 15:04:05 GMT", 3*time.Second)),
		stated("date-asctime", 3*time.Second, "the same as asctime() prints it", day(time.ANSIC, 3*time.Second)),
		stated("date-past", 0, "a date that has passed: no wait, backoff still applies", day(http.TimeFormat, -time.Hour)),
		stated("zero", 0, "no wait, backoff still applies", text("0")),
		stated("fraction", 2*time.Second, "no integer, but meant: rounded up", text("1.5")),
		stated("garbage", 0, "not a number, not a date: as if it were not there", text("soon")),
		stated("negative", 0, "not a number of the grammar: as if it were not there", text("-5")),
		stated("day", 0, "longer than a client should sleep: stop, and say so", text("86400")),
		stated("overflow", 0, "too large for a duration: saturated, not wrapped around", text("9223372037")),
	}
}

// limited runs a client with its own idea of a pause against the limiter until
// it is let in: never before the window is over, and not long after.
func limited(id, title string, terms Terms, requests [2]int, pause func(classifier.Decision) time.Duration) *Case {
	return &Case{
		ID: "retry-after/" + id, Title: title, Source: "RFC 6585 section 4; RFC 9110 section 10.2.3",
		Waits: window, ByEngine: terms,
		Bounds: map[string][2]int{"requests": requests, "elapsed_ms": {1000, 1150}},
		Run: func(ctx context.Context, e *Env) (Run, error) {
			srv, err := servers.NewRateLimit(servers.Options{}, window)
			if err != nil {
				return Run{}, fmt.Errorf("start server: %w", err)
			}
			defer srv.Close()
			c := newClient(e, nil)
			defer c.close()
			start := time.Now()
			if err := c.untilAnswered(ctx, srv.URL(), pause); err != nil {
				return Run{}, err
			}
			elapsed := time.Since(start)
			c.close()
			run, err := finish(e, srv, Run{Attempts: c.attempts})
			run.Cells = map[string]string{
				"requests":   strconv.Itoa(len(run.Record.Deliveries)),
				"elapsed_ms": strconv.FormatInt(elapsed.Milliseconds(), 10),
			}
			return run, err
		},
	}
}

// untilAnswered sends until the verdict is no longer to retry.
func (c *client) untilAnswered(ctx context.Context, url string, pause func(classifier.Decision) time.Duration) error {
	_, post, _ := judgedAs()
	for range maxRequests {
		a, _, err := c.send(ctx, url, call{})
		if err != nil {
			return err
		}
		if a.Status == 0 {
			return fmt.Errorf("no answer to request %d: %s", a.N, a.Message)
		}
		d := classifier.Decide(a.Failure, post, classifier.Policy{})
		if d.Verdict != classifier.Retry {
			return nil
		}
		if err := sleep(ctx, pause(d)); err != nil {
			return err
		}
	}
	return fmt.Errorf("not let in after %d requests", maxRequests)
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// stated asks for one 429 and one 503 with a form of the header, and says what
// a client would wait; it does not sleep. asks is the wait in it, for a client
// that does; one longer than any sleeps is 0.
func stated(id string, asks time.Duration, title string, value func(now time.Time) string) *Case {
	header := func(now time.Time) http.Header { return http.Header{"Retry-After": {value(now)}} }
	return &Case{
		ID: "retry-after/" + id, Title: title, Source: "RFC 9110 section 10.2.3", ByEngine: Terms{Asks: asks},
		Run: func(ctx context.Context, e *Env) (Run, error) {
			run := Run{Cells: map[string]string{}}
			c := newClient(e, nil)
			defer c.close()
			for _, status := range []int{http.StatusTooManyRequests, http.StatusServiceUnavailable} {
				wait, record, err := c.wait(ctx, status, header)
				if err != nil {
					return Run{}, err
				}
				run.Cells["wait_"+strconv.Itoa(status)] = wait
				run.Record = run.Record.Join(record)
				if c.engine != nil {
					break // the form means the same in the other, and its wait is slept through
				}
			}
			run.Attempts = c.attempts
			run.Cells["requests"] = strconv.Itoa(len(run.Record.Deliveries))
			return run, nil
		},
	}
}

// wait is the cell of one answer: milliseconds before jitter, none where the
// header is ignored, stop where it asks too much.
func (c *client) wait(ctx context.Context, status int, header func(time.Time) http.Header) (string, servers.Record, error) {
	srv, err := servers.NewStatus(servers.Options{}, status, header)
	if err != nil {
		return "", servers.Record{}, fmt.Errorf("start server: %w", err)
	}
	defer srv.Close()
	a, _, err := c.send(ctx, srv.URL(), call{})
	if err != nil {
		return "", servers.Record{}, err
	}
	run, err := finish(c.e, srv, Run{})
	if err != nil {
		return "", servers.Record{}, err
	}
	record := run.Record
	_, post, _ := judgedAs()
	d := classifier.Decide(a.Failure, post, classifier.Policy{})
	switch {
	case d.Verdict == classifier.Stop:
		return "stop", record, nil
	case !a.Failure.Server.HasWait:
		return "none", record, nil
	}
	return strconv.FormatInt(d.Wait.Milliseconds(), 10), record, nil
}
