package audit

import (
	"math"
	"slices"
)

// Declared is what the owner of a command says about it.
type Declared struct {
	NoKey        bool // it sends no Idempotency-Key
	GetOnly      bool // it sends nothing but GET
	NoRedirects  bool // it follows no redirect
	TotalTimeout bool // its time-out is that of the whole call
	MethodFixed  bool // it sends one method, whatever it is asked for
}

// Facts are what the controls showed of a client, for the grades of the other
// cases.
type Facts struct {
	Declared
	UsesDeadline bool            // by its arguments, or as declared
	Obeys        bool            // it waits as long as a 503 says, and longer than the deadline
	ExitTold     bool            // its exit code tells success from failure
	Retries      map[string]bool // by the kind of a control
	FirstGap     map[string]float64
	Hasty        bool   // its policy retries a 503 without a pause
	Pauses       bool   // of many first retries after a 503, none came at once
	Method       string // of control/ok's delivery, whatever was asked for
	TLS, H2      bool
	StartMS      float64 // from its start to its first request: the longest, in the first controls
	OKMS         float64 // how long control/ok took
}

// minGap is the shortest pause that counts as one, in milliseconds.
const minGap = 30

// factsOf reads the controls.
func factsOf(d Declared, usesDeadline bool, runs map[string][]Observation) Facts {
	f := Facts{Declared: d, UsesDeadline: usesDeadline || d.TotalTimeout,
		Retries: map[string]bool{}, FirstGap: map[string]float64{}}
	if o, ok := single(runs["control/fails"]); ok {
		f.ExitTold = len(o.Ledger) > 0 && !(o.Exited && o.Exit == 0) // one that never ends has reported no success
	}
	if o, ok := single(runs["control/ok"]); ok && len(o.Ledger) > 0 {
		f.OKMS, f.Method = o.EndedMS, o.Ledger[0].Method
	}
	for _, id := range []string{"control/ok", "control/fails"} {
		if o, ok := single(runs[id]); ok {
			f.StartMS = max(f.StartMS, o.FirstMS)
		}
	}
	if o, ok := single(runs["control/tls-ok"]); ok && len(o.Ledger) > 0 {
		f.TLS = o.Ledger[0].succeeded()
		f.H2 = f.TLS && o.Ledger[0].Proto == "HTTP/2.0"
	}
	if o, ok := single(runs["wait/on-503"]); ok && len(o.Ledger) > 1 {
		f.Obeys = o.gaps()[0] > deadlineMS+lateEnd
	}
	for _, kind := range []string{Retry503, RetryReset, RetryTimeout} {
		o, ok := single(runs["control/retries-"+kind])
		if !ok || len(o.Ledger) < 2 {
			continue
		}
		f.Retries[kind] = true
		f.FirstGap[kind] = o.gaps()[0]
	}
	f.Hasty = f.Retries[Retry503] && f.FirstGap[Retry503] < minGap
	for _, c := range backoffCases() { // one of them holds the runs of all
		if always503 := runs[c.ID]; c.Pool == failing && len(always503) >= medianRuns {
			f.Hasty = hurries(always503)
			if first := firstGaps(always503); f.Retries[Retry503] && len(first) >= medianRuns {
				f.FirstGap[Retry503], f.Pauses = median(first), slices.Min(first) >= minGap && !f.Hasty
			}
		}
	}
	return f
}

// hasPolicy: it retries what no transport does by itself.
func (f Facts) hasPolicy() bool { return f.Retries[Retry503] || f.Retries[RetryTimeout] }

// firstGaps are those of the runs that have one.
func firstGaps(runs []Observation) []float64 {
	var first []float64
	for _, o := range runs {
		if g := o.gaps(); len(g) > 0 {
			first = append(first, g[0])
		}
	}
	return first
}

func single(runs []Observation) (Observation, bool) {
	if len(runs) == 0 {
		return Observation{}, false
	}
	return runs[0], true
}

