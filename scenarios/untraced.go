package scenarios

import (
	"strings"

	"github.com/retry-lab/retry-lab/classifier"
)

// refuted ends the column untraced of a row whose ledger proves the verdict
// wrong that the error alone leads to.
const refuted = "refuted"

// untraced is what a client without a trace knows besides the error: its own
// request, and whether it holds an answer whose body it was reading.
func untraced(r *classifier.SentRequest, answered bool) classifier.Evidence {
	return classifier.Evidence{Request: r, Answered: answered}
}

// untracedCell is the judgement without a trace: phase, processed, and whether
// a bare POST may be sent again.
func untracedCell(j judged) string {
	f := j.attempt.Untraced
	words := []string{string(f.Phase), string(f.Processed), Cell(j.untraced.Verdict)}
	if resends(j.untraced.Verdict) && committed(j.run.deliveriesOf(j.attempt)) {
		words = append(words, refuted)
	}
	return strings.Join(words, ", ")
}
