package retry

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/retry-lab/retry-lab/classifier"
	"github.com/retry-lab/retry-lab/trace"
)

// An Op says what [Do] needs to know of a function. The zero Op is a bare
// write: only what was provably never sent, or marked with [Safe], is tried
// again.
type Op struct {
	// Idempotent: doing it twice has the effect of doing it once. Key: every
	// try carries the same idempotency key, which the server honours. With
	// either of them, every error is tried again that may pass.
	Idempotent, Key bool

	// Name stands for the operation in errors, logs and reports; may be empty.
	Name string
}

// Do calls fn, and again as the policy has it, until it returns nil. attempt
// counts from 1. ctx ends the operation, also in a wait, and where it has ended
// before, fn is not called; fn gets one below it, with AttemptTimeout. HTTP requests that fn makes with that context are
// watched, so that an error of net/http is judged as by a [Transport]; but
// net/http's own replays are not switched off.
//
// What is marked with [Permanent] is not tried again, nor is a failure that a
// policy below, an [Error], has given up on. An error that means nothing to
// package classifier is tried again only if op says that this is harmless. The
// parts of the policy that are about requests and answers are not used. For
// the error that is returned see [Error].
func Do(ctx context.Context, p Policy, op Op, fn func(ctx context.Context, attempt int) error) error {
	if err := p.Validate(); err != nil {
		return fmt.Errorf("retry: %w", err)
	}
	if d := p.Deadline; d > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, d)
		defer cancel()
	}
	d := doing{ctx: ctx, op: op, operation: newOperation(ctx, &p)}
	d.history = &history{}
	d.report.Name = op.Name
	if p.Budget.Store != nil {
		d.budgets = &budgets{}
	}
	if err := ctx.Err(); err != nil {
		return d.interrupted(err)
	}
	for {
		decision, err := d.attempt(fn)
		if !tryAgain(decision) {
			return d.finish(decision, err)
		}
		if p.OnRetry != nil {
			p.OnRetry(Event{Name: op.Name, Attempt: *d.newest()})
		}
		if err := d.pause(ctx, decision.Wait); err != nil {
			return d.interrupted(err)
		}
	}
}

// doing is one call of Do.
type doing struct {
	operation
	ctx    context.Context
	op     Op
	report Report
}

// attempt calls fn once, and judges what came of it.
func (d *doing) attempt(fn func(context.Context, int) error) (classifier.Decision, error) {
	d.n++
	ctx := d.ctx
	if d.p.AttemptTimeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, d.p.AttemptTimeout)
		defer cancel()
	}
	a := Attempt{N: d.n, Start: d.p.now(), Verdict: classifier.Done, Reason: classifier.Success, Processed: classifier.Yes, Basis: classifier.Claimed}
	if d.n == 1 && d.budgets != nil {
		d.budgets.request(&d.p.Budget, nil, a.Start)
	}
	rec := &trace.Attempt{N: d.n, Start: a.Start}
	marks, err := marksOf(fn(rec.Context(ctx), d.n))
	a.Duration = d.p.now().Sub(a.Start)
	decision := classifier.Decision{Verdict: a.Verdict, Reason: a.Reason}
	if err != nil {
		f := d.failure(err, marks, rec.End(d.ctx, ctx))
		decision = d.decision(f, err, marks)
		a.Code, a.Syscall, a.Phase = f.Code, f.Syscall, f.Phase
		a.Processed, a.Basis, a.Err = f.Processed, f.Basis, err
		a.Verdict, a.Reason, a.Wait = decision.Verdict, decision.Reason, decision.Wait
	}
	d.note(a.Processed, a.Basis)
	d.doubt = d.doubt || a.Processed != classifier.Never
	d.attempts = append(d.attempts, a)
	if d.p.Logger != nil {
		logAttempt(d.ctx, d.p.Logger, d.newest(), slog.String("name", d.op.Name))
	}
	return decision, err
}

// failure is what an error of fn means.
func (d *doing) failure(err error, m mark, ev classifier.Evidence) classifier.Failure {
	f := classifier.FromError(err, ev)
	if m.safe {
		f.Processed, f.Basis = classifier.Never, classifier.Claimed
	}
	if m.after {
		f.Server.Wait, f.Server.HasWait = m.wait, true
	}
	return f
}

// decision is the policy's, with the rules of Do on top.
func (d *doing) decision(f classifier.Failure, err error, m mark) classifier.Decision {
	if below, ok := errors.AsType[*Error](err); ok && !m.safe {
		return classifier.Decision{Verdict: verdictBelow(below), Reason: TriedBelow}
	}
	r := classifier.Request{
		Method: "POST", Key: d.op.Key, KeyHonoured: d.op.Key, BodyReplayable: true, AfterMaybe: d.doubt,
	}
	if d.op.Idempotent {
		r.Method = "PUT"
	}
	c := d.p.decideMarked(f, r, m)
	if c.Reason == classifier.NotRecognised && (d.op.Idempotent || d.op.Key) && !m.permanent {
		c = d.p.allow(&f, &r, c)
	}
	switch {
	case c.Reason == classifier.IdempotentMethod || c.Reason == PolicyAllows && d.op.Idempotent:
		c.Reason = SaidIdempotent
	case c.Reason == PolicyAllows && d.op.Key:
		c.Reason = classifier.IdempotencyKey
	}
	return d.worth(d.ctx, c, steady)
}

// verdictBelow is the last word of a policy that fn has used itself.
func verdictBelow(e *Error) classifier.Verdict {
	if e.Code == CodeAmbiguous {
		return classifier.Ambiguous
	}
	return classifier.Fail
}

// interrupted is the end of Do in a wait, or before its first attempt.
func (d *doing) interrupted(err error) error {
	return d.finish(brokenOff(d.ctx, err))
}

// finish writes the report and returns what Do returns.
func (d *doing) finish(last classifier.Decision, err error) error {
	r := &d.report
	r.Attempts = d.attempts
	r.Elapsed = d.elapsed()
	r.Verdict, r.Reason = last.Verdict, last.Reason
	if d.n == 0 {
		d.note(classifier.Never, classifier.Guaranteed)
	}
	r.Processed, r.Basis = d.processed, d.basis
	if d.p.OnDone != nil {
		d.p.OnDone(*r)
	}
	switch {
	case last.Verdict == classifier.Done:
		return nil
	case d.n == 1 && (last.Verdict == classifier.Fail || last.Verdict == classifier.Ambiguous):
		return err
	}
	return newError(last, *r, err)
}
