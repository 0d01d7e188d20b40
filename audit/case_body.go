package audit

import (
	"net/http"

	"github.com/retry-lab/retry-lab/servers"
)

// bodyCases ask whether the second body is the first.
func bodyCases() []Case {
	stream := Request{Method: http.MethodPut, Body: Stream}
	return []Case{
		bodyCase("body/put-again", "a PUT of 1 MiB is turned away with 503, and then accepted", put),
		bodyCase("body/stream", "a PUT of 1 MiB from a stream is turned away with 503, and then accepted", stream),
	}
}

func bodyCase(id, title string, r Request) Case {
	return Case{
		ID: id, Title: title, Request: r, Scripts: script(fault("503"), fault("200")),
		Wants: "sent again with a body that is identical and complete",
		Fix:   "keep the body, or a way to read it again, until the call has succeeded",
		Grade: each(asked(gradeBody)),
	}
}

// gradeBody: another body that was accepted is a danger anywhere.
func gradeBody(f Facts, o Observation) Grade {
	again := 0
	for _, d := range o.Ledger[1:] {
		if d.Complete {
			again++
		}
	}
	switch {
	case again > 0 && success(f, o):
		return Grade{Verdict: Pass, Observed: how(f, o) + ", each with " + size(o.Ledger[0].BodyBytes)}
	case o.Deliveries > 1:
		return Grade{Verdict: Weak, Observed: "sent again, and no success: " + how(f, o) + ending(o)}
	}
	return Grade{Verdict: Weak, Observed: "not sent again" + ending(o)}
}

// redirectCases ask what is retried when the hop behind a redirect fails.
func redirectCases() []Case {
	to := func(status, commit string) servers.Script {
		return servers.Script{Steps: []servers.Step{{Fault: status, Commit: commit, Header: map[string]string{"Location": nextWord}}}}
	}
	return []Case{
		{ID: "redirect/307-then-503", Title: "a POST is redirected with 307 to where it is turned away with 503, and then accepted", Request: post,
			Scripts:    []servers.Script{to("307", servers.CommitNone), {Steps: []servers.Step{fault("503"), fault("200")}}},
			Redirected: true, Wants: "retried from where it failed, success",
			Fix: "retry the hop that failed: it was not processed", Grade: each(asked(gradeHop))},
		{ID: "redirect/303-then-dead", Title: "a POST is done and redirected with 303 to a GET whose connection is reset", Request: post,
			Scripts:    []servers.Script{to("303", servers.CommitBefore), {Steps: []servers.Step{committed("reset"), fault("200")}}},
			Redirected: true, Wants: "the POST is not sent again; the GET is",
			Fix: "retry the GET that failed, never the POST before it", Grade: each(asked(gradeHop))},
	}
}

// nextWord stands for the URL of the next hop in a script's header.
const nextWord = "{next}"

func gradeHop(f Facts, o Observation) Grade {
	start, behind := o.hop(0), o.hop(1)
	switch {
	case len(behind) == 0:
		return Grade{Verdict: NA, Observed: "the command did not follow the redirect" + ending(o)}
	case len(behind) < 2:
		return Grade{Verdict: Weak, Observed: "not retried behind the redirect" + ending(o)}
	case len(start) > 1:
		return Grade{Verdict: Pass, Observed: "retried from the start: " + how(f, o)}
	}
	return Grade{Verdict: Pass, Observed: "retried from where it failed: " + how(f, o)}
}
