package cmd

import (
	"testing"

	"github.com/retry-lab/retry-lab/classifier"
	"github.com/retry-lab/retry-lab/explain"
	"github.com/retry-lab/retry-lab/scenarios"
)

// A textGap is a row whose error text cannot tell what its trace tells.
type textGap struct {
	why    string
	bolder bool // the text's verdict may be bolder, too: it is that of a harmless failure
}

// textGaps are all of them. One that has closed fails the test.
var textGaps = map[string]textGap{
	"keepalive/sticky-refused": {"prints what a first connect prints; that the request went out before, on a kept connection, is not in the text", true},
	"redirect/post-303-dead":   {"prints what a first connect prints; that the POST was answered by a redirect is not in the text", true},
	"tls/fin-on-hello":         {"prints EOF, as a server that closes before it answers", false},
	"resolve/refused-rcode":    {"prints 'server misbehaving', as resolve/servfail; only the error value says which", false},
	"cancel/with-cause":        {"prints the cause that the caller gave", false},
	"upload/body-error":        {"prints the error of the caller's own Reader", false},
}

// What the lab's own client prints is explained as its trace was judged: the
// same code, and never a bolder verdict.
func TestTheLabsOwnErrorsAreExplainedAsTheyWereTraced(t *testing.T) {
	t.Parallel()
	sel, err := scenarios.Select(scenarios.Groups(), nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := scenarios.Runner{}.Run(t.Context(), sel)
	if err != nil {
		t.Fatal(err)
	}
	errors := 0
	ran, needed := map[string]bool{}, map[string]bool{}
	for _, g := range res.Groups {
		for _, row := range g.Rows {
			for _, run := range row.Runs {
				for _, a := range run.Attempts {
					if a.Printed == "" {
						continue // an answer
					}
					errors++
					id := row.Def.Case.ID
					ran[id] = true
					gap, excepted := textGaps[id]
					wrong, bolder := comparedWithTrace(a)
					if wrong == "" && bolder == "" {
						continue
					}
					needed[id] = true
					if wrong != "" && !excepted || bolder != "" && !gap.bolder {
						t.Errorf("%s: %q: %s%s", row.ID, a.Printed, wrong, bolder)
					}
				}
			}
		}
	}
	for id, gap := range textGaps {
		if ran[id] && !needed[id] {
			t.Errorf("%s is no exception any more (%s)", id, gap.why)
		}
	}
	if errors < 100 {
		t.Errorf("%d errors in the whole matrix", errors)
	}
}

// comparedWithTrace says how the explanation of an attempt's text has another
// code than its trace, and how it is bolder.
func comparedWithTrace(a scenarios.Attempt) (wrong, bolder string) {
	op := explain.Text([]byte(a.Printed)).Operation
	if op == nil {
		return "different calls", ""
	}
	if op.Code != a.Code {
		wrong = "code " + string(op.Code) + ", traced " + string(a.Code) + "; "
	}
	if op.Processed == classifier.Never && a.Processed != classifier.Never {
		bolder = "processed never, traced " + string(a.Processed) + "; "
	}
	for _, as := range []struct {
		text    explain.Cell
		request classifier.Request
	}{
		{op.Get, classifier.Request{Method: "GET", BodyReplayable: true}},
		{op.Post, classifier.Request{Method: "POST", BodyReplayable: true}},
		{op.PostKey, classifier.Request{Method: "POST", BodyReplayable: true, Key: true, KeyHonoured: true}},
	} {
		traced := scenarios.Cell(classifier.Decide(a.Failure, as.request, classifier.Policy{}).Verdict)
		if boldness[as.text] > boldness[explain.Cell(traced)] {
			bolder += as.request.Method + " " + string(as.text) + ", traced " + traced + "; "
		}
	}
	return wrong, bolder
}

var boldness = map[explain.Cell]int{
	explain.CellUnknown: 0, explain.CellNo: 0, explain.CellModified: 1, explain.CellWait: 2, explain.CellYes: 2,
}

// The cases that an explanation names are there to be run.
func TestEveryLabCaseOfAnExplanationCanBeRun(t *testing.T) {
	named := map[string]bool{}
	for _, e := range explain.Entries() {
		for _, x := range explain.Text([]byte(e.Example)).Answers {
			if x.LabCase != "" {
				named[x.LabCase] = true
			}
		}
	}
	for id := range named {
		if _, err := scenarios.Select(scenarios.Groups(), []string{id}); err != nil {
			t.Errorf("%s: %v", id, err)
		}
	}
	if len(named) < 40 {
		t.Errorf("%d cases are named", len(named))
	}
}
