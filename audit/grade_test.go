package audit

import (
	"fmt"
	"slices"
	"testing"
)

// A client whose exit code tells, and which retries everything after a pause.
func retrying() Facts {
	return Facts{ExitTold: true, TLS: true, H2: true, OKMS: 20, Obeys: true,
		Retries:  map[string]bool{Retry503: true, RetryReset: true, RetryTimeout: true},
		FirstGap: map[string]float64{Retry503: 200, RetryReset: 200, RetryTimeout: 200}}
}

// never is a client that retries nothing.
func never() Facts { return Facts{ExitTold: true, TLS: true, H2: true, OKMS: 20} }

// replaying is one whose transport sends a GET again, without a policy.
func replaying() Facts {
	f := never()
	f.Retries, f.FirstGap = map[string]bool{RetryReset: true}, map[string]float64{RetryReset: 3}
	return f
}

// hasty is one that retries everything at once.
func hasty() Facts {
	f := retrying()
	f.Hasty, f.FirstGap = true, map[string]float64{Retry503: 3, RetryReset: 3, RetryTimeout: 3}
	return f
}

// slowStart is one that needs long to start.
func slowStart() Facts {
	f := retrying()
	f.StartMS = 20_000
	return f
}

// A change makes a part of an observation or a delivery.
type (
	change  func(*Observation)
	changeD func(*Delivery)
)

// seen is a run of a case with these deliveries, which ended by itself with
// exit code 0 where one was answered 2xx in full, and else with 1.
func seen(id string, ds []Delivery, changes ...change) Observation {
	c := caseOf(Cases(), id)
	o := Observation{Case: id, Sent: c.Request, BodySum: "body", FirstMS: -1, Exited: true, Exit: 1, CutMS: 30_000, EndedMS: 100}
	if o.Sent.TimeoutMS == 0 {
		o.Sent.TimeoutMS = TimeoutMS
	}
	if o.Sent.Warm {
		o.WarmUps = 1
	}
	for i, d := range ds {
		d.N = i + 1
		if d.Method == "" {
			d.Method = o.Sent.Method
		}
		if o.Sent.Keyed && d.Key == "" {
			d.Key = "k"
		}
		o.Ledger = append(o.Ledger, d)
		o.Tokens = append(o.Tokens, fmt.Sprintf("token-%d", i))
		o.EndedMS = max(o.EndedMS, d.over()+1)
		if d.Committed {
			o.Commits++
		}
		if d.succeeded() {
			o.Exit = 0
		}
	}
	o.Deliveries, o.Connections = len(ds), len(ds)
	if len(ds) > 0 {
		o.FirstMS = ds[0].AtMS
	}
	for _, f := range changes {
		f(&o)
	}
	return o
}

// at is a delivery of the whole request, answered with a status 1 ms later; 0
// is a connection that was reset instead.
func at(ms float64, status int, changes ...changeD) Delivery {
	d := Delivery{AtMS: ms, AnsweredMS: ms + 1, EndedMS: ms + 1, Connection: 1, Proto: "HTTP/1.1", BodySHA256: "body", BodyBytes: 48,
		Complete: true, Answered: status, AnsweredAll: true, Ended: "kept"}
	if status == 0 {
		d.AnsweredMS, d.AnsweredAll, d.Ended = -1, false, "rst"
	}
	for _, f := range changes {
		f(&d)
	}
	return d
}

func done(d *Delivery)   { d.Committed = true }
func reused(d *Delivery) { d.Reused = true }
func behind(d *Delivery) { d.Hop = 1 }
func asGet(d *Delivery)  { d.Method = "GET" }
func cutOff(d *Delivery) { d.AnsweredAll, d.Ended = false, "fin" }
func half(d *Delivery)   { d.Complete, d.BodySHA256, d.BodyBytes = false, "half", 24 }
func empty(d *Delivery)  { d.BodySHA256, d.BodyBytes = "nothing", 0 }
func otherK(d *Delivery) { d.Key = "k2" }

// silentFor is a delivery that the client gave up after a while.
func silentFor(ms float64) changeD {
	return func(d *Delivery) { d.EndedMS, d.Ended = d.AtMS+ms, "stalled" }
}

