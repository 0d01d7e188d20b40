package scenarios

import (
	"context"
	"time"

	"github.com/retry-lab/retry-lab/classifier"
	"github.com/retry-lab/retry-lab/servers"
)

// A Case is one fault and the request that meets it. Definitions are never
// written to; a run returns new values.
type Case struct {
	ID     string // of its own group: "connect/refused"
	Title  string // what happens, in one line
	Source string // RFC section, errno page or measured fact

	// Pair is the row with the same error text or errno and the opposite truth;
	// empty where there is none.
	Pair string

	// Needs says what the machine must have, in words for `list`. It is not
	// what decides a skip: Run tries, and returns Skip with what failed.
	Needs string

	// Bounds are the physics of numeric columns, lowest and highest: a value
	// within them is what the fault makes, whatever a quiet machine showed on
	// the day. A golden table records them in place of the narrower range seen,
	// and never a value outside.
	Bounds map[string][2]int

	// Waits is about how long the case waits for a clock or the kernel, so that
	// it is started before those that do not; zero means that it only works.
	Waits time.Duration

	// Runs is how often a racy case is repeated; 0 means once.
	Runs int

	// Part names the row that one run of a racy case belongs to, from what was
	// seen; nil where the case has one row.
	Part func(Run) string

	// Run makes the fault, sends the request, closes, and returns both sides.
	// A *Skip error says why this machine cannot; any other error means that
	// the lab itself broke.
	Run func(ctx context.Context, e *Env) (Run, error)

	// ByEngine is what the engine has to know to meet the fault as well.
	ByEngine Terms

	// Sums, in place of Run, makes the row's cells out of the other rows of its
	// group; who selects such a row selects them all.
	Sums func([]Row) map[string]string

	// of is the case whose fault the engine meets here; nil where it is another
	// client's.
	of *Case

	// inner is what Run lets a child process do; nil where the case needs none.
	inner inner
}

// A Run is what one run of a case saw.
type Run struct {
	Attempts []Attempt
	Record   servers.Record

	// Gateway is the ledger of a gateway in front of the server whose ledger is
	// Record; empty where there is none. It is kept apart because a request that
	// has reached the gateway alone has reached nobody who could act on it.
	Gateway servers.Record

	// Missed: the engine gave up on what was provably never sent and may pass.
	Missed bool

	// Cells holds the case's own columns (charges, elapsed_ms, …); the common
	// ones are computed from Attempts and Record.
	Cells map[string]string
}

// A Skip says why this machine cannot run a case.
type Skip struct{ Why string }

func (s *Skip) Error() string { return "skipped: " + s.Why }

// A Group is a table: columns, and rows that are cases or parts of cases.
type Group struct {
	ID      string
	Title   string
	Source  string
	Columns []Column
	Rows    []RowDef

	// OnRequest: the group runs only where an id names it.
	OnRequest bool
}

// A RowDef is a row of a group: a case under an id of the group's own.
type RowDef struct {
	ID   string
	Case *Case
	Part string // the part of a split case; empty otherwise
}

// A Column is one cell of every row of a group.
type Column struct {
	Name string

	// Meaning is what a cell says, in one line.
	Meaning string

	// Words is the closed vocabulary; nil means free text.
	Words []string

	// Numeric: integers, so that several runs make a range.
	Numeric bool

	// Largest: of several runs the cell shows the largest number alone.
	Largest bool
}

// rows makes the rows of a group whose ids are its cases' own.
func rows(cases ...*Case) []RowDef {
	defs := make([]RowDef, len(cases))
	for i, c := range cases {
		defs[i] = RowDef{ID: c.ID, Case: c}
	}
	return defs
}

// judgedAs are the three requests that every row is judged as.
func judgedAs() (get, post, postKey classifier.Request) {
	get = classifier.Request{Method: "GET", BodyReplayable: true}
	post = classifier.Request{Method: "POST", BodyReplayable: true}
	postKey = classifier.Request{Method: "POST", BodyReplayable: true, Key: true, KeyHonoured: true}
	return get, post, postKey
}
