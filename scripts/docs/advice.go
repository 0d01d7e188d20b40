package main

import (
	"fmt"
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
		return "do not send it again before you have found out whether it worked"
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
	case lastWords(message) == lastWords(same):
		return "ends in the same words, " + code(lastWords(message))
	}
	return "is easily taken for it"
}

// lastWords are what an error says after what it was doing.
func lastWords(message string) string {
	return strings.TrimSpace(message[strings.LastIndex(message, ": ")+1:])
}
