package retry

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/retry-lab/retry-lab/classifier"
	"github.com/retry-lab/retry-lab/trace"
)

// judge says what an attempt's end means and what is done next, and enters
// both. It takes the engine's own marks off err.
func (c *call) judge(t *try, resp *http.Response, err *error) classifier.Decision {
	c.remember()
	c.took = c.elapsed()
	now := c.start.Add(c.took)
	ev := t.rec.End(c.in.Context(), t.timeout)
	marks, plain := marksOf(*err)
	*err = plain
	var f classifier.Failure
	if plain != nil {
		ev.Answered = resp != nil // and its body broke off
		f = c.failure(t, plain, &ev)
		if resp != nil {
			f.Status = resp.StatusCode
		}
		if marks.safe {
			f.Processed, f.Basis = classifier.Never, classifier.Claimed
		}
		if marks.after {
			f.Server.Wait, f.Server.HasWait = marks.wait, true
		}
	} else {
		f = c.answer(resp, now, &ev)
	}
	d := c.decision(resp, plain, &f, marks, paceAfter(plain, &f, &ev))
	c.note(f.Processed, f.Basis)
	c.doubt = c.doubt || f.Processed != classifier.Never
	c.enter(Attempt{
		N: c.n, Start: t.rec.Start, Duration: now.Sub(t.rec.Start),
		Code: f.Code, Syscall: f.Syscall, Phase: f.Phase, Status: f.Status,
		Processed: f.Processed, Basis: f.Basis, Err: plain,
		Verdict: d.Verdict, Reason: d.Reason, Modify: d.Modify, Wait: d.Wait,
		Reused: ev.Reused, Replays: replays(&ev),
	})
	return d
}

// paceAfter: where a kept connection had gone stale, and where net/http would
// have sent the request again by itself, it is the policy that does so, once,
// as soon as net/http would have. Over HTTP/2 and a sound connection that is
// mostly a stream too many, of which the server is not to blame.
func paceAfter(err error, f *classifier.Failure, ev *classifier.Evidence) pace {
	lost, replay := err.(*lostError)
	switch {
	case replay && lost.err == errAgain:
		return free
	case replay:
		return prompt
	case ev.Reused && f.Phase == classifier.PhaseWrite && f.Processed == classifier.Never && f.Basis == classifier.Guaranteed:
		return prompt
	}
	return steady
}

// local: the failure was this machine's, or this client's, so that no server
// had the request to bear.
func local(f *classifier.Failure, d classifier.Decision) bool {
	return f.Phase == classifier.PhasePool || d.Reason == classifier.LocalResource || d.Reason == MarkedHalt
}

// replays counts what the transport sent again by itself.
func replays(ev *classifier.Evidence) int {
	if !ev.Exposed {
		return 0
	}
	return max(ev.Acquisitions-1, 1)
}

// failure is what an error means.
func (c *call) failure(t *try, err error, ev *classifier.Evidence) classifier.Failure {
	if _, ok := err.(*bodyError); ok {
		return classifier.Failure{
			Code: classifier.InvalidRequest, Phase: classifier.PhasePrepare,
			Processed: classifier.Never, Basis: classifier.Guaranteed,
		}
	}
	ev.Request = trace.Sent(&t.req)
	f := classifier.FromError(err, *ev)
	if lost, ok := err.(*lostError); ok && lost.unsent && !ev.Exposed {
		f.Phase, f.Processed, f.Basis = classifier.PhaseWrite, classifier.Never, classifier.Guaranteed
	}
	return f
}

// answer is what a response means.
func (c *call) answer(resp *http.Response, now time.Time, ev *classifier.Evidence) classifier.Failure {
	r := classifier.Response{Status: resp.StatusCode, Header: resp.Header, Received: now, Earlier: ev.Earlier()}
	if resp.StatusCode == http.StatusConflict && c.keyed() {
		r.Body = peek(resp)
	}
	f := classifier.FromResponse(r)
	if c.p.Key != nil && c.p.Key.StoresErrors && resp.StatusCode >= 500 && c.keyed() {
		f.Server.Veto = true // the same key would get the same answer
	}
	if c.p.doubts(&f) {
		f.Processed, f.Basis = classifier.Maybe, classifier.Assumed
	}
	return f
}

