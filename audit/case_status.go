package audit

import (
	"fmt"
	"net/http"
	"strconv"

	"github.com/retry-lab/retry-lab/servers"
)

// script is one call whose deliveries meet these steps.
func script(steps ...servers.Step) []servers.Script { return []servers.Script{{Steps: steps}} }

// fault is a step without more to say.
func fault(name string) servers.Step { return servers.Step{Fault: name} }

// committed is a step that commits before its fault.
func committed(name string) servers.Step {
	return servers.Step{Fault: name, Commit: servers.CommitBefore}
}

// after is a status with a Retry-After.
func after(status, wait string) servers.Step {
	return servers.Step{Fault: status, Header: map[string]string{"Retry-After": wait}, Commit: servers.CommitNone}
}

// The requests of the cases. read is a GET that must be one, get any.
var (
	get   = Request{Method: http.MethodGet, AnyMethod: true}
	read  = Request{Method: http.MethodGet}
	post  = Request{Method: http.MethodPost, Body: Small}
	keyed = Request{Method: http.MethodPost, Body: Small, Keyed: true}
	put   = Request{Method: http.MethodPut, Body: Large}
)

// controlCases ask what the grades of the others rest on.
func controlCases() []Case {
	return []Case{
		{ID: "control/ok", Title: "the server answers 200", Request: get, Scripts: script(fault("200")),
			Wants: "one delivery, success", Fix: "make the command send one request to {url} (or RETRY_LAB_URL) and exit 0 when it has the answer",
			Grade: each(asked(gradeOK))},
		{ID: "control/fails", Title: "the server answers 404", Request: get, Scripts: script(fault("404")),
			Wants: "failure reported by the exit code", Fix: "make the command exit with another code than 0 on a status of 400 or more (curl: -f)",
			Grade: gradeFails},
		retryControl(Retry503, fault("503")),
		retryControl(RetryReset, fault("reset")),
		retryControl(RetryTimeout, fault("silent")),
		{ID: "control/tls-ok", Title: "the server answers 200, over TLS", Request: get, Scripts: script(fault("200")), Where: OverTLS,
			Wants: "one delivery, success", Fix: "make the command trust {ca_file} (or RETRY_LAB_CA_FILE)",
			Grade: each(gradeTLS)},
	}
}

func retryControl(kind string, first servers.Step) Case {
	return Case{
		ID: "control/retries-" + kind, Title: "does it retry a GET after " + kind + "?", Request: get,
		Scripts: script(first, fault("200")), Wants: "either; a second delivery means that it does",
		Grade: gradeControl,
	}
}

// gradeControl is not for [each]: it passes either way, and what the client
// makes of such a failure is asked by other cases.
func gradeControl(f Facts, runs []Observation) Grade {
	o := runs[0]
	switch {
	case o.Broken != "" || o.Skipped != "":
		g, _ := always(f, o)
		return g
	case o.Deliveries == 0:
		return unasked(o)
	case o.Deliveries == 1:
		return Grade{Verdict: Pass, Observed: "does not retry: one delivery"}
	}
	return Grade{Verdict: Pass, Observed: "retries, " + pause(o.gaps()[0])}
}

func gradeOK(f Facts, o Observation) Grade {
	if !success(f, o) {
		return Grade{Verdict: NA, Observed: "no success where nothing fails" + ending(o)}
	}
	return Grade{Verdict: Pass, Observed: how(f, o) + ending(o)}
}

// gradeFails is not for [each]: a success that is reported here is the finding.
func gradeFails(f Facts, runs []Observation) Grade {
	o := runs[0]
	g := Grade{Verdict: Pass, Observed: how(f, o) + ending(o), Runs: 1}
	switch {
	case o.Broken != "" || o.Skipped != "":
		g, _ = always(f, o)
		g.Runs = 1
	case o.Deliveries == 0:
		g = unasked(o)
		g.Runs = 1
	case o.Exited && o.Exit == 0:
		g.Verdict, g.Observed = Weak, "exit code 0 on a 404: the exit code tells nothing, and is not used"
	}
	return g
}

func gradeTLS(f Facts, o Observation) Grade {
	if o.Deliveries == 0 || !success(f, o) {
		return Grade{Verdict: NA, Observed: "no success over TLS where nothing fails" + ending(o)}
	}
	return Grade{Verdict: Pass, Observed: "over " + o.Ledger[0].Proto + ending(o)}
}

// statusCases ask what a client does with a status.
func statusCases() []Case {
	var list []Case
	for _, status := range []int{400, 401, 403, 404, 405, 410, 422, 501, 505} {
		list = append(list, Case{
			ID:    fmt.Sprintf("status/permanent-%d", status),
			Title: fmt.Sprintf("the server answers %d %s, as it always will", status, http.StatusText(status)),
			Wants: "one delivery, failure reported", Fix: fmt.Sprintf("take %d out of the statuses that are retried", status),
			Request: get, Scripts: script(fault(strconv.Itoa(status))), Control: Retry503, Grade: each(asked(gradePermanent)),
		})
	}
	for _, status := range []string{"500", "502", "504"} {
		list = append(list, Case{
			ID: "status/post-" + status, Title: "a POST without a key is done, and answered " + status, Wants: "not sent again",
			Fix:     "do not retry a POST without an Idempotency-Key on " + status + ": it may have been processed",
			Request: post, Scripts: script(committed(status), fault("200")), Control: Retry503, Grade: each(asked(gradeOnce)),
		})
	}
	const away = "a POST without a key is turned away with Retry-After: 3 and "
	return append(list,
		waitCase("status/post-503-wait", away+"503", post, after("503", "3"), 3000),
		waitCase("status/post-429", away+"429", post, after("429", "3"), 3000),
	)
}

func gradePermanent(f Facts, o Observation) Grade {
	if o.Deliveries > 1 {
		return Grade{Verdict: Harm, Observed: how(f, o) + ", gaps " + gapList(o.gaps())}
	}
	return Grade{Verdict: Pass, Observed: how(f, o) + ending(o)}
}

// gradeOnce passes what was committed once; twice is danger anywhere.
func gradeOnce(f Facts, o Observation) Grade {
	return Grade{Verdict: Pass, Observed: how(f, o) + ", committed " + times(o.Commits) + ending(o)}
}
