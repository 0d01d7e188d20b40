package classifier_test

import (
	"errors"
	"fmt"
	"net/textproto"
	"testing"

	"github.com/retry-lab/retry-lab/classifier"
)

// net/http parses what there is of a head's last line when the connection
// ends inside it, and calls the head malformed.
func TestAHeadThatWasCutIsTruncatedAndNotMalformed(t *testing.T) {
	begun := func(e *classifier.Evidence) { sent(e); e.FirstByte = true }
	ended := func(e *classifier.Evidence) { e.PeerEnded = true }
	for _, row := range []struct {
		err       error
		ev        classifier.Evidence
		code      classifier.Code
		processed classifier.Processed
		get, post classifier.Verdict
		why       string
	}{
		{textproto.ProtocolError(`malformed MIME header: missing colon: "Content-Le"`), traced(begun, ended), "TRUNCATED", "yes", "retry", "fail", "the end came inside a field's name"},
		{textproto.ProtocolError(`malformed MIME header: missing colon: "Content-Le"`), traced(begun), "MALFORMED", "yes", "fail", "fail", "the connection goes on: the line is what it is"},
		{errors.New(`malformed HTTP status code "20"`), traced(begun, ended), "TRUNCATED", "maybe", "retry", "ambiguous", "the end came inside the status"},
		{errors.New(`malformed HTTP status code "lab"`), traced(begun), "MALFORMED", "maybe", "fail", "ambiguous", "220 lab ESMTP: the version is looked at later"},
		{errors.New("net/http: server response headers exceeded 100 bytes; aborted"), traced(begun), "MALFORMED", "maybe", "fail", "ambiguous", "not read to its end"},
	} {
		err := fmt.Errorf("net/http: HTTP/1.x transport connection broken: %w", row.err)
		f := classifier.FromError(err, row.ev)
		if f.Code != row.code || f.Phase != "read-head" || f.Processed != row.processed {
			t.Errorf("%s: FromError(%v) = %s %s %s, want %s read-head %s", row.why, err, f.Code, f.Phase, f.Processed, row.code, row.processed)
		}
		get := classifier.Decide(f, classifier.Request{BodyReplayable: true}, classifier.Policy{})
		post := classifier.Decide(f, classifier.Request{Method: "POST", BodyReplayable: true}, classifier.Policy{})
		if get.Verdict != row.get || post.Verdict != row.post {
			t.Errorf("%s: GET %s, POST %s; want %s, %s", row.why, get.Verdict, post.Verdict, row.get, row.post)
		}
	}
}

func TestAWaitInThePoolIsAShortageOfOurOwn(t *testing.T) {
	f := classifier.Failure{Code: "TIMEOUT", Phase: "pool", Processed: "never", Basis: "guaranteed"}
	d := classifier.Decide(f, classifier.Request{Method: "POST", BodyReplayable: true}, classifier.Policy{})
	if d.Verdict != "retry" || d.Reason != "local-resource" {
		t.Errorf("Decide(%+v) = %s %s, want retry local-resource", f, d.Verdict, d.Reason)
	}
}
