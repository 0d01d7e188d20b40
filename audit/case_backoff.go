package audit

import (
	"fmt"
	"slices"
)

// failing is the case whose runs the cases of backoff and the herd share: a
// GET that always gets 503.
const failing = "herd/fifty"

// fifty is the herd; of its clients so many run to their end.
const fifty = 50

// backoffCases ask how a client spaces its attempts.
func backoffCases() []Case {
	return []Case{
		{ID: "backoff/shape", Title: "the server always answers 503", Request: get, Scripts: script(fault("503")), Pool: failing,
			Runs: medianRuns, Quick: medianRuns, Wants: "ends by itself, with gaps that grow or are at least 100 ms",
			Fix: "bound the attempts, and let the pause between them grow", Grade: all(gradeShape), Long: true, Timed: true, enough: comesBack},
		{ID: "backoff/first-gap", Title: "the pause before the first retry, the median of fifty", Request: get, Scripts: script(fault("503")), Pool: failing,
			Runs: fifty, Quick: fifty, Wants: "a median of at least 30 ms",
			Fix: "pause before the first retry too", Grade: all(gradeFirstGap), Long: true, Timed: true, enough: comesBack},
		{ID: failing, Title: "fifty clients of a server that always answers 503", Request: get, Scripts: script(fault("503")), Pool: failing,
			Runs: fifty, Quick: fifty, Wants: "second attempts that are spread, and at most five deliveries a client",
			Fix: "add jitter to the pauses, so that clients that failed together do not come back together", Grade: all(gradeHerd), Long: true, Timed: true, enough: comesBack},
		{ID: "deadline/honest", Title: "the server asks to wait longer than the call may take", Request: Request{Method: "GET", AnyMethod: true, DeadlineMS: deadlineMS},
			Scripts: script(after("503", "3")), Long: true, // as wait/on-503, whose time-out it has too
			Wants: "nothing after the deadline", Fix: "give up at the deadline, or before a wait that would pass it", Grade: each(asked(gradeDeadline))},
	}
}

// comesBack: of the herd's clients, those beyond the first ten only show when
// they come back.
func comesBack(run int, seen []Delivery) bool { return run >= medianRuns && len(seen) > 1 }

// deadlineMS is the time that all attempts of deadline/honest may take; late
// is how much later its command may have ended, and a delivery come.
const (
	deadlineMS = 1500
	lateEnd    = 1000
	lateSent   = 100
)

func gradeShape(f Facts, runs []Observation) Grade {
	medians := medianGaps(runs)
	stopped, cut := 0, 0
	var every []float64
	for _, o := range runs {
		every = append(every, o.gaps()...)
		if len(o.Ledger) > most {
			stopped++
		}
		if o.Cut {
			cut++
		}
	}
	if len(medians) == 0 {
		return Grade{Verdict: Vacuous, Observed: "one delivery: it does not retry a 503"}
	}
	text := fmt.Sprintf("%s, median gaps %s", plural(runs[0].Deliveries, "delivery", "deliveries"), gapList(medians))
	switch {
	case stopped > 0:
		return Grade{Verdict: Harm, Observed: fmt.Sprintf("no bound: more than %d deliveries in %d of %d, median gaps %s", most, stopped, len(runs), gapList(medians))}
	case median(every) < minGap || hurries(runs):
		return Grade{Verdict: Harm, Observed: text + ": no backoff"}
	case cut*2 > len(runs) && !grows(medians):
		return Grade{Verdict: Harm, Observed: fmt.Sprintf("still sending at the cut after %s: %s", seconds(runs[0].CutMS), text)}
	case grows(medians) || slices.Min(medians) >= 100:
		return Grade{Verdict: Pass, Observed: text}
	}
	return Grade{Verdict: Weak, Observed: text + ": short, and not growing"}
}

// hurries: a policy that never pauses. A busy machine makes gaps longer and
// never shorter, the first of them most, where a client does much for the first
// time; so that a later one shows it too.
func hurries(runs []Observation) bool {
	medians := medianGaps(runs[:min(len(runs), medianRuns)]) // of those that ran to their end
	return len(medians) > 0 && slices.Min(medians) < minGap && !grows(medians)
}

// grows: a later median gap is half as long again as the first.
func grows(medians []float64) bool {
	if len(medians) < 2 {
		return false
	}
	longest := slices.Max(medians[1:])
	return longest >= minGap && longest >= 1.5*medians[0]
}

