package audit

import (
	"context"
	"slices"
)

// moreRounds is how often more the herd runs at most where its spread may be the
// machine's.
const moreRounds = 4

// calm runs the herd again while its clients come back nearly together: a busy
// machine makes single ones late, and so looks like jitter, but nothing makes
// one early. Of all rounds the closest counts, which jitter keeps apart in each.
func (r *run) calm(ctx context.Context) {
	i := slices.IndexFunc(r.cases, func(c Case) bool { return c.Pool == failing }) // which holds the runs
	if i < 0 || caseOf(r.cases, failing).ID == "" {
		return
	}
	c := r.cases[i]
	for range moreRounds {
		before := r.swap(c.ID, nil)
		if !doubtful(before) || ctx.Err() != nil {
			return
		}
		r.swap(c.ID, slices.Clone(before))
		r.expect(len(before) - medianRuns)
		var turns []turn
		for n := medianRuns; n < len(before); n++ { // those that end when they have come back
			turns = append(turns, turn{c, n})
		}
		r.beside(ctx, turns, func() {})
		if !closer(r.swap(c.ID, nil), before) {
			r.swap(c.ID, before)
		}
	}
}

// closer: the second attempts of runs came closer together than those of others.
func closer(runs, others []Observation) bool {
	first := firstGaps(runs)
	return len(first)*2 >= len(runs) && spread(first) < spread(firstGaps(others))
}

// expect enters that there are so many runs more.
func (r *run) expect(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.of += n
}

// swap gives the runs of a case, and puts others in their place; nil: none.
func (r *run) swap(id string, others []Observation) []Observation {
	r.mu.Lock()
	defer r.mu.Unlock()
	runs := r.seen[id]
	if others != nil {
		r.seen[id] = others
	}
	return runs
}

// doubtful: the second attempts are further apart than those of clients without
// jitter on a calm machine, and may be closer than those of others.
func doubtful(runs []Observation) bool {
	first := firstGaps(runs)
	if len(first)*2 < len(runs) || len(runs) <= medianRuns || hurries(runs) || steady(runs[:medianRuns]) {
		return false // there is nothing to doubt
	}
	width, limit := spread(first), together(median(first))
	return width > limit && width <= 3*limit
}

// together is the widest spread of second attempts that came at the same time,
// where half of them came after mid milliseconds.
func together(mid float64) float64 { return max(mid/20, minGap/2) }
