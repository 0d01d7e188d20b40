package classifier

// kind is what a row of the tables says about sending the same bytes again,
// before the request has a say.
type kind uint8

const (
	unclear   kind = iota // not recognised: no retry; ambiguous where the work may have been done twice
	done                  // nothing to send again
	transient             // may pass
	permanent             // will not pass
	caller                // the caller's own doing: stop
	ifWait                // may pass, but only where the server said when; else permanent
	conflict              // 409: depends on the key
)

// depends: the answer's header or the request has a say in the rule itself.
func (k kind) depends() bool { return k >= ifWait }

// rule is the part that status rows and code rows share: the kind, and the
// decision that the kind alone leads to.
type rule struct {
	kind     kind
	decision Decision
}

// The rules of the tables, by what they do.
func ends(why Reason) rule   { return rule{done, Decision{Verdict: Done, Reason: why}} }
func passes(why Reason) rule { return rule{transient, Decision{Verdict: Retry, Reason: why}} }
func fails(why Reason) rule  { return rule{permanent, Decision{Verdict: Fail, Reason: why}} }
func waits(why Reason) rule  { return rule{ifWait, Decision{Verdict: Fail, Reason: why}} }
func unsure(why Reason) rule { return rule{unclear, Decision{Verdict: Fail, Reason: why}} }

// changes is passes for one that asks for a change.
func changes(m Modification, why Reason) rule {
	return rule{transient, Decision{Verdict: RetryModified, Reason: why, Modify: m}}
}

// outcome is a Processed with its Basis.
type outcome struct {
	processed Processed
	basis     Basis
}
