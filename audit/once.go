package audit

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/retry-lab/retry-lab/netns"
	"github.com/retry-lab/retry-lab/servers"
)

// try runs a case once, and again where the machine was too slow to show
// anything.
func (l *lab) try(ctx context.Context, c Case, run int, sent func()) Observation {
	o := l.where(ctx, c, run, sent)
	for again := 0; again < 2 && l.start > 0 && ctx.Err() == nil && tooSlow(c, o, l.start); again++ {
		o = l.where(ctx, c, run, sent)
	}
	return o
}

// where runs a case once, in a network of its own where it is about the network
// and this machine allows that.
func (l *lab) where(ctx context.Context, c Case, run int, sent func()) Observation {
	if (c.Where == Refused || c.Where == Backlog || c.Where == NoName) && !l.o.NoNetns && !l.o.Persistent {
		started := time.AfterFunc(l.start+startTime, sent) // nobody hears of its first request
		o, err := l.apart(ctx, c, run)
		started.Stop()
		if err == nil {
			return o
		}
		if _, ok := errors.AsType[*netns.Unavailable](err); !ok {
			return Observation{Case: c.ID, Run: run, Sent: l.request(c), Broken: broken(err), FirstMS: -1}
		}
	}
	return l.once(ctx, c, run, sent)
}

// tooSlow: the machine was, so that the run shows nothing. The command's
// time-out or the cut had passed before it could send, or the server's date
// when it was answered.
func tooSlow(c Case, o Observation, start time.Duration) bool {
	if (c.Where == Plain || c.Where == OverH2) && o.Deliveries == 0 {
		return o.Exited || o.Cut && o.WarmUps == 0
	}
	return o.startedLate(float64(start.Milliseconds())) || o.dateMissed()
}

// once runs a case once. sent is called when the command has been heard of, or
// will not be any more.
func (l *lab) once(ctx context.Context, c Case, run int, sent func()) Observation {
	o := Observation{Case: c.ID, Run: run, Sent: l.request(c), BodySum: l.sums[c.Request.Body], FirstMS: -1,
		CutMS: float64(l.cut.Milliseconds())}
	if err := l.observe(ctx, c, &o, sent); err != nil {
		o.Broken = broken(err)
	}
	return o
}

// broken says why a run shows nothing.
func broken(err error) string {
	if _, ok := errors.AsType[*notStartedError](err); ok {
		return err.Error()
	}
	return "the lab could not run it: " + err.Error()
}

func (l *lab) observe(ctx context.Context, c Case, o *Observation, sent func()) (err error) {
	s, err := l.open(c, o.Run)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	sub, err := l.ask(ctx, l.order(c, o.Run, s))
	if err != nil {
		return err
	}
	w := watch{lab: l, case_: c, site: s, subject: sub, sent: sent}
	watched := w.until(ctx, o)
	if err := errors.Join(watched, sub.stop(ctx, o.Exited), ctx.Err()); err != nil {
		return err
	}
	if o.Exited {
		o.Exit = sub.exit()
	}
	if s.origin != nil {
		if err := s.settle(ctx, sub.stays()); err != nil {
			return err
		}
		o.Connections = s.connections()
	}
	if l.inside != nil {
		if err := l.inside.drain(ctx); err != nil {
			return err
		}
	}
	if err := s.close(); err != nil { // joins every delivery
		return err
	}
	l.record(o, s, sub)
	return nil
}

// record enters what the servers saw and the command printed.
func (l *lab) record(o *Observation, s *site, sub subject) {
	ms := func(at time.Time) float64 {
		if at.IsZero() {
			return -1
		}
		return float64(at.Sub(sub.began()).Microseconds()) / 1000
	}
	o.EndedMS = ms(sub.endedAt())
	o.Ledger, o.Tokens = s.ledger(ms)
	for _, call := range s.calls {
		r := call.Record()
		o.Deliveries += r.Deliveries
		o.Commits += r.Commits
		o.WarmUps += r.WarmUps
	}
	if len(o.Ledger) > 0 {
		o.FirstMS = o.Ledger[0].AtMS
	}
	if l.inside != nil {
		l.inside.record(o, s, sub, ms)
	}
	if !s.waitUntil.IsZero() {
		o.WaitUntilMS = ms(s.waitUntil)
	}
	o.Output, o.Printed = sub.text()
}

// ledger lists the deliveries to all calls, in order, warm-ups left out, and
// their tokens.
func (s *site) ledger(ms func(time.Time) float64) ([]Delivery, []string) {
	list := []Delivery{}
	token := map[[2]int]string{} // by hop and number there
	for hop, call := range s.calls {
		for _, d := range call.Record().Ledger {
			if !d.Warm {
				list = append(list, entry(hop, d, ms))
				token[[2]int{hop, d.N}] = d.Token
			}
		}
	}
	slices.SortStableFunc(list, func(a, b Delivery) int { return cmp.Compare(a.AtMS, b.AtMS) })
	tokens := make([]string, len(list))
	for i, d := range list {
		tokens[i] = token[[2]int{d.Hop, d.N}]
		list[i].N = i + 1
	}
	return list, tokens
}

func entry(hop int, d servers.CallDelivery, ms func(time.Time) float64) Delivery {
	return Delivery{
		N: d.N, Hop: hop, AtMS: ms(d.At), AnsweredMS: ms(d.AnsweredAt), EndedMS: ms(d.EndedAt),
		Connection: d.Connection, Reused: d.Reused, Proto: d.Proto, Method: d.Method, Key: d.Key,
		BodyBytes: d.BodyBytes, BodySHA256: d.BodySHA256, Complete: d.Complete, Committed: d.Committed,
		Fault: d.Fault, Answered: d.Answered, AnsweredAll: d.AnswerComplete, Ended: d.Ended,
	}
}
