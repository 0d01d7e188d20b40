package audit

import (
	"fmt"
	"strings"

	"github.com/retry-lab/retry-lab/servers"
)

// unknownCases ask what a client does when it cannot know whether the work was
// done. It was.
func unknownCases() []Case {
	return []Case{
		{ID: "unknown/charge-bare", Title: "a POST without a key is done, and never answered", Request: post,
			Scripts: script(committed("silent")), Control: RetryTimeout, Long: true,
			Wants: "a time-out, and committed once", Fix: "give every attempt a time-out",
			Grade: each(asked(gradeChargeBare))},
		{ID: "unknown/charge-keyed", Title: "a POST with a key is done, and its first delivery never answered", Request: keyed,
			Scripts: script(committed("silent"), fault("200")), Long: true,
			Wants: "sent again with the same key, success, committed once", Fix: "send a POST that has an Idempotency-Key again after a time-out, with the same key",
			Grade: each(asked(gradeChargeKeyed))},
		{ID: "unknown/key-in-flight", Title: "a POST with a key times out, and is answered 409 while the first still runs", Request: keyed,
			Scripts: script(committed("silent"), fault("409"), fault("200")),
			Runs:    medianRuns, Quick: medianRuns, Long: true,
			Wants: "the same key, after a pause, until success", Fix: "take a 409 to a key that was sent before for \"still running\": wait, and send the same key again",
			Grade: all(gradeInFlight)},
		lostCase("unknown/post-reset-after-body", "a POST without a key is done, and its connection reset instead of an answer", committed("reset")),
		lostCase("unknown/post-truncated-answer", "a POST without a key is done, and its answer cut off", truncated(servers.CommitBefore)),
	}
}

// truncated is a 200 whose body is cut off behind its token.
func truncated(commit string) servers.Step {
	return servers.Step{Fault: "truncated", Commit: commit,
		Body: `{"token":"{token}","padding":"` + strings.Repeat("x", 200) + `"}`}
}

func lostCase(id, title string, first servers.Step) Case {
	return Case{
		ID: id, Title: title, Request: post, Scripts: script(first, fault("200")), Control: RetryReset,
		Wants: "committed once", Fix: "do not send a POST without an Idempotency-Key again once it may have been read",
		Grade: each(asked(gradeOnce)),
	}
}

func gradeChargeBare(f Facts, o Observation) Grade {
	if o.Cut && !o.Asleep {
		return Grade{Verdict: Harm, Observed: "no time-out at all" + ending(o)}
	}
	return gradeOnce(f, o)
}

// otherKey is the delivery that came with another key than the first; 0: none.
func otherKey(o Observation) int {
	for i, d := range o.Ledger {
		if o.Sent.Keyed && d.Key != o.Ledger[0].Key {
			return i + 1
		}
	}
	return 0
}

func newKey(n int) Grade {
	return Grade{Verdict: Danger, Observed: fmt.Sprintf("delivery %d came with another Idempotency-Key than the first", n),
		Fix: "make the Idempotency-Key once, before the first attempt, and send the same with each"}
}

func gradeChargeKeyed(f Facts, o Observation) Grade {
	switch n := otherKey(o); {
	case n > 0:
		return newKey(n)
	case success(f, o):
		return Grade{Verdict: Pass, Observed: how(f, o) + ", one key, committed " + times(o.Commits)}
	case o.Cut && o.Deliveries == 1 && !o.Asleep:
		return Grade{Verdict: Weak, Observed: "no time-out, so never sent again" + ending(o)}
	}
	return Grade{Verdict: Weak, Observed: "gave up after " + how(f, o) + ending(o)}
}

// gradeInFlight grades the runs one by one, but for the pause after the 409,
// of which it takes the median.
func gradeInFlight(f Facts, runs []Observation) Grade {
	var pauses []float64
	worst := each(asked(func(f Facts, o Observation) Grade {
		switch n := otherKey(o); {
		case n > 0:
			return newKey(n)
		case success(f, o):
			return Grade{Verdict: Pass, Observed: how(f, o) + ", one key, committed " + times(o.Commits)}
		case o.Deliveries == 1:
			return Grade{Verdict: Weak, Observed: "gave up before the 409, after " + how(f, o) + ending(o)}
		}
		return Grade{Verdict: Weak, Observed: "gave up at the 409, after " + how(f, o) + ending(o)}
	}))(f, runs)
	for _, o := range runs {
		for i := 1; i < len(o.Ledger); i++ {
			if o.Ledger[i-1].Answered == 409 {
				pauses = append(pauses, gap(o.Ledger[i-1], o.Ledger[i], o.Sent.TimeoutMS))
				break
			}
		}
	}
	if len(pauses) >= medianRuns && atOnce(f, median(pauses)) && Harm.Worse(worst.Verdict) {
		return Grade{Verdict: Harm, Proof: worst.Proof, Observed: fmt.Sprintf("sent again %.0f ms after the 409, the median of %d", median(pauses), len(pauses)),
			Fix: "wait before asking again whether the first is still running"}
	}
	return worst
}
