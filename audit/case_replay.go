package audit

import (
	"net/http"

	"github.com/retry-lab/retry-lab/servers"
)

// replayCases ask whether the transport sends again what the policy never
// asked for, when the connection dies under a request that was done.
func replayCases() []Case {
	warm := func(method string, withKey bool) Request {
		return Request{Method: method, Body: Small, Keyed: withKey, Warm: true}
	}
	list := []Case{
		replayCase("replay/keepalive-post", "a kept-alive connection dies under a POST without a key", warm(http.MethodPost, false)),
		replayCase("replay/keepalive-put", "a kept-alive connection dies under a PUT", warm(http.MethodPut, false)),
		replayCase("replay/keepalive-keyed-post", "a kept-alive connection dies under a POST with a key", warm(http.MethodPost, true)),
		replayCase("replay/fresh-post", "a fresh connection dies under a POST without a key", post),
	}
	for _, c := range []struct{ id, title, fault string }{
		{"replay/h2-protocol-error", "a POST's stream is always reset with PROTOCOL_ERROR, when it was done", "protocol-error"},
		{"replay/h2-goaway-always", "every connection of a POST gets a GOAWAY that leaves it out", "goaway-above"},
	} {
		step := fault(c.fault)
		if c.fault == "protocol-error" {
			step = committed(c.fault)
		}
		list = append(list, Case{
			ID: c.id, Title: c.title, Request: post, Where: OverH2, Scripts: script(step), Runs: 10,
			Wants: "a bounded number of deliveries", Fix: "bound the transport's own replays", Grade: each(asked(gradeBounded)),
		})
	}
	return list
}

// replayCase dies with a FIN in every other run, and with a reset in those
// between.
func replayCase(id, title string, r Request) Case {
	return Case{
		ID: id, Title: title, Request: r, Runs: 10, Quick: 2, Control: RetryReset,
		Variants: [][]servers.Script{
			script(committed("fin"), fault("200")),
			script(committed("reset"), fault("200")),
		},
		Wants: "no delivery that the policy did not ask for", Grade: each(asked(gradeReplay)),
		Fix: "switch off the transport's own replays, so that the policy counts and spaces every attempt",
	}
}

// gradeReplay: work done twice is a danger anywhere, so that what was sent
// again here was done once.
func gradeReplay(f Facts, o Observation) Grade {
	where := "on a fresh connection"
	if o.Ledger[0].Reused {
		where = "on a connection that had served before"
	}
	text := "first sent " + where + "; " + how(f, o) + ", committed " + times(o.Commits)
	for _, k := range kinds(f, o) {
		if k == ReplayReused || k == ReplayFresh || k == AfterEnd {
			return Grade{Verdict: Weak, Observed: text}
		}
	}
	return Grade{Verdict: Pass, Observed: text}
}

func gradeBounded(f Facts, o Observation) Grade {
	if o.Deliveries > bound {
		return Grade{Verdict: Harm, Observed: "no bound: " + how(f, o) + ending(o)}
	}
	return Grade{Verdict: Pass, Observed: how(f, o) + ending(o)}
}
