package scenarios

import (
	"fmt"
	"strconv"

	"github.com/retry-lab/retry-lab/classifier"
	"github.com/retry-lab/retry-lab/retry"
)

// engineColumns are numbers, but for two. What the rows have, the summary leaves
// empty, and the other way round.
func engineColumns() []Column {
	number := func(name, meaning string) Column {
		return Column{Name: name, Numeric: true, Words: []string{""}, Meaning: meaning}
	}
	charges := number("charges", "how often the work was done, by a server that honours the key; of a racy row the largest")
	charges.Largest = true
	return []Column{
		number("attempts", "how often the engine sent the request, or tried to"),
		number("deliveries", "how many requests reached the server"),
		number("replays", "how many of them net/http sent again by itself"),
		charges,
		{Name: "outcome", Words: []string{"success", "failed", "ambiguous", "stopped", ""},
			Meaning: "how the operation ended: success; failed (it will never work); ambiguous (it may have worked: find out first); stopped (it may pass, but no attempt, time or budget was left)"},
		columns("processed")[0],
		number("double", "rows that were charged more than once; the summary's"),
		number("missed", "rows of which nothing was sent, as the client could prove, which may pass, and which the engine gave up before its last attempt; the summary's"),
	}
}

// engineCells are a row's.
func engineCells(run Run, as request) map[string]string {
	last := run.Attempts[len(run.Attempts)-1].Step
	return map[string]string{
		"attempts":   strconv.Itoa(len(run.Attempts)),
		"deliveries": strconv.Itoa(len(run.Record.Asked())),
		"replays":    strconv.Itoa(run.Record.Replays()),
		"charges":    strconv.Itoa(chargesOf(run, as)),
		"outcome":    last.Outcome,
		"processed":  string(last.Processed),
		"double":     "",
		"missed":     "",
	}
}

// chargesOf is how often a server that honours keys has done the work: once a
// key, and once for every delivery without one. A GET asks for none.
func chargesOf(run Run, as request) int {
	if safeMethod(as.Method) {
		return 0
	}
	keys, n := map[string]bool{}, 0
	for _, d := range run.Record.Deliveries {
		if !d.Committed || safeMethod(d.Method) || d.Key != "" && keys[d.Key] {
			continue
		}
		keys[d.Key] = true
		n++
	}
	return n
}

// missed: nothing of the operation was sent, as the engine itself could prove,
// or net/http with the lab's recorder in the same failure; another try might
// have passed; and the engine gave up before it had no attempt left.
func missed(run, alone Run) bool {
	last := run.Attempts[len(run.Attempts)-1]
	switch {
	case last.Step.Verdict == classifier.Done, last.Step.Reason == retry.AttemptsUsedUp, last.Step.Reason == classifier.AlreadyModified:
		return false
	case len(run.Attempts) > 1 || !provablyNever(last.Failure) && !sameNever(last, alone):
		return provablyNever(classifier.Failure{Processed: last.Step.Processed, Basis: last.Step.Basis}) && mayPass(last.Failure)
	}
	return mayPass(last.Failure)
}

func provablyNever(f classifier.Failure) bool {
	return f.Processed == classifier.Never && f.Basis == classifier.Guaranteed
}

// sameNever: the failure is that of the first attempt of net/http alone, which
// could prove that nothing was sent.
func sameNever(a Attempt, alone Run) bool {
	if len(alone.Attempts) == 0 {
		return false
	}
	first := alone.Attempts[0]
	return first.Code == a.Code && first.Phase == a.Phase && provablyNever(first.Failure)
}

// mayPass: a GET would be sent again.
func mayPass(f classifier.Failure) bool {
	get, _, _ := judgedAs()
	return resends(classifier.Decide(f, get, classifier.Policy{}).Verdict)
}

// engineSums is the row engine/summary.
func engineSums(rows []Row) map[string]string {
	double, misses, replays, most := 0, 0, 0, 0
	worst := classifier.Never
	for _, row := range rows {
		n := row.charges()
		most = max(most, n)
		if n > 1 {
			double++
		}
		if row.missed() {
			misses++
		}
		for _, run := range row.Runs {
			replays = max(replays, run.Record.Replays())
			worst = worst.Worse(run.Attempts[len(run.Attempts)-1].Step.Processed)
		}
	}
	return map[string]string{
		"attempts": "", "deliveries": "", "outcome": "", "processed": string(worst),
		"replays": strconv.Itoa(replays), "charges": strconv.Itoa(most),
		"double": strconv.Itoa(double), "missed": strconv.Itoa(misses),
	}
}

// charges is the most that one of the row's runs was charged.
func (r Row) charges() int {
	most := 0
	for _, run := range r.Runs {
		if n, err := strconv.Atoi(run.Cells["charges"]); err == nil {
			most = max(most, n)
		}
	}
	return most
}

func (r Row) missed() bool {
	for _, run := range r.Runs {
		if run.Missed {
			return true
		}
	}
	return false
}

// checkEngine enters a row of the engine: what was done twice is unsafe, what
// was missed is withheld.
func checkEngine(row Row, sound *Sound, useful *Useful) {
	for _, run := range row.Runs {
		last := run.Attempts[len(run.Attempts)-1]
		if committed(run.Record.Asked()) {
			sound.Checked++
		} else {
			useful.Checked++
		}
		if n := run.Cells["charges"]; n != "0" && n != "1" {
			sound.Unsafe = append(sound.Unsafe, Breach{
				Row: row.ID, Attempt: last.N, Verdict: classifier.Retry, Basis: last.Basis,
				Why: fmt.Sprintf("the engine sent it again, and it was charged %s times", n),
			})
		}
		if run.Missed && !useful.has(row.ID) {
			useful.Withheld = append(useful.Withheld, Withheld{Row: row.ID, Reason: string(last.Step.Reason) + ": " + retry.Sentence(last.Step.Reason)})
		}
	}
}

// safeMethod asks and does nothing (RFC 9110 section 9.2.1).
func safeMethod(m string) bool { return m == "GET" || m == "HEAD" }
