package scenarios

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	"github.com/retry-lab/retry-lab/classifier"
	"github.com/retry-lab/retry-lab/servers"
)

// outageGroup is a job that asks whether anything was published before it
// publishes, twice, and the second time the question fails.
func outageGroup() Group {
	return Group{
		ID: "outage", Title: "a read that failed is no empty answer",
		Source:  "RFC 9110 section 9.2.1: a safe read may be sent again, and may still fail",
		Columns: columns("code", "get", "attempts", "published", "believes"),
		Rows: rows(
			publishes("read-as-empty", "the failed read is taken for \"nothing yet\": published twice", true),
			publishes("kept-apart", "the failed read stays \"could not find out\": nothing is published, and the error says what was tried", false),
		),
	}
}

// readTries is how often a job asks, as long as the failure may pass.
const readTries = 3

// publishes is two runs of the job. The outage of the reads begins between
// them, and the ledger says what the two have published.
func publishes(id, title string, readAsEmpty bool) *Case {
	return &Case{
		ID: "outage/" + id, Title: title, Source: "RFC 9110 sections 9.2.1 and 9.2.2",
		ByEngine: Terms{LeftOut: "a job of several requests; what fails in it is response/reset"},
		Run: func(ctx context.Context, e *Env) (Run, error) {
			srv, err := servers.NewPublisher(servers.Options{})
			if err != nil {
				return Run{}, fmt.Errorf("start server: %w", err)
			}
			defer srv.Close()
			j := &job{e: e, url: srv.URL() + "/posts", readAsEmpty: readAsEmpty}
			if err := j.run(ctx); err != nil {
				return Run{}, err
			}
			srv.Outage(true)
			if err := j.run(ctx); err != nil {
				return Run{}, err
			}
			run, err := finish(e, srv, Run{Attempts: j.attempts})
			run.Cells = map[string]string{
				"attempts":  codesOf(j.attempts),
				"published": strconv.Itoa(run.Record.Committed()),
				"believes":  j.believes,
			}
			return run, err
		},
	}
}

// A job publishes one thing, unless something was published already. Each run
// is a process of its own: no connection outlives it.
type job struct {
	e           *Env
	url         string
	readAsEmpty bool // the mistake
	attempts    []Attempt
	believes    string // what the last run reports
}

func (j *job) run(ctx context.Context) error {
	c := newClient(j.e, nil)
	c.attempts = j.attempts // numbers go on
	defer func() { c.close(); j.attempts = c.attempts }()
	n, unknown, err := j.ask(ctx, c)
	if err != nil {
		return err
	}
	switch {
	case unknown != nil && !j.readAsEmpty:
		j.believes = unknown.Error()
		return nil
	case n > 0:
		j.believes = "published before"
		return nil
	}
	a, _, err := c.send(ctx, j.url, call{})
	if err != nil {
		return err
	}
	j.believes = "nothing was published before; published: " + string(a.Code)
	return nil
}

// ask returns how many things were published, or in unknown why that could not
// be found out. A read is sent again as long as the classifier allows it.
func (j *job) ask(ctx context.Context, c *client) (n int, unknown, err error) {
	for try := 1; ; try++ {
		a, ans, err := c.send(ctx, j.url, call{Method: http.MethodGet})
		if err != nil {
			return 0, nil, err
		}
		if !a.failed() {
			var list struct{ Published int }
			if err := json.Unmarshal([]byte(ans.Body), &list); err != nil {
				return 0, nil, fmt.Errorf("read the answer: %w", err)
			}
			return list.Published, nil, nil
		}
		get, _, _ := judgedAs()
		again := resends(classifier.Decide(a.Failure, get, classifier.Policy{}).Verdict)
		if try == readTries || !again {
			return 0, fmt.Errorf("could not find out: GET %s failed %d times: %s", j.url, try, a.Message), nil
		}
	}
}
