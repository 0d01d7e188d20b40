package audit

import (
	"fmt"
	"strings"
)

// one grades a single run.
type one func(Facts, Observation) Grade

// each grades every run by itself, after what holds for all cases, and gives
// the worst of them with the number of runs that had it.
func each(grade one) func(Facts, []Observation) Grade {
	return func(f Facts, runs []Observation) Grade {
		var worst Grade
		for i, o := range runs {
			g, ok := always(f, o)
			if !ok {
				g = grade(f, o)
			}
			switch {
			case worst.Runs == 0 || g.Verdict.Worse(worst.Verdict):
				g.Runs, g.Proof = 1, i
				worst = g
			case g.Verdict == worst.Verdict:
				worst.Runs++
			}
		}
		return worst
	}
}

// all grades the runs together, unless one of them by itself shows what no
// case may.
func all(grade func(Facts, []Observation) Grade) func(Facts, []Observation) Grade {
	return func(f Facts, runs []Observation) Grade {
		alone := each(func(Facts, Observation) Grade { return Grade{Verdict: Pass} })(f, runs)
		if alone.Verdict == Danger || alone.Verdict == NA {
			return alone
		}
		g := grade(f, runs)
		g.Runs = len(runs)
		return g
	}
}

// always grades what does not depend on the case; false: nothing of that.
func always(f Facts, o Observation) (Grade, bool) {
	switch {
	case o.Broken != "":
		return Grade{Verdict: NA, Observed: o.Broken}, true
	case o.Skipped != "":
		return Grade{Verdict: NA, Observed: o.Skipped}, true
	case o.wrongMethod():
		return Grade{Verdict: NA, Observed: o.wrongMethodText(f)}, true
	case o.Sent.Keyed && len(o.Ledger) > 0 && o.Ledger[0].Key == "":
		return Grade{Verdict: NA, Observed: "the command sent no Idempotency-Key"}, true
	case o.Sent.Warm && len(o.Ledger) > 0 && o.WarmUps == 0:
		return Grade{Verdict: NA, Observed: "the command never requested the warm-up URL ({warm_url})"}, true
	case o.Commits > 1:
		text := "committed " + times(o.Commits) + " in " + how(f, o)
		if n := otherKey(o); n > 0 {
			text += fmt.Sprintf(", delivery %d with another Idempotency-Key", n)
		}
		return Grade{Verdict: Danger, Observed: text, Fix: fixTwice(f, o)}, true
	}
	if what := changed(o); what != "" {
		return Grade{Verdict: Danger, Observed: what,
			Fix: "send again byte for byte what was sent first, or do not send again"}, true
	}
	if what := falseSuccess(f, o); what != "" {
		return Grade{Verdict: Danger, Observed: what,
			Fix: "report success only when the whole of a 2xx answer has been read"}, true
	}
	if o.startedLate(f.StartMS) {
		return Grade{Verdict: NA, Observed: "the machine was too slow: its first request came only after " + seconds(o.FirstMS)}, true
	}
	return Grade{}, false
}

// asked is n.a. where the command sent nothing.
func asked(grade one) one {
	return func(f Facts, o Observation) Grade {
		if o.Deliveries == 0 {
			return unasked(o)
		}
		return grade(f, o)
	}
}

func unasked(o Observation) Grade {
	return Grade{Verdict: NA, Observed: "the command never requested the URL" + ending(o)}
}

// honest is for cases where there may be no delivery though the command tried:
// a success that is reported then is none.
func honest(grade one) one {
	return func(f Facts, o Observation) Grade {
		g := grade(f, o)
		if g.Verdict != NA && f.ExitTold && o.Exited && o.Exit == 0 && o.Deliveries == 0 {
			return Grade{Verdict: Danger, Observed: "success reported, and nothing was delivered: " + g.Observed,
				Fix: "report failure where no connection was made"}
		}
		return g
	}
}

// wrongMethod: the case asks something else of the method that was sent.
func (o Observation) wrongMethod() bool {
	return len(o.Ledger) > 0 && !o.Sent.AnyMethod && o.Ledger[0].Method != o.Sent.Method
}

