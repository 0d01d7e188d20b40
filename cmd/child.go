package cmd

import (
	"context"
	"fmt"
	"io"

	"github.com/retry-lab/retry-lab/audit"
	"github.com/retry-lab/retry-lab/scenarios"
)

// child is the whole of a process that a case started to run in: the hidden
// command [scenarios.ChildCommand] with its arguments. It is no command of
// cobra's, because nothing may be opened before it.
func child(ctx context.Context, args []string, stderr io.Writer) int {
	if err := scenarios.RunChild(ctx, args); err != nil {
		fmt.Fprintln(stderr, "retry-lab: "+safe(err.Error())) // the parent reads it
		return exitBroken
	}
	return exitOK
}

// auditChild is the same for a case of an audit.
func auditChild(ctx context.Context, args []string, stderr io.Writer) int {
	if err := audit.RunChild(ctx, args); err != nil {
		fmt.Fprintln(stderr, "retry-lab: "+safe(err.Error())) // the parent reads it
		return exitBroken
	}
	return exitOK
}
