package audit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/retry-lab/retry-lab/servers"
)

// schema is the version of the report's JSON form.
const schema = 1

// report grades what was seen.
func (r *run) report() Report {
	rep := Report{
		Schema: schema, Client: r.o.Client, Command: maskAll(r.o.Command), Quick: r.o.Quick, Usable: r.unusable == "",
		Profile: Profile{MedianGaps: []float64{}}, Notes: []string{}, Cases: []Result{}, Broken: []string{}, Drift: []Drift{}, Improved: []Drift{}, Summary: []Counted{},
	}
	for _, c := range r.cases {
		rep.Cases = append(rep.Cases, r.result(c))
	}
	if rep.Usable {
		rep.Profile = profileOf(r.facts, r.pool(caseOf(r.cases, "backoff/shape")))
	}
	rep.Broken = append(rep.Broken, r.broken()...)
	rep.Notes = append(rep.Notes, r.notes()...)
	for _, v := range Verdicts() {
		n := 0
		for _, c := range rep.Cases {
			if c.Verdict == v {
				n++
			}
		}
		if n > 0 {
			rep.Summary = append(rep.Summary, Counted{v, n})
		}
	}
	return rep
}

// notes are what holds for all cases.
func (r *run) notes() []string {
	var list []string
	if r.unusable != "" {
		return []string{"nothing could be asked: " + r.unusable}
	}
	if runs := r.seen["control/fails"]; len(runs) > 0 && !r.facts.ExitTold && runs[0].Exited {
		list = append(list, "the command exits 0 on a 404, so its exit code is not used: make it report failure (curl: -f)")
	}
	if broken := r.broken(); len(broken) > 0 {
		of := r.pool(caseOf(r.cases, broken[0]))
		i := slices.IndexFunc(of, func(o Observation) bool { return o.Broken != "" })
		list = append(list, fmt.Sprintf("%s: %s; %s", broken[0], of[i].Broken,
			plural(len(broken), "case is incomplete for such a reason", "cases are incomplete for such reasons")))
	}
	return list
}

// broken lists the cases with a run that shows nothing, as a note says too.
func (r *run) broken() []string {
	var list []string
	for _, c := range r.cases {
		if slices.ContainsFunc(r.pool(c), func(o Observation) bool { return o.Broken != "" }) {
			list = append(list, c.ID)
		}
	}
	return list
}

// pool is the runs by which a case is graded.
func (r *run) pool(c Case) []Observation {
	if c.Pool == "" {
		return r.seen[c.ID]
	}
	for _, other := range r.cases {
		if runs := r.seen[other.ID]; other.Pool == c.Pool && len(runs) > 0 {
			return runs[:min(len(runs), c.times(r.o.Quick))]
		}
	}
	return nil
}

// result grades one case.
func (r *run) result(c Case) Result {
	res := Result{ID: c.ID, Verdict: NA, Expected: c.Wants, GapsMS: []float64{}, Ledger: []Delivery{}}
	runs := withPauses(r.pool(c), len(c.Variants))
	if len(runs) == 0 || r.unusable != "" && c.ID != "control/ok" {
		res.Observed = "control/ok did not pass: " + r.unusable
		if c.ID == "control/ok" {
			res.Observed, res.Fix = r.unusable, c.Fix
		}
		return res
	}
	g := c.Grade(r.facts, runs)
	if g.Verdict == Pass && c.Control != "" && !r.facts.Retries[c.Control] {
		g.Verdict = Vacuous
		g.Observed += "; control/retries-" + c.Control + " saw no retry"
	}
	res.Verdict, res.Observed, res.Runs, res.Of = g.Verdict, g.Observed, g.Runs, len(runs)
	if g.Runs == 0 {
		res.Runs = len(runs)
	}
	if g.Verdict.Worse(Pass) || g.Verdict == NA && c.ID == "control/ok" {
		res.Fix = g.Fix
		if g.Fix == "" {
			res.Fix = c.Fix
		}
	}
	if res.Of > 1 && res.Runs < res.Of {
		res.Observed = fmt.Sprintf("%d of %d: %s", res.Runs, res.Of, res.Observed)
	}
	res.prove(r.facts, runs[g.Proof])
	return res
}

// prove enters the run that shows the verdict.
func (res *Result) prove(f Facts, o Observation) {
	res.Deliveries, res.Commits, res.Cut = o.Deliveries, o.Commits, o.Cut
	res.KeysSame, res.BodiesSame = true, true
	for _, g := range o.gaps() {
		res.GapsMS = append(res.GapsMS, round(g))
	}
	if o.Exited {
		res.Exit = &o.Exit
	}
	res.Printed = mask(strings.ToValidUTF8(o.Output[:min(len(o.Output), printed)], "�"))
	res.Ledger = append([]Delivery{}, o.Ledger[:min(len(o.Ledger), shownRows)]...) // in JSON a list, never null
	var keys servers.MaskKeys
	body := ""
	for i, k := range kinds(f, o) {
		d := o.Ledger[i]
		res.KeysSame = res.KeysSame && d.Key == o.Ledger[0].Key
		if d.Complete && d.Hop == o.Ledger[0].Hop {
			if body == "" {
				body = d.BodySHA256
			}
			res.BodiesSame = res.BodiesSame && d.BodySHA256 == body
		}
		if i < len(res.Ledger) {
			res.Ledger[i].Kind = k
			res.Ledger[i].Key = keys.Mask(d.Key)
		}
	}
	if len(o.Ledger) > 0 {
		res.Reused = o.Ledger[0].Reused
	}
	all := slices.Clone(o.Ledger)
	for i, k := range kinds(f, o) {
		all[i].Kind = k
	}
	res.Counts = countKinds(all)
}

// What a result shows of a run.
const (
	printed   = 400 // bytes
	shownRows = 20
)

// profileOf says how the policy looked in runs that always fail.
func profileOf(f Facts, runs []Observation) Profile {
	p := Profile{StartMS: round(f.StartMS), HTTP2: f.H2, MedianGaps: []float64{}}
	if len(runs) == 0 {
		return p
	}
	first := firstGaps(runs)
	p.Deliveries, p.Bounded = runs[0].Deliveries, true
	for _, o := range runs {
		p.Bounded = p.Bounded && o.Exited
	}
	for _, m := range medianGaps(runs) {
		p.MedianGaps = append(p.MedianGaps, round(m))
		p.CapMS = max(p.CapMS, round(m))
	}
	if len(first) > 0 && median(first) > 0 {
		p.Jitter = round(2 * spread(first) / median(first))
	}
	if len(p.MedianGaps) > 1 && p.MedianGaps[0] > 0 {
		p.Growth = round(p.MedianGaps[1] / p.MedianGaps[0])
	}
	return p
}
