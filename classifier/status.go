package classifier

import "strconv"

// FromResponse says what a response means for the request: whether the server
// acted on it, and what it said about sending it again. The body is the
// caller's: one that breaks off is a failure of its own, see [FromError] and
// Evidence.Answered. It never fails; a status that nobody registered counts as
// the first of its class, and one outside 100 to 599 as 500 (RFC 9110 section
// 15).
//
// The header's keys must be in canonical form, as net/http makes them.
func FromResponse(r Response) Failure {
	var room Failure
	return *failureOf(&r, &room)
}

// failureOf is FromResponse in a form that is inlined and copies little: most
// of what a decision costs is copying. It puts what is not in the table into
// room.
func failureOf(r *Response, room *Failure) *Failure {
	a := answerOf(r.Status)
	if len(r.Header)+len(r.Earlier)+len(r.Body) == 0 && a.failure.Status == r.Status || a.row.kind == done {
		return &a.failure
	}
	f := room
	*f = a.failure
	if f.Status != r.Status {
		f.Code, f.Status = codeOfStatus(r.Status), r.Status
	}
	if len(r.Header)+len(r.Body) > 0 {
		f.hear(r)
	}
	if f.Processed.Worse(r.Earlier) != f.Processed {
		f.Processed, f.Basis = r.Earlier, Assumed // this answer speaks of the last request only
	}
	return f
}

// answer is the failure of a status without a header, and its row.
type answer struct {
	failure Failure
	row     *statusRow
}

// answers has the answer of every status that has one of its own or a class:
// made once, because what it costs to put a Failure together is most of what a
// decision costs.
var answers = makeAnswers()

func makeAnswers() (list [600]answer) {
	for status := range list {
		row := rowOf(status)
		list[status] = answer{row: row, failure: Failure{
			Code: codeOfStatus(status), Phase: PhaseAnswered, Processed: row.processed, Basis: row.basis, Status: status,
		}}
	}
	return list
}

// answerOf is the answer of any status.
func answerOf(status int) *answer {
	if uint(status) < uint(len(answers)) {
		return &answers[status]
	}
	return &answers[500]
}

func codeOfStatus(status int) Code { return HTTPPrefix + Code(strconv.Itoa(status)) }

// rowOf is the row of a status, or that of its class.
func rowOf(status int) *statusRow {
	if registered(status) {
		return &statusTable[status]
	}
	if class := status / 100 * 100; class >= 100 && class <= 400 {
		return &statusTable[class]
	}
	return &statusTable[500]
}

// registered tells whether a status has a row of its own.
func registered(status int) bool {
	return uint(status) < uint(len(statusTable)) && statusTable[status].source != ""
}
