package scenarios

import (
	"fmt"

	"github.com/retry-lab/retry-lab/classifier"
	"github.com/retry-lab/retry-lab/servers"
)

// invariants compares every attempt's verdict for a bare POST with the ledger;
// a run that stands in several rows counts once, under the first.
func (r Runner) invariants(groups []GroupResult) (Sound, Useful) {
	sound := Sound{Unsafe: []Breach{}, RefutedClaims: []Breach{}}
	useful := Useful{Withheld: []Withheld{}}
	type part struct {
		c    *Case
		name string
	}
	seen := map[part]bool{}
	for _, g := range groups {
		for _, row := range g.Rows {
			if id := (part{row.Def.Case, row.Def.Part}); !seen[id] {
				seen[id] = true
				r.checkRow(row, &sound, &useful)
			}
		}
	}
	return sound, useful
}

func (r Runner) checkRow(row Row, sound *Sound, useful *Useful) {
	if row.Def.Case.of != nil {
		checkEngine(row, sound, useful)
		return
	}
	_, post, _ := judgedAs()
	for _, run := range row.Runs {
		for _, a := range run.Attempts {
			d := classifier.Decide(a.Failure, post, r.Policy)
			own := run.deliveriesOf(a)
			switch {
			case committed(own):
				sound.check(row.ID, a, d)
			case len(own) == 0:
				useful.check(row.ID, d, r.mayPass(a))
			}
		}
	}
}

// deliveriesOf finds what an attempt caused: by its number, where no head
// arrived by its port.
func (run Run) deliveriesOf(a Attempt) []servers.Delivery {
	var own []servers.Delivery
	for _, d := range run.Record.Deliveries {
		byPort := d.Attempt == 0 && !d.WarmUp() && a.Port != 0 && run.Record.Connections[d.Connection-1].Port == a.Port
		if d.Attempt == a.N || byPort {
			own = append(own, d)
		}
	}
	return own
}

func committed(list []servers.Delivery) bool {
	for _, d := range list {
		if d.Committed {
			return true
		}
	}
	return false
}

func resends(v classifier.Verdict) bool {
	return v == classifier.Retry || v == classifier.RetryModified
}

// check enters an attempt of which the ledger shows a committed delivery.
func (s *Sound) check(row string, a Attempt, d classifier.Decision) {
	s.Checked++
	if !resends(d.Verdict) {
		return
	}
	b := Breach{
		Row: row, Attempt: a.N, Verdict: d.Verdict, Basis: a.Basis,
		Why: fmt.Sprintf("judged %s (%s), but the ledger shows the delivery committed", a.Processed, a.Basis),
	}
	if a.Basis == classifier.Claimed {
		s.RefutedClaims = append(s.RefutedClaims, b)
	} else {
		s.Unsafe = append(s.Unsafe, b)
	}
}

// mayPass: the same request would be sent again if it were a GET, so the
// failure is neither deterministic nor the caller's own cancellation.
func (r Runner) mayPass(a Attempt) bool {
	get, _, _ := judgedAs()
	return resends(classifier.Decide(a.Failure, get, r.Policy).Verdict)
}

// check enters an attempt of which no byte of a request reached a server.
func (u *Useful) check(row string, d classifier.Decision, mayPass bool) {
	if !mayPass {
		return
	}
	u.Checked++
	if !resends(d.Verdict) && !u.has(row) {
		u.Withheld = append(u.Withheld, Withheld{Row: row, Reason: string(d.Reason) + ": " + d.Reason.Sentence()})
	}
}

func (u *Useful) has(row string) bool {
	for _, w := range u.Withheld {
		if w.Row == row {
			return true
		}
	}
	return false
}