// decision is the policy's, with the engine's own reasons on top.
func (c *call) decision(resp *http.Response, err error, f *classifier.Failure, m mark, p pace) classifier.Decision {
	r := classifier.Request{
		Method: c.method, Key: c.keyed(), KeyHonoured: c.keyed(),
		BodyReplayable: c.body.replayable(), AfterMaybe: c.doubt, Tried: c.tried,
	}
	if b, ok := err.(*bodyError); ok {
		return c.noBody(b)
	}
	if below, ok := errors.AsType[*Error](err); ok && !m.safe {
		return classifier.Decision{Verdict: verdictBelow(below), Reason: TriedBelow}
	}
	d := c.p.decideMarked(*f, r, m)
	if d.Reason == classifier.CallerCanceled && expired(c.ctx) {
		d.Reason = PastDeadline
	}
	if c.n == 1 && !local(f, d) {
		c.budgets.request(&c.p.Budget, c.target, c.start.Add(c.took))
	}
	if d.Reason == classifier.IdempotentMethod && c.said {
		d.Reason = SaidIdempotent
	}
	if f.Status == http.StatusUnauthorized && f.Phase == classifier.PhaseAnswered && d.Verdict == classifier.Fail {
		return c.refresh(resp, f, d)
	}
	if !tryAgain(d) {
		return d
	}
	if !c.modifiable(d.Modify) {
		return classifier.Decision{Verdict: classifier.Fail, Reason: CannotModify}
	}
	if d.Modify == classifier.ModifyLength && c.body.whole(c.ctx, c.n+1, c.p.bufferBody()) != nil {
		return classifier.Decision{Verdict: classifier.Fail, Reason: classifier.BodyGone}
	}
	next := c.worth(c.ctx, d, p)
	if r.Key && tryAgain(next) && !c.keyedAfter(next.Wait) {
		return c.keyForgotten(f, r, next)
	}
	return next
}

// expired: the deadline has passed, whether or not the context says so yet.
// http.Client ends a request twice when its Timeout is over, by the context and
// by Request.Cancel, and either may come first.
func expired(ctx context.Context) bool {
	at, is := ctx.Deadline()
	return is && !time.Now().Before(at)
}

// modifiable: the change that an answer asks for can be made, and would be one.
func (c *call) modifiable(m classifier.Modification) bool {
	switch m {
	case classifier.ModifyHTTP1:
		return c.t.http1 != nil
	case classifier.ModifyLength:
		return !c.body.none() && c.in.ContentLength <= 0 // else its length was sent
	case classifier.ModifyExpect:
		return c.in.Header.Get("Expect") != ""
	}
	return true
}

// noBody is what becomes of an attempt whose body could not be had again.
func (c *call) noBody(b *bodyError) classifier.Decision {
	switch err := c.ctx.Err(); {
	case errors.Is(err, context.DeadlineExceeded):
		return stop(PastDeadline, 0)
	case err != nil:
		return stop(classifier.CallerCanceled, 0)
	case b.err == errBodyInUse:
		return stop(BodyInUse, 0)
	case b.err == errBodyLost:
		return classifier.Decision{Verdict: classifier.Fail, Reason: classifier.BodyGone}
	}
	return classifier.Decision{Verdict: classifier.Fail, Reason: classifier.BadRequest}
}

// decideMarked is decide for an error that may have marks.
func (p *Policy) decideMarked(f classifier.Failure, r classifier.Request, m mark) classifier.Decision {
	switch {
	case m.halt:
		return stop(MarkedHalt, m.wait)
	case m.permanent:
		return classifier.Decision{Verdict: classifier.Fail, Reason: MarkedPermanent}
	}
	d := p.decide(f, r)
	if m.safe && !tryAgain(d) && !final(&f) && d.Verdict != classifier.Stop {
		if d = p.allow(&f, &r, d); tryAgain(d) {
			d.Reason = MarkedSafe
		}
	}
	return d
}