func gradeFirstGap(f Facts, runs []Observation) Grade {
	first := firstGaps(runs)
	switch {
	case len(first)*2 < len(runs):
		return Grade{Verdict: Vacuous, Observed: "one delivery: it does not retry a 503"}
	case len(first) < medianRuns:
		return Grade{Verdict: NA, Observed: fmt.Sprintf("only %d gaps: a single one is not graded", len(first))}
	}
	text := fmt.Sprintf("%.0f ms, the median of %d", median(first), len(first))
	later := medianGaps(runs[:min(len(runs), medianRuns)]) // those that ran to their end
	switch {
	case hurries(runs) && len(later) > 1:
		return Grade{Verdict: Harm, Observed: text + ", and then " + gapList(later[1:])}
	case median(first) >= minGap:
		return Grade{Verdict: Pass, Observed: text}
	case len(later) > 1 && slices.Max(later[1:]) >= minGap:
		return Grade{Verdict: Weak, Observed: text + ", and then " + gapList(later[1:])}
	}
	return Grade{Verdict: Harm, Observed: text + ", and no longer after that"}
}

// gradeHerd looks at when the second attempts came, each from its first
// failure: clients that failed at the same moment come back like that.
func gradeHerd(f Facts, runs []Observation) Grade {
	first := firstGaps(runs)
	total, whole := 0, 0
	for _, o := range runs {
		if !o.Early || len(o.Ledger) > most {
			total += o.Deliveries
			whole++
		}
	}
	if whole == 0 || len(first)*2 < len(runs) {
		return Grade{Verdict: Vacuous, Observed: "it does not retry a 503"}
	}
	amplification := float64(total) / float64(whole)
	mid, width := median(first), spread(first)
	text := fmt.Sprintf("%.1f deliveries a client; half of the second attempts after %.0f ms, the earliest tenth %.0f ms before that", amplification, mid, width)
	switch {
	case amplification > 5:
		return Grade{Verdict: Harm, Observed: text, Fix: "send at most five times, or share a budget between calls"}
	case hurries(runs), width <= together(mid):
		return Grade{Verdict: Weak, Observed: text}
	case steady(runs[:min(len(runs), medianRuns)]):
		return Grade{Verdict: Weak, Observed: text + "; later pauses are all but the same in each"}
	}
	return Grade{Verdict: Pass, Observed: text}
}

// steady: there are later gaps, and in none of their places do they differ. A
// policy with jitter has it in each; what a slow start adds, only the first
// gap has.
func steady(runs []Observation) bool {
	medians := medianGaps(runs)
	for place := 1; place < len(medians); place++ {
		var at []float64
		for _, o := range runs {
			if g := o.gaps(); place < len(g) {
				at = append(at, g[place])
			}
		}
		if spread(at) > max(medians[place]*0.03, minGap/3) {
			return false
		}
	}
	return len(medians) > 1
}

// spread is how much earlier than the median the earliest tenth of values is.
// A slow machine makes values later, so that what lies above the median is no
// sign of jitter; of values that are all within a tenth of one another, the
// lower half is within a twentieth.
func spread(values []float64) float64 {
	s := slices.Sorted(slices.Values(values))
	return median(s) - s[len(s)/10]
}

// gradeDeadline takes a command that does not send again after a wait that it
// obeys elsewhere for one that uses the deadline, whatever it says of itself.
func gradeDeadline(f Facts, o Observation) Grade {
	limit := o.Ledger[0].AtMS + float64(o.Sent.DeadlineMS)
	late := ""
	for i, d := range o.Ledger[1:] {
		if d.AtMS > limit+lateSent {
			late = fmt.Sprintf("delivery %d came %s beyond the deadline", i+2, seconds(d.AtMS-limit))
			break
		}
	}
	if late == "" && o.EndedMS > limit+lateEnd {
		late = fmt.Sprintf("it ran on for %s beyond the deadline", seconds(o.EndedMS-limit)) + ending(o)
	}
	switch {
	case !f.UsesDeadline && !(f.Obeys && o.Deliveries == 1):
		return Grade{Verdict: NA, Observed: "nothing says that the command uses the deadline: neither {deadline_ms}, nor --total-timeout, nor what it did"}
	case late != "":
		return Grade{Verdict: Harm, Observed: late}
	}
	return Grade{Verdict: Pass, Observed: how(f, o) + ending(o) + ", nothing beyond the deadline"}
}
