package audit

import (
	"cmp"
	"io"
	"slices"
	"strings"

	"github.com/retry-lab/retry-lab/golden"
)

// group is what a baseline's rows begin with.
const group = "audit"

const verdictColumn = "verdict"

// vocabulary is what a baseline may say.
func vocabulary() golden.Vocabulary {
	var words []string
	for _, v := range Verdicts() {
		words = append(words, string(v))
	}
	return golden.Vocabulary{verdictColumn: {Words: words}}
}

// ReadBaseline reads the verdicts that a client is expected to have, in the
// form of a golden table. The error is a *golden.SyntaxError, or that of r.
func ReadBaseline(name string, r io.Reader) (golden.Table, error) {
	return golden.Parse(name, r, vocabulary())
}

// Baseline is the table of r's verdicts, with the rows of an existing one that
// r does not have, or that agree, as they are there; nil: there is none.
func (r Report) Baseline(existing *golden.Table) (golden.Table, error) {
	t, _, err := golden.Update(existing, r.observed())
	return t, err
}

// observed is r for a comparison.
func (r Report) observed() golden.Run {
	run := golden.Run{Group: group, Title: "verdicts on " + r.Client, Columns: []string{verdictColumn}}
	for _, c := range r.Cases {
		run.Rows = append(run.Rows, golden.Observed{ID: group + "/" + c.ID, Cells: map[string][]string{verdictColumn: {string(c.Verdict)}}})
	}
	return run
}

// Against returns r with what differs from a baseline: as drift what is worse
// or can no longer be asked, and as improved what is better.
func (r Report) Against(t golden.Table) Report {
	r.Drift, r.Improved = []Drift{}, []Drift{}
	for _, d := range golden.Compare(t, r.observed()) {
		diff := Drift{ID: strings.TrimPrefix(d.Row, group+"/"), Want: d.Want, Got: d.Got, File: d.File, Line: d.Line}
		if d.Column == verdictColumn && improved(d.Want, Verdict(d.Got)) {
			r.Improved = append(r.Improved, diff)
		} else {
			r.Drift = append(r.Drift, diff)
		}
	}
	return r
}

// fromBest are the verdicts, for a comparison: what cannot be asked any more is
// no improvement.
var fromBest = []Verdict{Pass, Vacuous, Weak, Harm, Danger, NA}

// improved: got is better than every alternative that was wanted.
func improved(want string, got Verdict) bool {
	for alternative := range strings.SplitSeq(want, " or ") {
		if cmp.Compare(slices.Index(fromBest, got), slices.Index(fromBest, Verdict(alternative))) >= 0 {
			return false
		}
	}
	return true
}
