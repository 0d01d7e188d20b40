package audit

import (
	"fmt"
	"net/http"
)

// bound is the most deliveries of one call that count as bounded.
const bound = 10

// safeCases ask whether a client sends again what it may.
func safeCases() []Case {
	return []Case{
		{ID: "safe/get-reset", Title: "the connection of a GET is reset instead of an answer", Request: read,
			Scripts: script(fault("reset"), fault("200")), Wants: "fetched again, success",
			Fix: "retry a GET whose connection broke", Grade: each(asked(gradeAgain("fetched again")))},
		{ID: "safe/get-truncated", Title: "the answer to a GET is cut off", Request: read,
			Scripts: script(truncated(""), fault("200")), Wants: "fetched again, success",
			Fix: "read the body inside the attempt, and retry a GET whose body broke off", Grade: each(asked(gradeAgain("fetched again")))},
		arrivalCase("safe/refused-then-up-get", "nobody listens when a GET is first tried, and then somebody does", get, Refused),
		arrivalCase("safe/refused-then-up-post", "nobody listens when a POST is first tried, and then somebody does", post, Refused),
		arrivalCase("safe/post-connect-timeout", "the first connection of a POST is not answered at all, and later ones are",
			Request{Method: http.MethodPost, Body: Small, TimeoutMS: connectTimeoutMS}, Backlog),
		h2Case("safe/h2-refused-stream", "a POST's stream is refused (REFUSED_STREAM, RFC 9113 section 8.7)", "refused-stream"),
		h2Case("safe/h2-goaway-above", "a GOAWAY leaves a POST's stream out (RFC 9113 section 6.8)", "goaway-above"),
	}
}

// arrivalCase is one whose server comes up later.
func arrivalCase(id, title string, r Request, where Where) Case {
	return Case{
		ID: id, Title: title, Request: r, Where: where, Runs: 10, Scripts: script(fault("200")), Long: true,
		Wants: "tried again, success", Fix: "retry where no connection was made: nothing was sent",
		Grade: often(honest(gradeArrival)),
	}
}

// h2Case is a request that the server says once that it did not process; where
// it says so each time is asked by replay/h2-goaway-always.
func h2Case(id, title, name string) Case {
	return Case{
		ID: id, Title: title, Request: post, Where: OverH2, Scripts: script(fault(name), fault("200")),
		Wants: "sent again, success",
		Fix:   "retry what the server says it did not process, a bounded number of times",
		Grade: each(asked(gradeRefusedStream)),
	}
}

// gradeAgain passes what was sent again and succeeded.
func gradeAgain(word string) one {
	return func(f Facts, o Observation) Grade {
		if o.Deliveries < 2 {
			return Grade{Verdict: Weak, Observed: "not " + word + ending(o)}
		}
		if !success(f, o) {
			return Grade{Verdict: Weak, Observed: word + ", and no success: " + how(f, o) + ending(o)}
		}
		return Grade{Verdict: Pass, Observed: word + " " + pause(o.gaps()[0])}
	}
}

// often is each where a single run depends on how a client's pauses fell
// beside the server's coming: it is a pass where a fifth of the runs are.
func often(grade one) func(Facts, []Observation) Grade {
	return func(f Facts, runs []Observation) Grade {
		worst := each(grade)(f, runs)
		if worst.Verdict != Weak {
			return worst
		}
		passed := Grade{}
		for i, o := range runs {
			if g := grade(f, o); g.Verdict == Pass {
				g.Runs, g.Proof = passed.Runs+1, i
				passed = g
			}
		}
		if passed.Runs*5 >= len(runs) {
			return passed
		}
		return worst
	}
}

func gradeArrival(f Facts, o Observation) Grade {
	tried := ""
	if o.Netns {
		tried = fmt.Sprintf(" (%s)", plural(o.SYNs, "connection tried", "connections tried"))
	}
	switch {
	case o.Netns && o.SYNs == 0:
		return Grade{Verdict: NA, Observed: "the command never tried to connect" + ending(o)}
	case success(f, o):
		return Grade{Verdict: Pass, Observed: how(f, o) + tried + ", success"}
	case o.Deliveries > 0:
		return Grade{Verdict: Weak, Observed: how(f, o) + tried + ", no success" + ending(o)}
	case o.SYNs > 1:
		return Grade{Verdict: Weak, Observed: "tried again, and gave up before the server was there" + tried + ending(o)}
	case !o.Netns:
		return Grade{Verdict: Weak, Observed: "not tried again, or given up before the server was there" + ending(o)}
	}
	return Grade{Verdict: Weak, Observed: "not tried again" + tried + ending(o)}
}

// gradeRefusedStream also wants a bound.
func gradeRefusedStream(f Facts, o Observation) Grade {
	if o.Deliveries > bound {
		return Grade{Verdict: Harm, Observed: "no bound: " + how(f, o) + ending(o)}
	}
	return gradeAgain("sent again")(f, o)
}
