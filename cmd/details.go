package cmd

import (
	"cmp"
	"fmt"
	"strconv"

	"github.com/retry-lab/retry-lab/scenarios"
)

// decisions are the row's verdicts as if it had been each of three requests.
func decisions(v view, row scenarios.Row) grid {
	g := grid{header: []string{"request", "again", "verdict", "wait ms", "reason", "source"}, right: []int{3}, prose: map[int]int{4: 20, 5: 20}}
	g.paint = func(column int, cell string) string {
		if column == 1 {
			return v.palette.word(cell)
		}
		return cell
	}
	if row.Verdicts == nil {
		return g
	}
	for _, d := range []struct {
		request string
		verdict scenarios.Verdict
	}{
		{"GET", row.Verdicts.Get}, {"POST", row.Verdicts.Post}, {"POST+KEY", row.Verdicts.PostKey},
	} {
		what := string(d.verdict.Verdict)
		if d.verdict.Modify != "" {
			what += " " + string(d.verdict.Modify)
		}
		reason := fmt.Sprintf("%s: %s", d.verdict.Reason, d.verdict.Reason.Sentence())
		g.rows = append(g.rows, []string{
			d.request, scenarios.Cell(d.verdict.Verdict), what, number(d.verdict.WaitMS), safe(reason), safe(d.verdict.Reason.Source()),
		})
	}
	return g
}

// ledger is what reached the server.
func ledger(row scenarios.Row) grid {
	g := grid{
		header: []string{"delivery", "attempt", "conn", "request", "key", "body bytes", "complete", "committed", "answered", "ended"},
		right:  []int{0, 1, 2, 5},
		prose:  map[int]int{3: 16},
	}
	for _, d := range row.Ledger {
		request := d.Method + " " + d.Path
		if d.Method == "" {
			request = "part of a head"
		}
		g.rows = append(g.rows, []string{
			strconv.Itoa(d.N), orDash(d.Attempt), strconv.Itoa(d.Connection), safe(request), cmp.Or(safe(d.Key), "-"),
			strconv.FormatInt(d.BodyBytes, 10), word(d.Complete), word(d.Committed), orDash(d.Answered), d.Ended,
		})
	}
	return g
}

func orDash(n int) string {
	if n == 0 {
		return "-"
	}
	return strconv.Itoa(n)
}

func word(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}