// wrongMethodText says so, and what to declare where the command sends the
// method of control/ok here too.
func (o Observation) wrongMethodText(f Facts) string {
	text := fmt.Sprintf("the command sent %s where %s was asked for", o.Ledger[0].Method, o.Sent.Method)
	switch {
	case f.MethodFixed || o.Ledger[0].Method != f.Method:
		return text
	case f.Method == "GET":
		return text + " (if that is all it sends, declare --get-only)"
	}
	return text + " (if that is all it sends, declare --method-fixed)"
}

// changed says which delivery was accepted with another key or body than the
// first; empty: none.
func changed(o Observation) string {
	sums := map[int]string{} // of the first complete delivery, by hop
	for i, d := range o.Ledger {
		if !d.Complete {
			continue // the client itself broke it off
		}
		hop := d.Hop
		if first := o.Ledger[0].Answered; first == 307 || first == 308 {
			hop = 0 // method and body stay what they were
		}
		if _, ok := sums[hop]; !ok {
			sums[hop] = d.BodySHA256
			if i > 0 && hop == 0 { // what the first lacked, the file has
				sums[hop] = o.BodySum
			}
		}
		switch {
		case !d.accepted():
		case d.BodySHA256 != sums[hop]:
			return fmt.Sprintf("delivery %d was accepted with another body than the first: %s", i+1, size(d.BodyBytes))
		case hop == 0 && d.Key != o.Ledger[0].Key:
			return fmt.Sprintf("delivery %d was accepted with another Idempotency-Key than the first", i+1)
		}
	}
	return ""
}

// falseSuccess says why a success that was reported is none; empty: it is one,
// or was not reported.
func falseSuccess(f Facts, o Observation) string {
	if !f.ExitTold || !o.Exited || o.Exit != 0 || o.Deliveries == 0 {
		return ""
	}
	printed, complete, vouched := false, false, false
	last := o.Ledger[len(o.Ledger)-1]
	if last.Answered == 303 && last.Committed {
		return "" // the work is done, and its answer was not fetched
	}
	for i, d := range o.Ledger {
		shown := i < len(o.Tokens) && strings.Contains(o.Output, o.Tokens[i])
		printed = printed || shown
		complete = complete || d.succeeded()
		vouched = vouched || shown && d.succeeded()
	}
	switch {
	case !complete && last.Answered == 0:
		return "success reported, and no delivery was answered: " + ended(last)
	case !complete && last.Answered/100 == 2:
		return "success reported on an answer that was cut off"
	case !complete:
		return fmt.Sprintf("success reported, and the last answer was %d", last.Answered)
	case printed && !vouched:
		return "success reported, and what it printed is of an answer that was cut off"
	}
	return ""
}

// success: it reported one, or, where its exit code tells nothing, was given
// one.
func success(f Facts, o Observation) bool {
	given := false
	for _, d := range o.Ledger {
		given = given || d.succeeded()
	}
	return given && (!f.ExitTold || o.Exited && o.Exit == 0)
}

// fixTwice is what to change where the work was done twice.
func fixTwice(f Facts, o Observation) string {
	list := kinds(f, o)
	if behind := o.hop(1); len(behind) > 0 && o.Ledger[0].Answered == 303 && behind[0].Method != "GET" {
		return "follow a 303 with a GET, not with " + behind[0].Method + " again (curl: -X forces the method on every hop)"
	}
	for i := 1; i < len(o.Ledger); i++ {
		if !o.Ledger[i].Committed {
			continue
		}
		switch list[i] {
		case ReplayReused, ReplayFresh:
			return "switch off the transport's own replay of requests that are not idempotent, or send a key that the server honours"
		case AfterEnd:
			return "end what is still sending when the call is given up"
		}
	}
	if o.Sent.Keyed {
		return "make the Idempotency-Key once, before the first attempt, and send the same with each"
	}
	return "do not retry a request that may have been processed, unless it is idempotent or has an Idempotency-Key"
}
