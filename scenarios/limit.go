package scenarios

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// caseLimit is the default of Runner.Limit. A child ends childHead earlier, so
// that it can still say what it waits for.
const (
	caseLimit = 30 * time.Second
	childHead = 5 * time.Second
)

// within is a context that ends after limit, with a cause that says so.
func within(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, limit, fmt.Errorf("does not end within %v", limit))
}

// overdue is err with what ended ctx, where a case says only what it waited for.
func overdue(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); err != nil && cause != nil && !errors.Is(err, cause) {
		return fmt.Errorf("%w: %w", cause, err)
	}
	return err
}
