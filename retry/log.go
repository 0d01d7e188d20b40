package retry

import (
	"context"
	"log/slog"

	"github.com/retry-lab/retry-lab/classifier"
)

// announce tells of an attempt that is tried again, before the wait.
func (c *call) announce() {
	c.logLast()
	if c.p.OnRetry != nil {
		c.p.OnRetry(Event{Method: methodOf(c.in.Method), URL: c.url(), Attempt: *c.newest()})
	}
}

// logLast writes the record of the last attempt.
func (c *call) logLast() {
	if c.p.Logger == nil || len(c.attempts) == 0 {
		return
	}
	logAttempt(c.in.Context(), c.p.Logger, c.newest(), slog.String("method", methodOf(c.in.Method)), slog.String("url", c.url()))
}

// logAttempt writes one record: what was tried, what happened, what is next.
func logAttempt(ctx context.Context, l *slog.Logger, a *Attempt, what ...slog.Attr) {
	level, text := slog.LevelWarn, "attempt failed"
	switch {
	case a.Verdict == classifier.Done:
		level, text = slog.LevelDebug, "attempt succeeded"
	case a.Verdict == classifier.Retry || a.Verdict == classifier.RetryModified:
		level, text = slog.LevelInfo, "attempt failed, trying again"
	}
	if !l.Enabled(ctx, level) {
		return
	}
	attrs := append(what,
		slog.Int("attempt", a.N),
		slog.Duration("duration", a.Duration),
		slog.String("code", string(a.Code)),
		slog.Int("status", a.Status),
		slog.String("phase", string(a.Phase)),
		slog.String("processed", string(a.Processed)),
		slog.String("verdict", string(a.Verdict)),
		slog.String("reason", string(a.Reason)),
		slog.Duration("wait", a.Wait),
		slog.Bool("reused", a.Reused),
	)
	if a.Err != nil {
		attrs = append(attrs, slog.String("error", a.Err.Error()))
	}
	l.LogAttrs(ctx, level, text, attrs...)
}
