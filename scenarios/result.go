package scenarios

import (
	"github.com/retry-lab/retry-lab/classifier"
	"github.com/retry-lab/retry-lab/servers"
	"github.com/retry-lab/retry-lab/trace"
)

// A Result is a whole run.
type Result struct {
	Groups    []GroupResult
	Sound     Sound
	Useful    Useful
	ElapsedMS float64
}

// A GroupResult is a group's rows in the order of its definition.
type GroupResult struct {
	Group     Group
	Complete  bool // every row was selected
	ElapsedMS float64
	Rows      []Row
}

// A Row is what a run of a case showed, ready to compare and to print.
type Row struct {
	ID      string `json:"id"`
	Skipped string `json:"skipped,omitempty"` // why; empty: it ran
	NotSeen bool   `json:"not_seen,omitempty"`

	// Cells has one text a column; several values of a racy case are joined
	// by " or ". Seen counts the values of each column.
	Cells map[string]string         `json:"cells"`
	Seen  map[string]map[string]int `json:"seen,omitempty"`

	Verdicts *Verdicts          `json:"verdicts,omitempty"`
	Attempts []Attempt          `json:"attempts"`
	Ledger   []servers.Delivery `json:"ledger"`

	// Def is the definition behind the row; Runs is what each run saw.
	Def  RowDef `json:"-"`
	Runs []Run  `json:"-"`
}

// Verdicts are the full decisions behind the cells get, post and post_key.
type Verdicts struct {
	Get     Verdict `json:"get"`
	Post    Verdict `json:"post"`
	PostKey Verdict `json:"post_key"`
}

// A Verdict is a classifier.Decision in the JSON contract's words.
type Verdict struct {
	Verdict classifier.Verdict      `json:"verdict"`
	Reason  classifier.Reason       `json:"reason"`
	Modify  classifier.Modification `json:"modify,omitempty"`
	WaitMS  float64                 `json:"wait_ms"`
}

// An Attempt is one try of the client's policy.
type Attempt struct {
	N         int                  `json:"n"`
	StartedMS float64              `json:"started_ms"`
	EndedMS   float64              `json:"ended_ms"`
	Method    string               `json:"method"`
	Key       bool                 `json:"key"`
	Code      classifier.Code      `json:"code"`
	Syscall   classifier.Syscall   `json:"syscall"`
	Phase     classifier.Phase     `json:"phase"`
	Processed classifier.Processed `json:"processed"`
	Basis     classifier.Basis     `json:"basis"`
	Status    int                  `json:"status"`
	WaitMS    float64              `json:"wait_ms"` // the server's; 0 where it named none
	Reused    bool                 `json:"reused"`
	Message   string               `json:"message"` // the error's whole text, or the status line

	Failure  classifier.Failure  `json:"-"`
	Step     *Step               `json:"-"` // set where the engine made the attempt
	Untraced classifier.Failure  `json:"-"` // what the same error means without a trace
	Evidence classifier.Evidence `json:"-"`
	Events   []trace.Event       `json:"-"` // the attempt's own timeline
	Printed  string              `json:"-"` // the error as a program that calls the client prints it: the message behind method and URL
	Port     int                 `json:"-"` // the client's local port; 0: never connected
	Resolver string              `json:"-"` // the server that a lookup's error names, to be normalised
}

// Sound is the lab's first invariant: no verdict allowed a bare POST again
// that the ledger shows committed.
type Sound struct {
	Checked       int      `json:"checked"` // attempts that caused a committed delivery
	Unsafe        []Breach `json:"unsafe"`
	RefutedClaims []Breach `json:"refuted_claims"`
}

// A Breach is an attempt whose verdict the ledger contradicts.
type Breach struct {
	Row     string             `json:"row"`
	Attempt int                `json:"attempt"`
	Verdict classifier.Verdict `json:"verdict"`
	Basis   classifier.Basis   `json:"basis"`
	Why     string             `json:"why"`
}

// Useful is the second: where nothing reached a server and the failure may
// pass, a bare POST may be sent again.
type Useful struct {
	Checked  int        `json:"checked"`
	Withheld []Withheld `json:"withheld"`
}

// A Withheld is a row whose caution the ledger shows to be needless, with what
// the client could not know.
type Withheld struct {
	Row    string `json:"row"`
	Reason string `json:"reason"`
}
