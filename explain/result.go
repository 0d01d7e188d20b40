package explain

import "github.com/retry-lab/retry-lab/classifier"

// Schema is the version of the JSON form of Result and Summary.
const Schema = 1

// Result is what a text means.
type Result struct {
	Schema  int      `json:"schema"`
	Answers []Answer `json:"answers"`

	// Operation is all records taken together: code, syscall and phase of the
	// last, the worst Processed, the least bold verdicts. nil where the
	// records are of different calls, or where there is none.
	Operation *Operation `json:"operation"`
}

// Recognised tells whether every record was.
func (r *Result) Recognised() bool {
	for i := range r.Answers {
		if r.Answers[i].Code == classifier.Unknown {
			return false
		}
	}
	return len(r.Answers) > 0
}

// Cell is a verdict in one word.
type Cell string

const (
	CellYes      Cell = "yes"      // send it again
	CellWait     Cell = "wait"     // send it again after a pause: load is being limited or shed
	CellModified Cell = "modified" // once, with one named thing changed
	CellNo       Cell = "no"       // do not send it again
	CellUnknown  Cell = "unknown"  // the text does not tell
)

// Certainty is how sure an answer is of its phase.
type Certainty string

const (
	Proved Certainty = "proved" // the text states it
	Likely Certainty = "likely" // usual for this text, not stated
	Open   Certainty = "open"   // the text does not tell
)

// Answer is what one record means. The record's attempts are of one call.
type Answer struct {
	// Range is the record's bytes in the input, half-open.
	Range   [2]int  `json:"text_range"`
	Runtime string  `json:"runtime"`
	Version string  `json:"version"`
	SaidBy  Speaker `json:"said_by"`
	Host    string  `json:"host"`
	Method  string  `json:"method"`

	Code      classifier.Code      `json:"code"`
	Syscall   classifier.Syscall   `json:"syscall"`
	Phase     classifier.Phase     `json:"phase"`
	Processed classifier.Processed `json:"processed"`
	Basis     classifier.Basis     `json:"basis"`
	Certainty Certainty            `json:"certainty"`

	Get     Cell `json:"get"`
	Post    Cell `json:"post"`
	PostKey Cell `json:"post_key"`

	// WaitMS is the wait that the text names; nil where it names none.
	WaitMS *int64 `json:"wait_ms"`

	// Reason is the rule behind Post, see classifier.Reason.
	Reason classifier.Reason `json:"reason"`

	Why        string   `json:"why"`
	Open       string   `json:"open"`
	Settle     string   `json:"settle"`
	OwnRetries string   `json:"own_retries"`
	LabCase    string   `json:"lab_case"`
	Nearest    []string `json:"nearest"`

	// Entry is the ID of the entry that named the failure, empty for UNKNOWN.
	Entry string `json:"-"`
}

// Operation is the outcome of the whole call.
type Operation struct {
	Code      classifier.Code      `json:"code"`
	Syscall   classifier.Syscall   `json:"syscall"`
	Phase     classifier.Phase     `json:"phase"`
	Processed classifier.Processed `json:"processed"`
	Get       Cell                 `json:"get"`
	Post      Cell                 `json:"post"`
	PostKey   Cell                 `json:"post_key"`
	WaitMS    *int64               `json:"wait_ms"`
	Reason    classifier.Reason    `json:"reason"`
}
