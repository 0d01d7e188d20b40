package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/retry-lab/retry-lab/classifier"
)

// changes are the modifications in words.
var changes = map[classifier.Modification]string{
	classifier.ModifyLength:     "send it once more, with the body's length in Content-Length",
	classifier.ModifyExpect:     "send it once more, without Expect",
	classifier.ModifyConnection: "send it once more, on another connection",
	classifier.ModifyHTTP1:      "send it once more, over HTTP/1.1",
}

// advice is what to do, in one line; requests with the same answer stand
// together.
func (j judged) advice() string {
	var requests [][]string
	var answers []string
	for _, d := range []struct {
		request string
		classifier.Decision
	}{{"GET", j.get}, {"POST", j.post}, {"POST+KEY", j.postKey}} {
		what := inWords(d.Decision)
		at := len(answers)
		for i := range answers {
			if answers[i] == what {
				at = i
			}
		}
		if at == len(answers) {
			answers, requests = append(answers, what), append(requests, nil)
		}
		requests[at] = append(requests[at], d.request)
	}
	var parts []string
	for i, what := range answers {
		who := strings.Join(requests[i], ", ")
		if len(answers) == 1 {
			who = "whatever the request"
		}
		parts = append(parts, who+": "+what)
	}
	return strings.Join(parts, "; ")
}

// inWords is a verdict as an order.
func inWords(d classifier.Decision) string {
	switch d.Verdict {
	case classifier.Done:
		return "nothing, it is done"
	case classifier.Retry:
		return "send it again, " + pause(d)
	case classifier.RetryModified:
		return changes[d.Modify]
	case classifier.Ambiguous:
		return "find out first (once the first can no longer arrive, look the operation up by your own reference; if it is not there, send it again)"
	case classifier.Stop:
		return "stop"
	}
	if d.Reason == classifier.AnswerLost {
		return "do not send it again, it is done"
	}
	return "do not send it again, it would fail again"
}

// pause is how long to wait before a retry.
func pause(d classifier.Decision) string {
	switch {
	case d.Wait > 0:
		return fmt.Sprintf("after the %v that the server names, and then your own backoff", d.Wait.Round(time.Millisecond))
	case d.Reason == classifier.TooEarly:
		return "once, after the handshake"
	}
	return "after a backoff"
}

// rule is whether a bare POST may be sent again, in a few words.
func (r row) rule() string {
	d := r.judged.post
	said := "no, it would fail again"
	switch {
	case d.Verdict == classifier.Done:
		said = "no, it is done"
	case d.Verdict == classifier.Ambiguous:
		said = "no, find out first"
	case d.Verdict == classifier.Stop:
		said = "no, stop"
	case d.Reason == classifier.AnswerLost:
		said = "no, the work is done"
	case d.Verdict == classifier.Retry:
		said = "yes"
	case d.Verdict == classifier.RetryModified:
		said = "yes, with a change"
	}
	if r.needsTrace() {
		said += ", but only a trace proves it; without a trace: no"
	}
	return said
}

// needsTrace: it may be sent again, and the error alone does not tell.
func (r row) needsTrace() bool {
	return r.text("post") != "no" && slices.ContainsFunc(r.alone(), func(u untraced) bool { return u.post == "no" })
}

// compare says of two rows that are easily taken for each other what is the
// same and what is not.
func compare(r, other row) string {
	to := link("", other.id)
	if r.cells == nil || other.cells == nil {
		return to
	}
	said := r.alike(other)
	switch {
	case r.text("post") != other.text("post"):
		said += ", means the opposite"
	case r.text("saw") != other.text("saw") && r.text("post") == "no":
		said += fmt.Sprintf("; there the server saw: %s. The client cannot tell, so both are judged with the same caution", escape(other.text("saw")))
	}
	return to + " " + said
}

// alike is what two rows have in common for the client.
func (r row) alike(other row) string {
	message, same := r.text("message"), other.text("message")
	switch {
	case message == same && message != "":
		return "prints the same"
	case r.text("code") == other.text("code"):
		return "has the same code"
	case stableTail(message) == stableTail(same):
		return "ends in the same words, " + code(stableTail(message))
	}
	return "is easily taken for it"
}
