package classifier

// Decide says what may be done with the request after the failure. It never
// panics and always answers, whatever the values hold: what it does not know
// it does not send again. The rules stand in the order in which they are
// asked; the first that fits decides.
//
// Attempts, deadlines and budgets are the caller's: a Retry here says only
// that this failure and this request do not forbid it.
func Decide(f Failure, r Request, p Policy) Decision {
	var room Decision
	return *f.decide(&r, &p, &room)
}

// decide is Decide in a form that is inlined and copies little, see
// failureOf. It puts what is not made beforehand into room.
func (f *Failure) decide(r *Request, p *Policy, room *Decision) *Decision {
	rule := &answerOf(f.Status).row.rule
	switch {
	case !f.isAnswer():
		rule = f.codeRule()
	case rule.kind.depends() || f.Server.Permanent:
		rule = f.answerRule(rule, r)
	}
	if rule.kind == done || rule.kind == caller {
		return &rule.decision
	}

	processed := f.believed(p.Strict)
	if r.AfterMaybe {
		if f.echo(r) {
			return &possiblyApplied
		}
		processed = processed.Worse(Maybe)
	}
	never := processed == Never
	harmless := never || r.BodyReplayable && r.repeatable()
	doubt := !harmless && processed != Yes // may have worked, and must not be sent again
	change := rule.decision.Modify

	switch {
	case f.Server.Veto && doubt:
		return &mayHaveBeenProcessed
	case f.Server.Veto:
		return &serverVeto
	case rule.kind == unclear && doubt:
		return &mayHaveBeenProcessed
	case rule.kind != transient:
		return &rule.decision
	case change != ModifyNothing && r.tried(change):
		return &alreadyModified
	case doubt:
		return &mayHaveBeenProcessed
	case !harmless:
		return &answerLost
	case !r.BodyReplayable:
		return &bodyGone
	case never && !f.Server.HasWait && rule.decision.Reason != MayHaveBeenProcessed:
		return &rule.decision
	case f.Server.HasWait && f.Server.Wait > p.maxWait():
		*room = Decision{Verdict: Stop, Reason: WaitTooLong, Wait: f.Server.Wait}
		return room
	}
	*room = rule.decision
	room.Reason, room.Wait = why(rule, processed, f.Server.HasWait, r), f.Server.Wait
	return room
}

// The decisions that the request leads to.
var (
	mayHaveBeenProcessed = Decision{Verdict: Ambiguous, Reason: MayHaveBeenProcessed}
	possiblyApplied      = Decision{Verdict: Ambiguous, Reason: PossiblyApplied}
	serverVeto           = Decision{Verdict: Fail, Reason: ServerVeto}
	alreadyModified      = Decision{Verdict: Fail, Reason: AlreadyModified}
	answerLost           = Decision{Verdict: Fail, Reason: AnswerLost}
	bodyGone             = Decision{Verdict: Fail, Reason: BodyGone}
)

// answerRule is the rule of a row whose cells depend on the answer or the
// request.
func (f *Failure) answerRule(row *rule, r *Request) *rule {
	switch {
	case row.kind == transient && f.Server.Permanent:
		return &permanentRule
	case row.kind == ifWait && f.Server.HasWait:
		return &waitRule
	case row.kind == conflict && r.Key && r.KeyHonoured && !f.Server.Exists:
		return &inFlightRule
	}
	return row
}

// codeRule is the rule of what is not an answer.
func (f *Failure) codeRule() *rule {
	row := rowOfCode(f.Code)
	switch {
	case row == nil:
		return &unknownRow.rule
	case f.Code == Proxy:
		return proxyRule(f.Status)
	case f.Code == Unknown && (f.Phase == PhaseConnect || f.Phase == PhaseReadBody):
		return &passingRule
	case f.Phase == PhasePool && row.kind == transient:
		return &localRule // more requests at once will not help
	}
	return &row.rule
}

// proxyRule tells by the status of a CONNECT, which is no answer to the
// request: 0 where the proxy gave none.
func proxyRule(status int) *rule {
	switch {
	case status == 407:
		return &credentialsRule
	case status >= 400 && status < 500 && status != 408 && status != 429:
		return &proxyRefusedRule
	}
	return &passingRule
}

// The rules that take a row's place.
var (
	permanentRule    = fails(Deterministic)
	waitRule         = passes(ServerSaidWait)
	inFlightRule     = passes(KeyInFlight)
	passingRule      = passes(NotSent)
	localRule        = passes(LocalResource)
	credentialsRule  = fails(Credentials)
	proxyRefusedRule = fails(ProxyRefused)
)

// isAnswer: the failure is a response, not an error.
func (f *Failure) isAnswer() bool {
	return f.Phase == PhaseAnswered && f.Code != RedirectLoop
}

// believed is Processed, less what a strict policy does not take on trust.
func (f *Failure) believed(strict bool) Processed {
	switch f.Processed {
	case Yes:
		return Yes
	case Never:
		bare := strict && !f.Server.Shed && f.isAnswer() && (f.Status == 503 || f.Status == 408)
		if !bare {
			return Never
		}
	}
	return Maybe
}

// echo: after an attempt that may have worked, this answer may be its trace.
func (f *Failure) echo(r *Request) bool {
	if !f.isAnswer() || safe(r.Method) {
		return false
	}
	switch f.Status {
	case 404, 410:
		return r.Method == "DELETE"
	case 409:
		return !(r.Key && r.KeyHonoured) || f.Server.Exists
	case 412:
		return true
	}
	return false
}

// why names the reason of a retry: what made it safe.
func why(rule *rule, processed Processed, hasWait bool, r *Request) Reason {
	reason := rule.decision.Reason
	switch {
	case rule.decision.Modify != ModifyNothing || reason == KeyInFlight:
		return reason
	case processed == Never && hasWait:
		return ServerSaidWait
	case processed == Never && reason == MayHaveBeenProcessed:
		return ProxyNotForwarded // the table's maybe, lifted by Proxy-Status
	case processed == Never:
		return reason
	case idempotent(r.Method):
		return IdempotentMethod
	}
	return IdempotencyKey
}

// tried: the operation has used this modification already.
func (r *Request) tried(m Modification) bool {
	for _, t := range r.Tried {
		if t == m {
			return true
		}
	}
	return false
}
