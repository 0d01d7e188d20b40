package scenarios

import (
	"context"
	"errors"
	"time"

	"github.com/retry-lab/retry-lab/classifier"
	"github.com/retry-lab/retry-lab/servers"
	"github.com/retry-lab/retry-lab/trace"
)

// A wireRun is a Run on its way from a child process, in JSON. The results'
// own JSON leaves some fields out; here every field crosses, the instants by
// the wall clock, which both processes share. Each type has the fields of the
// one that it embeds, and over them those that its JSON leaves out or cannot
// hold.
type wireRun struct {
	Run
	Attempts        []wireAttempt
	Record, Gateway wireRecord
}

type wireAttempt struct {
	Attempt
	Failure  wireFailure
	Untraced wireFailure
	Evidence wireEvidence
	Events   []trace.Event
	Printed  string
	Port     int
	Resolver string
	Step     *Step
}

type wireFailure struct {
	classifier.Failure
	Wait time.Duration
}

type wireEvidence struct {
	classifier.Evidence
	Request               *classifier.SentRequest
	ContextErr, CallerErr string
}

type wireRecord struct {
	servers.Record
	Deliveries []wireDelivery
}

type wireDelivery struct {
	servers.Delivery
	At, CommittedAt, AnsweredAt, EndedAt time.Time
	HeadBytes                            int
}

func wireOf(r Run) wireRun {
	w := wireRun{
		Run: r, Attempts: make([]wireAttempt, len(r.Attempts)),
		Record: wireOfRecord(r.Record), Gateway: wireOfRecord(r.Gateway),
	}
	for i, a := range r.Attempts {
		w.Attempts[i] = wireAttempt{
			Attempt: a, Failure: wireFailure{a.Failure, a.Failure.Server.Wait},
			Untraced: wireFailure{a.Untraced, a.Untraced.Server.Wait},
			Evidence: wireEvidence{a.Evidence, a.Evidence.Request, text(a.Evidence.ContextErr), text(a.Evidence.CallerErr)},
			Events:   a.Events, Printed: a.Printed, Port: a.Port, Resolver: a.Resolver, Step: a.Step,
		}
	}
	return w
}

func wireOfRecord(r servers.Record) wireRecord {
	w := wireRecord{Record: r, Deliveries: make([]wireDelivery, len(r.Deliveries))}
	for i, d := range r.Deliveries {
		w.Deliveries[i] = wireDelivery{d, d.At, d.CommittedAt, d.AnsweredAt, d.EndedAt, d.HeadBytes}
	}
	return w
}

// run is what wireOf was given.
func (w wireRun) run() Run {
	r := w.Run
	r.Attempts = make([]Attempt, len(w.Attempts))
	for i, a := range w.Attempts {
		r.Attempts[i] = a.attempt()
	}
	r.Record, r.Gateway = w.Record.record(), w.Gateway.record()
	return r
}

func (w wireAttempt) attempt() Attempt {
	a := w.Attempt
	a.Failure, a.Failure.Server.Wait = w.Failure.Failure, w.Failure.Wait
	a.Untraced, a.Untraced.Server.Wait = w.Untraced.Failure, w.Untraced.Wait
	a.Evidence, a.Evidence.Request = w.Evidence.Evidence, w.Evidence.Request
	a.Evidence.ContextErr, a.Evidence.CallerErr = contextError(w.Evidence.ContextErr), contextError(w.Evidence.CallerErr)
	a.Events, a.Printed, a.Port, a.Resolver, a.Step = w.Events, w.Printed, w.Port, w.Resolver, w.Step
	return a
}

func (w wireRecord) record() servers.Record {
	r := w.Record
	r.Deliveries = make([]servers.Delivery, len(w.Deliveries))
	for i, d := range w.Deliveries {
		r.Deliveries[i] = d.Delivery
		to := &r.Deliveries[i]
		to.At, to.CommittedAt, to.AnsweredAt, to.EndedAt = d.At, d.CommittedAt, d.AnsweredAt, d.EndedAt
		to.HeadBytes = d.HeadBytes
	}
	return r
}

// text is an error's; empty for none.
func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// contextError is why a context ended, by its text.
func contextError(text string) error {
	for _, err := range []error{context.DeadlineExceeded, context.Canceled} {
		if text == err.Error() {
			return err
		}
	}
	if text == "" {
		return nil
	}
	return errors.New(text)
}