func exit(code int) change { return func(o *Observation) { o.Exit = code } }

func asleep(o *Observation) {
	o.Exited, o.Cut, o.Asleep, o.Exit, o.EndedMS = false, true, true, 0, o.CutMS
}

func hanging(o *Observation) { asleep(o); o.Asleep = false }
func early(o *Observation)   { o.Exited, o.Early, o.Exit = false, true, 0 }

func inNetns(syns, lookups int) change {
	return func(o *Observation) { o.Netns, o.SYNs, o.Lookups = true, syns, lookups }
}

// many is n runs of the same.
func many(n int, o Observation) []Observation {
	list := slices.Repeat([]Observation{o}, n)
	for i := range list {
		list[i].Run = i
	}
	return list
}

// sequence is deliveries answered 503 with these gaps between them.
func sequence(gaps ...float64) []Delivery {
	ds := []Delivery{at(10, 503)}
	for _, g := range gaps {
		ds = append(ds, at(ds[len(ds)-1].over()+g, 503))
	}
	return ds
}

type gradeRow struct {
	id, why string
	want    Verdict
	facts   Facts
	runs    []Observation
}

// rows lists every verdict of the cases' table, and more.
func gradeRows() []gradeRow {
	r, n := retrying(), never()
	one := func(id, why string, want Verdict, f Facts, ds []Delivery, changes ...change) gradeRow {
		return gradeRow{id, why, want, f, []Observation{seen(id, ds, changes...)}}
	}
	list := []gradeRow{
		one("control/ok", "it works", Pass, r, []Delivery{at(1, 200)}),
		one("control/ok", "nothing came", NA, r, nil),
		one("control/ok", "it fails", NA, r, []Delivery{at(1, 200)}, exit(7)),
		one("control/fails", "says so", Pass, r, []Delivery{at(1, 404)}),
		one("control/fails", "does not", Weak, Facts{}, []Delivery{at(1, 404)}, exit(0)),
		one("control/retries-503", "retries", Pass, r, []Delivery{at(1, 503), at(300, 200)}),
		one("control/retries-503", "does not", Pass, n, []Delivery{at(1, 503)}),
		one("control/retries-reset", "retries", Pass, r, []Delivery{at(1, 0), at(300, 200)}),
		one("control/retries-timeout", "retries", Pass, r, []Delivery{at(1, 0, silentFor(1000)), at(1300, 200)}),
		one("control/retries-503", "passes either way, whatever is reported", Pass, n, []Delivery{at(1, 503)}, exit(0)),
		one("control/retries-503", "nothing came", NA, n, nil),
		one("control/tls-ok", "over TLS", Pass, r, []Delivery{at(1, 200)}),
		one("control/tls-ok", "no trust", NA, r, nil),

		one("status/permanent-404", "once", Pass, r, []Delivery{at(1, 404)}),
		one("status/permanent-404", "never retries", Vacuous, n, []Delivery{at(1, 404)}),
		one("status/permanent-404", "again", Harm, r, []Delivery{at(1, 404), at(200, 404)}),
		one("status/permanent-404", "success", Danger, r, []Delivery{at(1, 404)}, exit(0)),
		one("status/permanent-404", "exit code tells nothing", Vacuous, Facts{}, []Delivery{at(1, 404)}, exit(0)),
		one("status/post-500", "once", Pass, r, []Delivery{at(1, 500, done)}),
		one("status/post-500", "twice", Danger, r, []Delivery{at(1, 500, done), at(200, 200, done)}, early),
		one("status/permanent-404", "POST will do", Pass, r, []Delivery{at(1, 404, func(d *Delivery) { d.Method = "POST" })}),
		one("safe/get-reset", "POST will not", NA, r, []Delivery{at(1, 0, func(d *Delivery) { d.Method = "POST" })}),
		one("status/post-500", "GET only", NA, r, []Delivery{at(1, 500, asGet)}),

		one("status/post-503-wait", "waits", Pass, r, []Delivery{at(1, 503), at(3003, 200, done)}),
		one("status/post-503-wait", "gives up", Weak, r, []Delivery{at(1, 503)}),
		one("status/post-503-wait", "early", Harm, r, []Delivery{at(1, 503), at(500, 200, done)}),
		one("wait/seconds", "20 ms early is a clock", Pass, r, []Delivery{at(1, 429), at(2985, 200)}),
		one("wait/seconds", "50 ms early is early", Harm, r, []Delivery{at(1, 429), at(2950, 200)}),
		one("wait/seconds", "asleep", Harm, r, []Delivery{at(1, 429)}, asleep),
		one("wait/date", "waits", Pass, r, []Delivery{at(1, 503), at(5001, 200)}, func(o *Observation) { o.WaitUntilMS = 5000 }),
		one("wait/date", "early", Harm, r, []Delivery{at(1, 503), at(4001, 200)}, func(o *Observation) { o.WaitUntilMS = 5000 }),
		one("wait/date", "past before it was read", NA, r, []Delivery{at(4900, 503), at(5200, 200)}, func(o *Observation) { o.WaitUntilMS = 5000 }),
		one("wait/seconds", "cut before the wait was over", NA, r, []Delivery{at(28_500, 429)}, asleep),
		one("wait/seconds", "asleep, of a command that starts slowly", Harm, slowStart(), []Delivery{at(28_500, 429)}, asleep),
		one("wait/date-past", "again", Pass, r, []Delivery{at(1, 503), at(2, 200)}),
		one("wait/date-past", "gives up", Weak, r, []Delivery{at(1, 503)}),
		one("wait/date-past", "asleep", Harm, r, []Delivery{at(1, 503)}, asleep),
		one("wait/huge", "ends", Pass, r, []Delivery{at(1, 503)}),
		one("wait/huge", "never retries", Vacuous, n, []Delivery{at(1, 503)}),
		one("wait/huge", "asleep", Harm, r, []Delivery{at(1, 503)}, asleep),
		one("wait/overflow", "at once", Harm, r, []Delivery{at(1, 503), at(3, 200)}),
		one("wait/overflow", "ends", Pass, r, []Delivery{at(1, 503)}),
		{"wait/garbage", "backoff", Pass, r, many(10, seen("wait/garbage", []Delivery{at(1, 503), at(200, 200)}))},
		{"wait/garbage", "no gap", Harm, r, many(10, seen("wait/garbage", []Delivery{at(1, 503), at(5, 200)}))},
		{"wait/garbage", "no gap of a policy that has none, on a busy machine", Harm, hasty(), many(10, seen("wait/garbage", []Delivery{at(1, 503), at(70, 200)}))},
		{"wait/garbage", "a short gap", Pass, r, many(10, seen("wait/garbage", []Delivery{at(1, 503), at(70, 200)}))},
		{"wait/garbage", "a single gap is not graded", Pass, r, many(1, seen("wait/garbage", []Delivery{at(1, 503), at(5, 200)}))},
		{"wait/garbage", "gives up", Weak, r, many(10, seen("wait/garbage", []Delivery{at(1, 503)}))},
		{"wait/garbage", "asleep", Harm, r, many(10, seen("wait/garbage", []Delivery{at(1, 503)}, asleep))},

		one("unknown/charge-bare", "once", Pass, r, []Delivery{at(1, 0, done, silentFor(1000))}),
		one("unknown/charge-bare", "never retries", Vacuous, n, []Delivery{at(1, 0, done, silentFor(1000))}),
		one("unknown/charge-bare", "no time-out", Harm, r, []Delivery{at(1, 0, done, silentFor(30_000))}, hanging),
		one("unknown/charge-bare", "twice", Danger, r, []Delivery{at(1, 0, done, silentFor(1000)), at(1200, 0, done, silentFor(10))}, early),
		one("unknown/charge-keyed", "same key", Pass, r, []Delivery{at(1, 0, done, silentFor(1000)), at(1200, 200)}),
		one("unknown/charge-keyed", "gives up", Weak, r, []Delivery{at(1, 0, done, silentFor(1000))}),
		one("unknown/charge-keyed", "new key", Danger, r, []Delivery{at(1, 0, done, silentFor(1000)), at(1200, 200, done, otherK)}),
		one("unknown/charge-keyed", "new key that is not accepted", Danger, r, []Delivery{at(1, 0, done, silentFor(1000)), at(1200, 500, otherK)}),
		{"unknown/key-in-flight", "until success", Pass, r, many(10, seen("unknown/key-in-flight", []Delivery{at(1, 0, done, silentFor(1000)), at(1200, 409), at(1500, 200)}))},
		{"unknown/key-in-flight", "gives up at the 409", Weak, r, many(10, seen("unknown/key-in-flight", []Delivery{at(1, 0, done, silentFor(1000)), at(1200, 409)}))},
		{"unknown/key-in-flight", "no pause", Harm, r, many(10, seen("unknown/key-in-flight", []Delivery{at(1, 0, done, silentFor(1000)), at(1200, 409), at(1202, 200)}))},
		{"unknown/key-in-flight", "no pause of a policy that has none, on a busy machine", Harm, hasty(), many(10, seen("unknown/key-in-flight", []Delivery{at(1, 0, done, silentFor(1000)), at(1200, 409), at(1270, 200)}))},
		{"unknown/key-in-flight", "new key", Danger, r, many(10, seen("unknown/key-in-flight", []Delivery{at(1, 0, done, silentFor(1000)), at(1200, 409, otherK)}))},
		one("unknown/post-reset-after-body", "once", Pass, r, []Delivery{at(1, 0, done)}),
		one("unknown/post-reset-after-body", "never retries", Vacuous, n, []Delivery{at(1, 0, done)}),
		one("unknown/post-reset-after-body", "twice", Danger, n, []Delivery{at(1, 0, done), at(2, 200, done)}),
		one("unknown/post-truncated-answer", "once", Pass, r, []Delivery{at(1, 200, done, cutOff)}),
		one("unknown/post-truncated-answer", "success on a cut body", Danger, r, []Delivery{at(1, 200, done, cutOff)}, exit(0)),

		one("safe/get-reset", "again", Pass, r, []Delivery{at(1, 0), at(200, 200)}),
		one("safe/get-reset", "not", Weak, n, []Delivery{at(1, 0)}),
		one("safe/get-reset", "success on nothing", Danger, r, []Delivery{at(1, 0)}, exit(0)),
		one("safe/get-truncated", "again", Pass, r, []Delivery{at(1, 200, cutOff), at(200, 200)}),
		one("safe/get-truncated", "not", Weak, r, []Delivery{at(1, 200, cutOff)}),
		one("safe/get-truncated", "success", Danger, r, []Delivery{at(1, 200, cutOff)}, exit(0)),
		one("safe/get-truncated", "again, but prints the first", Danger, r, []Delivery{at(1, 200, cutOff), at(200, 200)},
			func(o *Observation) { o.Output = "token-0 and no more" }),
		one("safe/get-truncated", "prints both", Pass, r, []Delivery{at(1, 200, cutOff), at(200, 200)},
			func(o *Observation) { o.Output = "token-0 token-1" }),
		one("safe/refused-then-up-get", "success", Pass, r, []Delivery{at(800, 200)}, inNetns(2, 0)),
		one("safe/refused-then-up-get", "not tried again", Weak, r, nil, inNetns(1, 0)),
		one("safe/refused-then-up-get", "success, and nobody was there", Danger, r, nil, inNetns(1, 0), exit(0)),
		one("safe/refused-then-up-get", "success, and nobody was there, not seen", Danger, r, nil, exit(0)),
		one("safe/refused-then-up-get", "an exit code that tells nothing", Weak, Facts{}, nil, inNetns(1, 0), exit(0)),
		one("safe/refused-then-up-get", "never tried", NA, r, nil, inNetns(0, 0)),
		one("safe/refused-then-up-get", "not seen, no success", Weak, r, nil),
		{"safe/refused-then-up-post", "some runs gave up before the server was there", Pass, r, slices.Concat(
			many(5, seen("safe/refused-then-up-post", nil)), many(5, seen("safe/refused-then-up-post", []Delivery{at(800, 200, done)})))},
		{"safe/refused-then-up-post", "one slow start", Weak, n, slices.Concat(
			many(9, seen("safe/refused-then-up-post", nil)), many(1, seen("safe/refused-then-up-post", []Delivery{at(800, 200, done)})))},
		one("safe/post-connect-timeout", "success", Pass, r, []Delivery{at(1800, 200, done)}, inNetns(2, 0)),
		one("safe/post-connect-timeout", "twice", Danger, r, []Delivery{at(1800, 200, done), at(1801, 200, done)}, inNetns(3, 0)),
		one("safe/h2-refused-stream", "again", Pass, r, []Delivery{at(1, 0), at(5, 200, done)}),
		{"safe/h2-refused-stream", "not run", NA, n, []Observation{{Case: "safe/h2-refused-stream", Skipped: "the command does not speak HTTP/2"}}},
		one("safe/h2-refused-stream", "not", Weak, r, []Delivery{at(1, 0)}),
		one("safe/h2-goaway-above", "no bound", Harm, r, slices.Repeat([]Delivery{at(1, 0)}, 11), early),
		one("safe/h2-goaway-above", "twice", Danger, r, []Delivery{at(1, 0), at(5, 200, done), at(6, 200, done)}),

		one("replay/keepalive-post", "once", Pass, r, []Delivery{at(70, 0, done, reused)}),
		one("replay/keepalive-post", "never retries", Vacuous, n, []Delivery{at(70, 0, done, reused)}),
		one("replay/keepalive-post", "replayed", Danger, n, []Delivery{at(70, 0, done, reused), at(72, 200, done)}),
		one("replay/keepalive-post", "no warm-up", NA, r, []Delivery{at(70, 0, done)}, func(o *Observation) { o.WarmUps = 0 }),
		one("replay/keepalive-put", "a POST instead, done twice", NA, r, []Delivery{at(70, 0, done, func(d *Delivery) { d.Method = "POST" }),
			at(72, 200, done, func(d *Delivery) { d.Method = "POST" })}),
		one("replay/keepalive-post", "no warm-up, done twice", NA, r, []Delivery{at(70, 0, done), at(72, 200, done)}, func(o *Observation) { o.WarmUps = 0 }),
		one("replay/keepalive-put", "replayed", Weak, n, []Delivery{at(70, 0, done, reused), at(72, 200)}),
		one("replay/keepalive-put", "retried by policy", Pass, r, []Delivery{at(70, 0, done, reused), at(300, 200)}),
		one("replay/keepalive-keyed-post", "a single gap is not graded", Pass, r, []Delivery{at(70, 0, done, reused), at(72, 200)}),
		{"replay/keepalive-keyed-post", "replayed", Weak, r, many(10, seen("replay/keepalive-keyed-post", []Delivery{at(70, 0, done, reused), at(72, 200)}))},
		{"replay/keepalive-put", "replayed, as a GET is, and no policy", Weak, replaying(), many(2, seen("replay/keepalive-put", []Delivery{at(70, 0, done, reused), at(72, 200)}))},
		{"replay/keepalive-put", "replayed, beside a policy that pauses", Weak, r, many(10, seen("replay/keepalive-put", []Delivery{at(70, 0, done, reused), at(72, 200)}))},
		{"replay/keepalive-put", "retried by a policy without a pause", Pass, hasty(), many(10, seen("replay/keepalive-put", []Delivery{at(70, 0, done, reused), at(72, 200)}))},
		{"replay/keepalive-keyed-post", "jitter", Pass, r, slices.Concat(many(3, seen("replay/keepalive-keyed-post", []Delivery{at(70, 0, done, reused), at(72, 200)})),
			many(7, seen("replay/keepalive-keyed-post", []Delivery{at(70, 0, done, reused), at(172, 200)})))},
		{"replay/keepalive-keyed-post", "replayed after a FIN alone", Weak, r, byTurns(
			seen("replay/keepalive-keyed-post", []Delivery{at(70, 0, done, reused), at(72, 200)}),
			seen("replay/keepalive-keyed-post", []Delivery{at(70, 0, done, reused), at(272, 200)}))},
		{"replay/keepalive-keyed-post", "two, of a policy that always pauses", Weak, pausing(200), many(2, seen("replay/keepalive-keyed-post", []Delivery{at(70, 0, done, reused), at(72, 200)}))},
		{"replay/keepalive-keyed-post", "two, of a policy with jitter", Pass, r, many(2, seen("replay/keepalive-keyed-post", []Delivery{at(70, 0, done, reused), at(72, 200)}))},
		{"replay/keepalive-put", "by a policy without a pause", Pass, pausing(0), many(10, seen("replay/keepalive-put", []Delivery{at(70, 0, done, reused), at(72, 200)}))},
		{"replay/keepalive-put", "at once on fresh connections too, which the policy is not", Weak, quickAfterReset(200), many(10, seen("replay/keepalive-put", []Delivery{at(70, 0, done), at(72, 200)}))},
		{"replay/keepalive-put", "no status retried, two, and the control on a busy machine", Weak, noStatus(60), many(2, seen("replay/keepalive-put", []Delivery{at(70, 0, done, reused), at(72, 200)}))},
		{"replay/keepalive-put", "no status retried, and no connection kept", Pass, noStatus(60), many(10, seen("replay/keepalive-put", []Delivery{at(70, 0, done), at(72, 200)}))},
		{"replay/keepalive-put", "at once on fresh connections too, and no other retry", Weak, quickAfterReset(-1), many(10, seen("replay/keepalive-put", []Delivery{at(70, 0, done, reused), at(72, 200)}))},
		one("replay/keepalive-keyed-post", "no key", NA, r, []Delivery{at(70, 0, done, func(d *Delivery) { d.Key = "-" })}, func(o *Observation) { o.Ledger[0].Key = "" }),
		one("replay/fresh-post", "replayed", Danger, n, []Delivery{at(1, 0, done), at(3, 200, done)}),
		one("replay/fresh-post", "once", Pass, r, []Delivery{at(1, 0, done)}),
		one("replay/h2-protocol-error", "once", Pass, n, []Delivery{at(1, 0, done)}),
		one("replay/h2-protocol-error", "twice", Danger, n, []Delivery{at(1, 0, done), at(2, 0, done)}, early),
		one("replay/h2-goaway-always", "bounded", Pass, n, slices.Repeat([]Delivery{at(1, 0)}, 6)),
		one("replay/h2-goaway-always", "not", Harm, n, slices.Repeat([]Delivery{at(1, 0)}, 11)),

		one("body/put-again", "identical", Pass, r, []Delivery{at(1, 503), at(200, 200, done)}),
		one("body/put-again", "not", Weak, n, []Delivery{at(1, 503)}),
		one("body/put-again", "nothing", Danger, r, []Delivery{at(1, 503), at(200, 200, done, empty)}),
		one("body/put-again", "nothing, and refused", Weak, r, []Delivery{at(1, 503), at(200, 411, empty)}),
		one("body/put-again", "broken off by the client, then whole", Pass, r, []Delivery{at(1, 503, half), at(200, 200, done)}),
		one("body/stream", "identical", Pass, r, []Delivery{at(1, 503), at(200, 200, done)}),
		one("body/stream", "the rest of it", Danger, r, []Delivery{at(1, 503, half), at(200, 200, done, empty)}),

		{"backoff/shape", "grows", Pass, r, many(10, seen("backoff/shape", sequence(100, 200, 400)))},
		{"backoff/shape", "long and constant", Pass, r, many(10, seen("backoff/shape", sequence(150, 150, 150)))},
		{"backoff/shape", "short and constant", Weak, r, many(10, seen("backoff/shape", sequence(50, 50, 50)))},
		{"backoff/shape", "none", Harm, r, many(10, seen("backoff/shape", sequence(1, 1, 1)))},
		{"backoff/shape", "still sending", Harm, r, many(10, seen("backoff/shape", sequence(2000, 2000, 2000), hanging))},
		{"backoff/shape", "growing at the cut", Pass, r, many(10, seen("backoff/shape", sequence(1000, 2000, 4000, 8000), asleep))},
		{"backoff/shape", "no bound", Harm, r, many(10, seen("backoff/shape", sequence(slices.Repeat([]float64{100}, most+1)...), early))},
		{"backoff/shape", "one delivery", Vacuous, n, many(10, seen("backoff/shape", sequence()))},
		{"backoff/first-gap", "a pause", Pass, r, many(10, seen("backoff/first-gap", sequence(100, 200)))},
		{"backoff/first-gap", "at once, then growing", Weak, r, many(10, seen("backoff/first-gap", sequence(2, 500, 1000)))},
		{"backoff/first-gap", "all at once", Harm, r, many(10, seen("backoff/first-gap", sequence(2, 2, 2)))},
		{"backoff/first-gap", "all at once, the first on a busy machine", Harm, r, many(10, seen("backoff/first-gap", sequence(90, 5, 6)))},
		{"backoff/shape", "none, the first on a busy machine", Harm, r, many(10, seen("backoff/shape", sequence(90, 31, 6)))},
		{"herd/fifty", "at once, on a busy machine", Weak, r, herd(20, 1, 0)},
		{"backoff/first-gap", "one delivery", Vacuous, n, many(10, seen("backoff/first-gap", sequence()))},
		{"herd/fifty", "together", Weak, r, many(50, seen("herd/fifty", sequence(200, 400)))},
		{"herd/fifty", "spread", Pass, r, herd(200, 10, 40)},
		{"herd/fifty", "spread by a slow start alone", Weak, r, slowHerd()},
		{"herd/fifty", "six deliveries", Harm, r, many(50, seen("herd/fifty", sequence(200, 400, 800, 1600, 3200)))},
		{"herd/fifty", "one delivery", Vacuous, n, many(50, seen("herd/fifty", sequence()))},

		one("deadline/honest", "stops", Pass, r, []Delivery{at(1, 503)}),
		one("deadline/honest", "sends after it", Harm, withDeadline(r), []Delivery{at(1, 503), at(3002, 200)}),
		one("deadline/honest", "sleeps beyond it", Harm, withDeadline(r), []Delivery{at(1, 503)}, func(o *Observation) { o.EndedMS = 3000 }),
		one("deadline/honest", "sleeps beyond it, and then sends nothing", Harm, r, []Delivery{at(1, 503)}, func(o *Observation) { o.EndedMS = 3000 }),
		one("deadline/honest", "does not use it", NA, r, []Delivery{at(1, 503), at(3002, 200)}),
		one("deadline/honest", "would have ended anyway", NA, n, []Delivery{at(1, 503)}),

		one("redirect/307-then-503", "from where it failed", Pass, r, []Delivery{at(1, 307), at(2, 503, behind), at(300, 200, behind, done)}),
		one("redirect/307-then-503", "not retried", Weak, n, []Delivery{at(1, 307), at(2, 503, behind)}),
		one("redirect/307-then-503", "not followed", NA, n, []Delivery{at(1, 307)}),
		one("redirect/307-then-503", "twice", Danger, r, []Delivery{at(1, 307), at(2, 200, behind, done), at(300, 200, behind, done)}),
		one("redirect/307-then-503", "without its body", Danger, r, []Delivery{at(1, 307), at(2, 503, behind, empty), at(300, 200, behind, done, empty)}),
		one("redirect/303-then-dead", "the GET again", Pass, r, []Delivery{at(1, 303, done), at(2, 0, behind, asGet, empty), at(300, 200, behind, asGet, empty)}),
		one("redirect/303-then-dead", "the POST again", Danger, r, []Delivery{at(1, 303, done), at(2, 0, behind, asGet), at(300, 303, done), at(301, 200, behind, asGet)}),
		one("redirect/303-then-dead", "not followed, and reported as a success", NA, n, []Delivery{at(1, 303, done)}, exit(0)),
		one("redirect/307-then-503", "not followed, and reported as a success", Danger, n, []Delivery{at(1, 307)}, exit(0)),
		one("redirect/303-then-dead", "not retried", Weak, n, []Delivery{at(1, 303, done), at(2, 0, behind, asGet)}),

		one("tls/untrusted", "one handshake", Pass, r, nil, func(o *Observation) { o.Connections = 1 }),
		one("tls/untrusted", "success on nothing", Danger, r, nil, func(o *Observation) { o.Connections = 1 }, exit(0)),
		one("dns/nxdomain", "success on nothing", Danger, r, nil, inNetns(0, 1), exit(0)),
		one("tls/untrusted", "four", Harm, r, nil, func(o *Observation) { o.Connections = 4 }),
		one("tls/untrusted", "trusts it", Harm, r, []Delivery{at(1, 200)}),
		one("tls/untrusted", "never connected", NA, r, nil),
		one("dns/nxdomain", "one round", Pass, r, nil, inNetns(0, 1)),
		one("dns/nxdomain", "four", Harm, r, nil, inNetns(0, 4)),
		one("dns/nxdomain", "none", NA, r, nil, inNetns(0, 0)),
		one("dns/nxdomain", "by time, quick", Pass, r, nil, func(o *Observation) { o.EndedMS = 40 }),
		one("dns/nxdomain", "by time, of a command that starts slowly", Pass, slowOK(), nil, func(o *Observation) { o.EndedMS = 1400 }),
		one("dns/nxdomain", "by time, slow", Harm, r, nil, func(o *Observation) { o.EndedMS = 900 }),
	}
	return list
}

