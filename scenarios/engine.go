package scenarios

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/retry-lab/retry-lab/classifier"
)

// Terms are what the engine has to know of a case, to meet its fault in place
// of the case's own client. The zero value is a fault that needs nothing.
type Terms struct {
	// Stalls is the wait that nothing ends but a timer of the client's, which is
	// the engine's then; empty where there is none.
	Stalls classifier.Phase

	// Asks is how long the server asks to wait before every further attempt.
	Asks time.Duration

	// Strict: judged by retry.Policy.Strict.
	Strict bool

	// Bounds are Case.Bounds of the rows in which the engine tries again after
	// an answer was lost: get and post-key.
	Bounds map[string][2]int

	// LeftOut says why the engine does not meet the fault; empty where it does.
	LeftOut string
}

// Why a case is left out of the group engine.
const (
	plainSocket    = "its client is a plain socket, and no http.RoundTripper"
	anotherRequest = "a fault that another case has, met with another request"
)

// engineLimit is the engine's timeout of one attempt, where the fault stalls.
const engineLimit = 200 * time.Millisecond

// engineKey is the key of the requests that have one.
const engineKey = "order-5150"

// engineGroup is the engine on every fault of the other groups. With a seed its
// jitter can be had again; 0: it cannot.
func engineGroup(groups []Group, seed uint64) Group {
	g := Group{
		ID: "engine", Title: "the retry engine on every fault: what it sends, what is charged, and what it says in the end",
		Source:    "package retry; RFC 9110 section 9.2.2",
		Columns:   engineColumns(),
		OnRequest: true,
	}
	for _, c := range engineFaults(groups) {
		for _, as := range []request{
			{Name: "get", Method: http.MethodGet},
			{Name: "post", Method: http.MethodPost},
			{Name: "post-key", Method: http.MethodPost, Key: engineKey},
		} {
			as.Strict = c.ByEngine.Strict
			if seed != 0 {
				as.Seed = seed + uint64(len(g.Rows)) // no two rows draw the same
			}
			g.Rows = append(g.Rows, rows(byEngine(c, as))...)
		}
	}
	g.Rows = append(g.Rows, rows(&Case{
		ID: "engine/summary", Title: "double: rows charged more than once; missed: what was provably never sent, may pass, and was given up",
		Source: "RFC 9110 section 9.2.2", Sums: engineSums,
	})...)
	return g
}

// engineFaults are the cases that the engine can meet, each once, by the group
// that they belong to.
func engineFaults(groups []Group) []*Case {
	var faults []*Case
	seen := map[*Case]bool{}
	for _, g := range groups {
		for _, row := range g.Rows {
			if seen[row.Case] || row.Case.ByEngine.LeftOut != "" || !ofGroup(row.Case.ID, g.ID) {
				continue
			}
			seen[row.Case] = true
			faults = append(faults, row.Case)
		}
	}
	return faults
}

// byEngine is the engine's request into a case's fault.
func byEngine(c *Case, as request) *Case {
	bounds := c.ByEngine.Bounds
	if as.Key == "" && !safeMethod(as.Method) {
		bounds = nil
	}
	return &Case{
		ID: "engine/" + c.ID + "/" + as.Name, Title: c.Title, Source: c.Source, Needs: c.Needs, Runs: c.Runs, of: c,
		Waits: engineWaits(c), Bounds: bounds,
		Run: func(ctx context.Context, e *Env) (Run, error) {
			alone, err := c.Run(ctx, e.with(&as))
			if err != nil {
				return Run{}, err
			}
			run, err := metByEngine(ctx, e, c, as)
			if err != nil {
				return Run{}, err
			}
			run.Missed = missed(run, alone)
			run.Cells = engineCells(run, as)
			return run, nil
		},
	}
}

// engineWaits is about how long the engine waits in a fault: in all attempts,
// and between them.
func engineWaits(c *Case) time.Duration {
	waits := 3*c.Waits + 2*c.ByEngine.Asks
	if c.ByEngine.Stalls != "" {
		waits += 3 * engineLimit
	}
	return waits
}

// metByEngine runs a case with the engine for its client. Where the machine is
// so slow that the engine's timer ends another wait than the one that stalls,
// it is another fault, and the case begins anew with four times the time.
func metByEngine(ctx context.Context, e *Env, c *Case, as request) (Run, error) {
	stalls := c.ByEngine.Stalls
	var met Run
	as.Engine, as.Stalls = true, stalls
	for limit := engineLimit; limit < lastLimit; limit *= 4 {
		if stalls != "" {
			as.Limit = limit
		}
		run, err := c.Run(ctx, e.with(&as))
		if err != nil {
			return Run{}, err
		}
		if len(run.Attempts) == 0 || run.Attempts[len(run.Attempts)-1].Step == nil {
			return Run{}, fmt.Errorf("the engine has made no attempt: %s has a client of its own", c.ID)
		}
		if stalls == "" || !cutShort(run.Attempts, stalls) && !answeredLate(run) {
			return run, nil
		}
		met = run
	}
	return Run{}, fmt.Errorf("the wait %s was not reached, but %s", stalls, phasesOf(met.Attempts))
}

// cutShort: an attempt was timed out before it came to the wait that stalls, if
// there is one.
func cutShort(attempts []Attempt, stalls classifier.Phase) bool {
	for _, a := range attempts {
		if stalls != "" && a.Code == classifier.Timeout && a.Phase != stalls {
			return true
		}
	}
	return false
}

// phasesOf lists what each attempt came to, and in which phase.
func phasesOf(attempts []Attempt) string {
	var list []string
	for _, a := range attempts {
		list = append(list, fmt.Sprintf("%s in %s after %.0f ms", a.Code, a.Phase, a.EndedMS-a.StartedMS))
	}
	return strings.Join(list, ", ")
}

// answeredLate: the server has answered an attempt that was timed out before
// the answer's head was here.
func answeredLate(run Run) bool {
	for _, a := range run.Attempts {
		for _, d := range run.Record.Asked() {
			if a.Code == classifier.Timeout && a.Phase == classifier.PhaseAwait && d.Attempt == a.N && d.Answered != 0 {
				return true
			}
		}
	}
	return false
}
