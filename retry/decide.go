package retry

import (
	"net/http"
	"slices"

	"github.com/retry-lab/retry-lab/classifier"
)

// decide is the classifier's decision with the policy's changes.
func (p *Policy) decide(f classifier.Failure, r classifier.Request) classifier.Decision {
	d := classifier.Decide(f, r, p.judged())
	if p.unchanged() || final(&f) {
		return d
	}
	d = p.byList(&f, &r, d)
	if p.Decide != nil {
		d = p.overrule(f, &r, d)
	}
	return d
}

// unchanged: the policy has nothing to add to the classifier's decision.
func (p *Policy) unchanged() bool {
	return p.Decide == nil && p.Statuses.empty() && p.Codes.empty() && len(p.Methods.Remove) == 0
}

// final failures are never tried again, whatever the policy: the caller gave
// up, the peer is not who it should be, or the request itself cannot be sent.
func final(f *classifier.Failure) bool {
	switch f.Code {
	case classifier.Canceled, classifier.TLSCert, classifier.InvalidRequest:
		return true
	}
	return false
}

// doubts: a strict policy does not take the server's word for it that nothing
// was done, see classifier.Policy. Then a bare POST is not sent again.
func (p *Policy) doubts(f *classifier.Failure) bool {
	if !p.Strict || f.Processed != classifier.Never {
		return false
	}
	bare := classifier.Request{Method: http.MethodPost, BodyReplayable: true}
	return classifier.Decide(*f, bare, p.judged()).Verdict == classifier.Ambiguous
}

// tryAgain: the decision is to send it once more.
func tryAgain(d classifier.Decision) bool {
	return d.Verdict == classifier.Retry || d.Verdict == classifier.RetryModified
}

// byList applies what the policy adds to and removes from the lists.
func (p *Policy) byList(f *classifier.Failure, r *classifier.Request, d classifier.Decision) classifier.Decision {
	answered := f.Phase == classifier.PhaseAnswered
	removed := slices.Contains(p.Methods.Remove, methodOf(r.Method)) ||
		answered && slices.Contains(p.Statuses.Remove, f.Status) || slices.Contains(p.Codes.Remove, f.Code)
	added := answered && slices.Contains(p.Statuses.Add, f.Status) || slices.Contains(p.Codes.Add, f.Code)
	switch {
	case removed && tryAgain(d):
		return stop(PolicyRefuses, 0)
	case removed || !added || tryAgain(d) || d.Reason == classifier.ServerVeto || d.Verdict == classifier.Stop:
		return d
	}
	return p.allow(f, r, d)
}

func methodOf(m string) string {
	if m == "" {
		return "GET"
	}
	return m
}

// overrule asks Policy.Decide. What it allows has to be safe, and may come later
// than the server asked for, never sooner.
func (p *Policy) overrule(f classifier.Failure, r *classifier.Request, d classifier.Decision) classifier.Decision {
	mine := sound(&f, p.Decide(f, d))
	switch {
	case !tryAgain(mine):
		return mine
	case tryAgain(d):
		if mine.Wait = max(mine.Wait, d.Wait); mine.Reason == "" {
			mine.Reason = d.Reason
		}
		return mine
	}
	allowed := p.allow(&f, r, d)
	if !tryAgain(allowed) {
		return d
	}
	mine.Wait = max(mine.Wait, allowed.Wait)
	if mine.Reason == d.Reason || mine.Reason == "" {
		mine.Reason = allowed.Reason
	}
	return mine
}

// sound is what Policy.Decide has returned, as far as it is a decision: a
// failure without an answer is no success, and a word that is no verdict says
// that nothing more is to be done.
func sound(f *classifier.Failure, d classifier.Decision) classifier.Decision {
	switch d.Verdict {
	case classifier.Retry, classifier.RetryModified, classifier.Stop, classifier.Fail, classifier.Ambiguous:
	case classifier.Done:
		if f.Phase != classifier.PhaseAnswered {
			d.Verdict = classifier.Fail
		}
	default:
		d.Verdict = classifier.Fail
	}
	if d.Reason == "" && !tryAgain(d) {
		d.Reason = PolicyRefuses
	}
	return d
}

// allow makes a retry out of a decision against one, if a second delivery is
// harmless: nothing was processed, or it would have the effect of one.
func (p *Policy) allow(f *classifier.Failure, r *classifier.Request, d classifier.Decision) classifier.Decision {
	again := classifier.Decision{Verdict: classifier.Retry, Reason: PolicyAllows, Wait: f.Server.Wait}
	if p.LongWait == Stop && f.Server.HasWait && f.Server.Wait > p.maxWait() {
		again = stop(classifier.WaitTooLong, f.Server.Wait)
	}
	never := f.Processed == classifier.Never && !r.AfterMaybe
	switch {
	case !r.BodyReplayable:
		return d
	case never || r.Key && r.KeyHonoured || repeatable(r.Method) || p.Unsafe:
		return again
	case f.Processed == classifier.Yes && d.Verdict == classifier.Done:
		return d
	}
	return classifier.Decision{Verdict: classifier.Ambiguous, Reason: classifier.MayHaveBeenProcessed}
}

// repeatable methods are idempotent by their definition. The classifier knows
// them; it is asked with a failure that only they survive.
func repeatable(method string) bool {
	f := classifier.Failure{Code: classifier.EOF, Phase: classifier.PhaseAwait, Processed: classifier.Maybe, Basis: classifier.Assumed}
	d := classifier.Decide(f, classifier.Request{Method: method, BodyReplayable: true}, classifier.Policy{})
	return d.Verdict == classifier.Retry
}
