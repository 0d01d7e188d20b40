package retry

import (
	"time"

	"github.com/retry-lab/retry-lab/classifier"
)

// An Attempt is one try of an operation, as it was seen and judged.
type Attempt struct {
	N        int // from 1
	Start    time.Time
	Duration time.Duration // to the head of the response, or the error

	// What happened. Code is the failure's name, HTTP_ and the status for an
	// answer, empty for a success of Do. Status is 0 where there was no answer.
	Code      classifier.Code
	Syscall   classifier.Syscall
	Phase     classifier.Phase
	Status    int
	Processed classifier.Processed
	Basis     classifier.Basis
	Err       error // nil where there was an answer

	// What was decided. Wait is what comes before the next attempt; with Stop it
	// is the wait that was too long.
	Verdict classifier.Verdict
	Reason  classifier.Reason
	Modify  classifier.Modification
	Wait    time.Duration

	// The connection: Reused, if it had carried a request before. Replays counts
	// what the transport sent again by itself, and could not be kept from.
	Reused  bool
	Replays int
}

// An Event is what OnRetry is told: the attempt that failed, and of what
// operation. Attempt.Wait is the wait that begins.
type Event struct {
	Method, URL string // empty for Do; Name is Op.Name
	Name        string
	Attempt
}

// A Report is what became of an operation.
type Report struct {
	Method, URL string // the URL without a password; both empty for Do
	Name        string // Op.Name

	Attempts []Attempt
	Elapsed  time.Duration

	// Verdict is the last word: Done, Ambiguous, Fail or Stop; with Reason, one
	// of the classifier's or of this package's.
	Verdict classifier.Verdict
	Reason  classifier.Reason

	// Processed is the worst of all attempts, and of the requests that a
	// redirect came from.
	Processed classifier.Processed
	Basis     classifier.Basis

	// Replays is the sum of the attempts'.
	Replays int
}

// Outcome is the report in one word: success, failed, ambiguous or stopped.
func (r Report) Outcome() string {
	switch r.Verdict {
	case classifier.Done:
		return "success"
	case classifier.Ambiguous:
		return "ambiguous"
	case classifier.Stop:
		return "stopped"
	}
	return "failed"
}

// Reasons of this package's own; [Sentence] has a sentence for each. The others
// are the classifier's.
const (
	AttemptsUsedUp  classifier.Reason = "attempts-used-up"
	PastDeadline    classifier.Reason = "past-deadline"
	BudgetUsedUp    classifier.Reason = "budget-used-up"
	PolicyRefuses   classifier.Reason = "policy-refuses"
	PolicyAllows    classifier.Reason = "policy-allows"
	SaidIdempotent  classifier.Reason = "declared-idempotent"
	MarkedPermanent classifier.Reason = "marked-permanent"
	MarkedSafe      classifier.Reason = "marked-safe"
	MarkedHalt      classifier.Reason = "marked-halt"
	TriedBelow      classifier.Reason = "tried-below"
	CannotModify    classifier.Reason = "cannot-modify"
	BodyInUse       classifier.Reason = "body-in-use"
	FreshLogin      classifier.Reason = "fresh-credentials"
)

// ModifyCredentials is the change that RefreshAuth makes.
const ModifyCredentials classifier.Modification = "credentials"

// Sentence says in one plain English sentence, without a full stop, what a
// reason of this package or of the classifier means; empty for any other word.
func Sentence(r classifier.Reason) string {
	for _, row := range sentences {
		if row.reason == r {
			return row.sentence
		}
	}
	return r.Sentence()
}

var sentences = []struct {
	reason   classifier.Reason
	sentence string
}{
	{AttemptsUsedUp, "it may pass, but no attempt is left"},
	{PastDeadline, "the next attempt would come after the deadline"},
	{BudgetUsedUp, "the budget for retries is used up"},
	{PolicyRefuses, "it may pass, but the policy does not try it again"},
	{PolicyAllows, "the policy says that this may pass, and it is safe to find out"},
	{SaidIdempotent, "the caller says that a second delivery has the same effect as one"},
	{MarkedPermanent, "marked as permanent by who returned it"},
	{MarkedSafe, "marked as safe to try again by who returned it"},
	{MarkedHalt, "refused before anything was sent, and another try now is of no use"},
	{TriedBelow, "a policy below this one has tried already"},
	{CannotModify, "the server asks for a change that cannot be made, or would be none"},
	{BodyInUse, "the transport had not let go of the body by the time of the next attempt"},
	{FreshLogin, "the credentials were refused and are fresh now; once more with those"},
}
