package audit

import (
	"fmt"

	"github.com/retry-lab/retry-lab/servers"
)

// tolerance is how much earlier than the server's wait a delivery may come, in
// milliseconds: clocks tick, and a wait may be cut to whole ones.
const tolerance = 20

// dateWait is how long a Retry-After with a date asks to wait, in whole
// seconds from the one that the command is expected to send in. dateWord is what the date
// replaces.
const (
	dateWait = 5
	dateWord = "{date}"
)

// waitCase is a failure whose Retry-After is to be honoured.
func waitCase(id, title string, r Request, first servers.Step, waitMS float64) Case {
	return Case{
		ID: id, Title: title, Request: r, Scripts: script(first, fault("200")), Long: true,
		Wants: "sent again, and not before the wait is over",
		Fix:   "wait at least as long as Retry-After says before the next attempt",
		Grade: each(asked(gradeWait(waitMS))),
	}
}

// waitCases ask what a client does with Retry-After (RFC 9110 section 10.2.3).
func waitCases() []Case {
	return []Case{
		waitCase("wait/seconds", "429 with Retry-After: 3", get, after("429", "3"), 3000),
		waitCase("wait/on-503", "503 with Retry-After: 3", get, after("503", "3"), 3000),
		waitCase("wait/date", "503 with a Retry-After that is a date some seconds ahead", get, after("503", dateWord), 0),
		{ID: "wait/date-past", Title: "503 with a Retry-After that is a date in the past", Request: get, Long: true,
			Scripts: script(after("503", "Sun, 06 Nov 1994 08:49:37 GMT"), fault("200")),
			Wants:   "sent again, after any pause", Fix: "take a Retry-After in the past for no wait, and use the client's own backoff",
			Grade: each(asked(gradeDatePast))},
		{ID: "wait/garbage", Title: "503 with Retry-After: soon", Request: get, Long: true, Timed: true, Runs: 2 * medianRuns, Quick: 2 * medianRuns,
			Scripts: script(after("503", "soon"), fault("200")),
			Wants:   "sent again after the client's own backoff", Fix: "take a Retry-After that cannot be read for none, and use the client's own backoff",
			Grade: all(gradeGarbage)},
		longCase("wait/huge", "503 with Retry-After: 86400, a day", "86400"),
		longCase("wait/overflow", "503 with a Retry-After of three hundred years", "9223372037"),
	}
}

func longCase(id, title, wait string) Case {
	return Case{
		ID: id, Title: title, Request: get, Scripts: script(after("503", wait), fault("200")), Long: true, Control: Retry503,
		Wants: "ends, without another delivery", Fix: "bound the wait that is obeyed, and give the call up where the server asks for more",
		Grade: each(asked(gradeLong)),
	}
}

// medianRuns is how many runs a median is taken of, at least.
const medianRuns = 10

// gradeWait grades a wait of so many milliseconds; zero: until the
// observation's date.
func gradeWait(waitMS float64) one {
	return func(f Facts, o Observation) Grade {
		if o.dateMissed() {
			return Grade{Verdict: NA, Observed: "the machine was too slow: the date was past when the answer was read"}
		}
		if o.Deliveries < 2 {
			if o.Asleep {
				return Grade{Verdict: Harm, Observed: "not sent again" + ending(o)}
			}
			return Grade{Verdict: Weak, Observed: "not sent again" + ending(o)}
		}
		got, want := o.gaps()[0], waitMS
		if waitMS == 0 {
			want = o.WaitUntilMS - o.Ledger[0].over()
		}
		g := Grade{Verdict: Pass, Observed: fmt.Sprintf("sent again %s of the %s", pause(got), seconds(want))}
		if got < want-tolerance {
			g.Verdict = Harm
			g.Observed = fmt.Sprintf("sent again %s, %s before the server's wait was over", pause(got), seconds(want-got))
		}
		return g
	}
}

func gradeDatePast(f Facts, o Observation) Grade {
	switch {
	case o.Deliveries > 1:
		return Grade{Verdict: Pass, Observed: "sent again " + pause(o.gaps()[0])}
	case o.Asleep:
		return Grade{Verdict: Harm, Observed: "not sent again" + ending(o)}
	}
	return Grade{Verdict: Weak, Observed: "not sent again" + ending(o)}
}

func gradeLong(f Facts, o Observation) Grade {
	switch {
	case o.Deliveries > 1:
		return Grade{Verdict: Harm, Observed: "sent again " + pause(o.gaps()[0]), Fix: "never send before the server's wait is over: give the call up instead"}
	case o.Cut:
		return Grade{Verdict: Harm, Observed: "waits without a bound" + ending(o)}
	}
	return Grade{Verdict: Pass, Observed: how(f, o) + ending(o)}
}

// shortGap is what no pause at all may come to on a busy machine.
const shortGap = 100

// atOnce: a median gap is none, also of a client that is known to make none.
func atOnce(f Facts, gap float64) bool { return gap < minGap || f.Hasty && gap < shortGap }

// gradeGarbage takes the median of the first gaps. Where the client's own
// backoff is none, there is none to fall back to.
func gradeGarbage(f Facts, runs []Observation) Grade {
	sent, asleep := []float64{}, 0
	for _, o := range runs {
		if g := o.gaps(); len(g) > 0 {
			sent = append(sent, g[0])
		} else if o.Asleep {
			asleep++
		}
	}
	switch {
	case asleep > 0:
		return Grade{Verdict: Harm, Observed: fmt.Sprintf("asleep at the cut in %d of %d", asleep, len(runs))}
	case len(sent)*2 < len(runs):
		return Grade{Verdict: Weak, Observed: fmt.Sprintf("sent again in %d of %d", len(sent), len(runs))}
	case len(sent) >= medianRuns && atOnce(f, median(sent)):
		return Grade{Verdict: Harm, Observed: fmt.Sprintf("sent again at once: %.0f ms, the median of %d", median(sent), len(sent))}
	}
	return Grade{Verdict: Pass, Observed: fmt.Sprintf("sent again after %.0f ms, the median of %d", median(sent), len(sent))}
}