func TestGrades(t *testing.T) {
	for _, row := range gradeRows() {
		t.Run(row.id+": "+row.why, func(t *testing.T) {
			r := run{cases: Cases(), facts: row.facts, seen: map[string][]Observation{}}
			c := caseOf(r.cases, row.id)
			r.seen[row.id] = row.runs
			if c.Pool != "" {
				r.seen = map[string][]Observation{c.Pool: row.runs}
				if row.id != c.Pool {
					r.cases = slices.DeleteFunc(Cases(), func(o Case) bool { return o.Pool == c.Pool && o.ID != row.id && o.ID != c.Pool })
				}
			}
			got := r.result(c)
			if got.Verdict != row.want {
				t.Errorf("verdict %q (%s), want %q", got.Verdict, got.Observed, row.want)
			}
			if got.Observed == "" || got.Expected == "" {
				t.Errorf("expected %q, observed %q: want a sentence each", got.Expected, got.Observed)
			}
			if got.Ledger == nil || got.GapsMS == nil {
				t.Error("a list is null in JSON")
			}
			if got.Verdict.Worse(Pass) && got.Fix == "" {
				t.Error("nothing says what to change")
			}
		})
	}
}

// Every case has a row for a pass, and every verdict of the table one.
func TestGradesCoverEveryCase(t *testing.T) {
	graded := map[string][]Verdict{}
	for _, row := range gradeRows() {
		graded[row.id] = append(graded[row.id], row.want)
	}
	alike := map[string]string{"status/post-502": "status/post-500", "status/post-504": "status/post-500", "status/post-429": "status/post-503-wait", "wait/on-503": "wait/seconds"}
	for _, status := range []string{"400", "401", "403", "405", "410", "422", "501", "505"} {
		alike["status/permanent-"+status] = "status/permanent-404"
	}
	for _, c := range Cases() {
		id := c.ID
		if same, ok := alike[id]; ok {
			id = same
		}
		if len(graded[id]) < 2 && id != "control/retries-reset" && id != "control/retries-timeout" {
			t.Errorf("%s has %d rows, want at least two", c.ID, len(graded[id]))
		}
	}
}

// pausing is a client whose first pause is always that long, after anything.
func pausing(ms float64) Facts {
	f := retrying()
	f.Pauses = ms >= minGap
	f.FirstGap = map[string]float64{Retry503: ms, RetryReset: ms, RetryTimeout: ms}
	return f
}

// quickAfterReset is one that sends again at once after a reset, and after a
// 503 with that pause; -1: not at all.
func quickAfterReset(ms float64) Facts {
	f := pausing(ms)
	f.FirstGap[RetryReset] = 1
	f.Retries[Retry503] = ms >= 0
	return f
}

// noStatus is a client that retries a reset and a time-out, after such a pause,
// and no status.
func noStatus(ms float64) Facts {
	f := pausing(ms)
	f.Pauses, f.Retries[Retry503] = false, false
	return f
}

// byTurns is ten runs, of one kind and the other in turn.
func byTurns(a, b Observation) []Observation {
	list := append(many(5, a), many(5, b)...)
	for i := range list {
		list[i].Run = 2*(i%5) + i/5
	}
	return list
}

func withDeadline(f Facts) Facts {
	f.UsesDeadline = true
	return f
}
