package cmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/retry-lab/retry-lab/explain"
)

// explainLog finds the failures in a log. What was found is printed also where
// the log ends with an error, or the run with an interrupt.
func (a *app) explainLog(ctx context.Context, name string, o *explainOptions) error {
	reading, stop := context.WithCancel(ctx)
	defer stop()
	in, err := a.openInput(reading, name, o.follow)
	if err != nil {
		return err
	}
	defer in.Close()
	a.started = true
	options := explain.LogOptions{Now: a.lab.now(), Follow: o.follow}
	if tell := a.recordTeller(o); tell != nil {
		options.OnRecord = func(r explain.LogRecord) {
			if err := tell(r); err != nil {
				stop() // nobody would read what follows; a.stdout remembers the error
			}
		}
	}
	status := a.startLogProgress(in, o)
	s, err := explain.Log(reading, in, options)
	status.stop()
	if a.stdout.err != nil {
		return a.stdout.err
	}
	if err != nil && ctx.Err() == nil {
		err = in.broken(errors.Unwrap(err)) // it says "read the log", and so does broken
	}
	if err == nil || s.Records > 0 || ctx.Err() != nil {
		if err := a.printSummary(&s, o.format.value); err != nil {
			return err
		}
	}
	return err
}

// recordTeller prints each failure as it is found, nil where only the summary
// is wanted.
func (a *app) recordTeller(o *explainOptions) func(explain.LogRecord) error {
	switch {
	case o.format.value == "ndjson":
		return func(r explain.LogRecord) error {
			return writeJSON(a.stdout, struct {
				Schema int `json:"schema"`
				explain.LogRecord
			}{explain.Schema, r}, "")
		}
	case o.follow && o.format.value == "table":
		v := view{palette: a.palette(), width: math.MaxInt}
		if isTerminal(a.stdout.w) {
			v.width = a.width()
		}
		return func(r explain.LogRecord) error {
			var b bytes.Buffer
			v.found(&b, &r)
			_, err := a.stdout.Write(b.Bytes())
			return err
		}
	}
	return nil
}

// found prints a failure on one line.
func (v view) found(b *bytes.Buffer, r *explain.LogRecord) {
	x := &r.Answer
	head := fmt.Sprintf("%-19s  %-14s %-9s ", timeText(r.Time, " "), x.Code, x.Phase)
	post := fmt.Sprintf("%-13s", "POST "+string(x.Post))
	room := max(v.width-displayWidth(head)-displayWidth(post)-1, 20)
	b.WriteString(head + v.cell(post[:5]+string(x.Post)) + post[5+len(x.Post):] + " " + ellipsis(safe(r.Text), room) + "\n")
}

// startLogProgress shows on a terminal how much of a log was read, unless what
// is found is shown there.
func (a *app) startLogProgress(in *input, o *explainOptions) *statusLine {
	s := &statusLine{}
	if !isTerminal(a.stderr) || a.dumb() || o.follow || o.format.value == "ndjson" && isTerminal(a.stdout.w) {
		return s
	}
	start := time.Now()
	s.show(a.stderr, widthOf(a.stderr), func() string {
		text := fmt.Sprintf("%.1f s, %s read", time.Since(start).Seconds(), size(in.read.Load()))
		if in.size > 0 {
			text = fmt.Sprintf("%.1f s, %s of %s read", time.Since(start).Seconds(), size(in.read.Load()), size(in.size))
		}
		return text
	})
	return s
}

// size is a number of bytes for a person.
func size(n int64) string {
	switch {
	case n >= 10<<20:
		return fmt.Sprintf("%.0f MiB", float64(n)/(1<<20))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return plural(int(n), "byte")
}

// timeText is a time of a log, - where it has none.
func timeText(t time.Time, between string) string {
	if t.IsZero() {
		return "-"
	}
	return t.Format(time.DateOnly + between + time.TimeOnly)
}
