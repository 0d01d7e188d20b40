package scenarios

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/retry-lab/retry-lab/classifier"
)

// judged is the attempt a row speaks of, with its three decisions.
type judged struct {
	run                Run
	attempt            Attempt
	get, post, postKey classifier.Decision
	untraced           classifier.Decision // of the bare POST
}

// judge takes a run's first failed attempt, where none failed its last.
func (r Runner) judge(run Run) judged {
	j := judged{run: run}
	if len(run.Attempts) == 0 {
		return j
	}
	j.attempt = run.Attempts[len(run.Attempts)-1]
	for _, a := range run.Attempts {
		if a.failed() {
			j.attempt = a
			break
		}
	}
	get, post, postKey := judgedAs()
	j.get = classifier.Decide(j.attempt.Failure, get, r.Policy)
	j.post = classifier.Decide(j.attempt.Failure, post, r.Policy)
	j.postKey = classifier.Decide(j.attempt.Failure, postKey, r.Policy)
	j.untraced = classifier.Decide(j.attempt.Untraced, post, r.Policy)
	return j
}

// failed: there was no answer, or one that is no success.
func (a Attempt) failed() bool {
	return a.Status == 0 || a.Status >= 400 || a.Phase != classifier.PhaseAnswered
}

// row builds one row from all runs of its case that belong to it.
func (r Runner) row(g Group, def RowDef, o outcome) Row {
	row := Row{ID: def.ID, Def: def, Cells: map[string]string{}}
	if o.skip != nil {
		row.Skipped = o.skip.Why
		return row
	}
	for _, run := range o.runs {
		if def.Case.Part == nil || def.Case.Part(run) == def.Part {
			row.Runs = append(row.Runs, run)
		}
	}
	if len(row.Runs) == 0 {
		row.NotSeen = true
		return row
	}
	if len(row.Runs[0].Attempts) > 0 {
		first := r.judge(row.Runs[0])
		row.Verdicts = &Verdicts{Get: verdict(first.get), Post: verdict(first.post), PostKey: verdict(first.postKey)}
	}
	row.Attempts, row.Ledger = row.Runs[0].Attempts, row.Runs[0].Record.Deliveries
	row.Seen = map[string]map[string]int{}
	for _, run := range row.Runs {
		j := r.judge(run)
		for _, c := range g.Columns {
			r.see(row.Seen, c, j)
		}
	}
	for _, c := range g.Columns {
		if c.Largest {
			keepLargest(row.Seen[c.Name])
		}
	}
	for name, values := range row.Seen {
		row.Cells[name] = joinValues(values)
	}
	return row
}

// keepLargest leaves the largest number of those that were seen.
func keepLargest(seen map[string]int) {
	largest := -1
	for text := range seen {
		if n, err := strconv.Atoi(text); err == nil {
			largest = max(largest, n)
		}
	}
	if largest >= 0 {
		maps.DeleteFunc(seen, func(text string, _ int) bool { return text != strconv.Itoa(largest) })
	}
}

// sumUp fills the rows that are made out of the others.
func sumUp(rows []Row) {
	for i := range rows {
		sums := rows[i].Def.Case.Sums
		if sums == nil {
			continue
		}
		rows[i].NotSeen, rows[i].Cells, rows[i].Seen = false, sums(rows), map[string]map[string]int{}
		for name, text := range rows[i].Cells {
			rows[i].Seen[name] = map[string]int{text: 1}
		}
	}
}

// see counts one run's value of a column.
func (r Runner) see(seen map[string]map[string]int, c Column, j judged) {
	text, ok := j.run.Cells[c.Name]
	if !ok {
		if common := commonColumns()[c.Name]; common != nil {
			text = common(j)
		}
	}
	if r.Normalize != nil && c.Words == nil && !c.Numeric {
		text = r.Normalize(text, j.attempt.Resolver)
	}
	if seen[c.Name] == nil {
		seen[c.Name] = map[string]int{}
	}
	seen[c.Name][text]++
}

// joinValues is a cell's text: its distinct values in order.
func joinValues(values map[string]int) string {
	list := make([]string, 0, len(values))
	for v := range values {
		list = append(list, v)
	}
	slices.Sort(list)
	return strings.Join(list, " or ")
}

func verdict(d classifier.Decision) Verdict {
	return Verdict{Verdict: d.Verdict, Reason: d.Reason, Modify: d.Modify, WaitMS: ms(d.Wait)}
}

// Cell is a verdict's word in the columns get, post and post_key.
func Cell(v classifier.Verdict) string {
	switch v {
	case classifier.Retry:
		return "yes"
	case classifier.RetryModified:
		return "modified"
	}
	return "no"
}

// commonColumns are computed for every case in the same way.
func commonColumns() map[string]func(judged) string {
	return map[string]func(judged) string{
		"code":       func(j judged) string { return string(j.attempt.Code) },
		"syscall":    func(j judged) string { return string(j.attempt.Syscall) },
		"phase":      func(j judged) string { return string(j.attempt.Phase) },
		"processed":  func(j judged) string { return string(j.attempt.Processed) },
		"basis":      func(j judged) string { return string(j.attempt.Basis) },
		"message":    func(j judged) string { return j.attempt.Message },
		"untraced":   untracedCell,
		"get":        func(j judged) string { return Cell(j.get.Verdict) },
		"post":       func(j judged) string { return Cell(j.post.Verdict) },
		"post_key":   func(j judged) string { return Cell(j.postKey.Verdict) },
		"reason":     func(j judged) string { return string(j.post.Reason) },
		"saw":        func(j judged) string { return j.run.Record.Saw() },
		"deliveries": func(j judged) string { return strconv.Itoa(len(j.run.Record.Asked())) },
		"replays":    func(j judged) string { return strconv.Itoa(j.run.Record.Replays()) },
	}
}
