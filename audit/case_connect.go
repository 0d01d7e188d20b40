package audit

import "fmt"

// connectCases ask what a client does with a failure that stays.
func connectCases() []Case {
	return []Case{
		{ID: "tls/untrusted", Title: "the server's certificate is not trusted", Request: get, Where: Untrusted, Scripts: script(fault("200")),
			Wants: "one handshake, failure reported", Fix: "do not retry a certificate that does not verify: it will not verify the next time",
			Grade: each(honest(gradeUntrusted))},
		{ID: "dns/nxdomain", Title: "the host name does not exist", Request: get, Where: NoName, Scripts: script(fault("200")), Long: true,
			Wants: "one round of look-ups, failure reported", Fix: "do not retry a name that does not exist (NXDOMAIN)",
			Grade: each(honest(gradeNoName))},
	}
}

func gradeUntrusted(f Facts, o Observation) Grade {
	switch {
	case o.Deliveries > 0:
		return Grade{Verdict: Harm, Observed: "it sent its request to a server that it should not have trusted",
			Fix: "verify the certificates of servers"}
	case o.Connections == 0:
		return Grade{Verdict: NA, Observed: "the command never connected" + ending(o)}
	case o.Connections > 1:
		return Grade{Verdict: Harm, Observed: plural(o.Connections, "handshake", "handshakes") + ending(o)}
	}
	return Grade{Verdict: Pass, Observed: "one handshake" + ending(o)}
}

// slowName is how much longer than control/ok a look-up may take where it can
// only be judged by time, in milliseconds: a resolver is asked over a network.
// A command that starts slowly starts up to three times as slowly beside others
// as control/ok did.
const slowName = 150

func gradeNoName(f Facts, o Observation) Grade {
	if !o.Netns {
		took := o.EndedMS - f.OKMS
		text := fmt.Sprintf("it took %s more than control/ok (judged by time: look-ups could not be counted here)", seconds(max(0, took)))
		if o.Cut || took > max(slowName, 2*f.OKMS) {
			return Grade{Verdict: Harm, Observed: text + ending(o)}
		}
		return Grade{Verdict: Pass, Observed: text}
	}
	switch o.Lookups {
	case 0:
		return Grade{Verdict: NA, Observed: "the command never looked the name up" + ending(o)}
	case 1:
		return Grade{Verdict: Pass, Observed: "one round of look-ups" + ending(o)}
	}
	return Grade{Verdict: Harm, Observed: plural(o.Lookups, "round", "rounds") + " of look-ups" + ending(o)}
}