// kinds says of each delivery what made it.
func kinds(f Facts, o Observation) []Kind {
	list := make([]Kind, len(o.Ledger))
	for i, d := range o.Ledger {
		if i == 0 {
			list[i] = First
			continue
		}
		from := o.Ledger[i-1]
		switch {
		case o.Exited && d.AtMS > o.EndedMS:
			list[i] = AfterEnd
		case d.Hop > from.Hop && from.Answered/100 == 3:
			list[i] = Followed
		case !died(from) || !o.AtOnce || f.wouldRetry(from, o):
			list[i] = PolicyRetry
		case from.Reused:
			list[i] = ReplayReused
		default:
			list[i] = ReplayFresh
		}
	}
	return list
}

// wouldRetry: the policy explains why a delivery came at once after a
// connection that died. Transports replay at once, many only on a connection
// that has served before, and no transport does so after a status or a
// time-out: what also retries those is a policy. One whose first retry is
// without a pause cannot be told from a transport, and is taken to have asked.
// One that pauses asked for what came at once only if its pauses have jitter,
// of which one may be as short as none, and not surely all came at once. A
// client that retries no status is given the benefit of that doubt only where
// it was seen to retry, on a fresh connection.
func (f Facts) wouldRetry(from Delivery, o Observation) bool {
	switch {
	case !f.Retries[RetryReset] || !f.hasPolicy():
		return false
	case f.Hasty, f.Retries[Retry503] && f.FirstGap[Retry503] < minGap:
		return true
	case !f.Retries[Retry503]:
		return !from.Reused // as on the fresh connection of the control
	}
	return !o.Surely && !f.Pauses
}

// died: the connection ended before an answer.
func died(d Delivery) bool { return d.Answered == 0 && (d.Ended == "rst" || d.Ended == "fin") }

// withPauses returns runs that know whether the delivery after a connection's
// death comes at once: in half of those that meet the same, and surely so in
// seven of ten of them. A single pause of a policy with jitter may be as short
// as none, and one of a replay long on a busy machine. The runs take so many
// variants in turn: a transport may replay after a FIN and not after a reset.
func withPauses(runs []Observation, variants int) []Observation {
	variants = max(variants, 1)
	deaths, short := make([]int, variants), make([]int, variants)
	for _, o := range runs {
		for i := 1; i < len(o.Ledger); i++ {
			if !died(o.Ledger[i-1]) {
				continue
			}
			deaths[o.Run%variants]++
			if gap(o.Ledger[i-1], o.Ledger[i], o.Sent.TimeoutMS) < minGap {
				short[o.Run%variants]++
			}
			break
		}
	}
	out := slices.Clone(runs)
	for i := range out {
		d, s := deaths[out[i].Run%variants], short[out[i].Run%variants]
		out[i].AtOnce = s > 0 && s*2 >= d
		out[i].Surely = d >= medianRuns/2 && s*10 >= 7*d
	}
	return out
}

func countKinds(ledger []Delivery) Counts {
	var c Counts
	for _, d := range ledger {
		switch d.Kind {
		case PolicyRetry:
			c.Retries++
		case ReplayReused:
			c.ReplaysReused++
		case ReplayFresh:
			c.ReplaysFresh++
		case AfterEnd:
			c.AfterEnd++
		case Followed:
			c.RedirectsTaken++
		}
	}
	return c
}

// median of values, which must not be empty.
func median(values []float64) float64 {
	s := slices.Sorted(slices.Values(values))
	mid := len(s) / 2
	if len(s)%2 == 1 {
		return s[mid]
	}
	return (s[mid-1] + s[mid]) / 2
}

// medianGaps are the medians of the gaps by place, over the runs that have one
// there: of at least half of the runs, so that one long run does not speak
// alone.
func medianGaps(runs []Observation) []float64 {
	var medians []float64
	for place := 0; ; place++ {
		var at []float64
		for _, o := range runs {
			if g := o.gaps(); place < len(g) {
				at = append(at, g[place])
			}
		}
		if len(at) == 0 || len(at)*2 < len(runs) {
			return medians
		}
		medians = append(medians, median(at))
	}
}

func round(ms float64) float64 { return math.Round(ms*10) / 10 }
