package scenarios

import (
	"context"
	"time"

	"github.com/retry-lab/retry-lab/classifier"
)

// A Runner runs cases side by side.
type Runner struct {
	// Jobs is how many cases run at once; 0 means all of them: most wait.
	Jobs int

	Policy classifier.Policy

	// Normalize replaces what changes from run to run in a cell's text
	// (ports, addresses); nil leaves it.
	Normalize func(text, resolver string) string

	// Progress, if set, is told of every case that starts and ends, one call
	// at a time.
	Progress func(Progress)
}

// Progress is one case's start or end.
type Progress struct {
	Case    string
	Done    bool
	Elapsed time.Duration
}

// Run runs the selected rows, each case once however many rows it has. The
// error is the context's, or the lab's own trouble; what a case met is never
// an error.
func (r Runner) Run(ctx context.Context, sel []Selection) (Result, error) { panic("to write") }

// A Selection is a group and those of its rows that were asked for.
type Selection struct {
	Group    Group
	Rows     []RowDef
	Complete bool
}

// Groups is every table of the lab in the order it is printed.
func Groups() []Group { panic("to write") }

// Select finds groups, rows and globs ("status", "network/refused",
// "network/*-http"); none selects all. An id that matches nothing gives an
// *UnknownID with the nearest ones.
func Select(ids []string) ([]Selection, error) { panic("to write") }

// An UnknownID is an id that names nothing.
type UnknownID struct {
	ID      string
	Nearest []string // at most three
}

func (e *UnknownID) Error() string { return "unknown case or group " + e.ID }
