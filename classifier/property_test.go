package classifier_test

import (
	"context"
	"net/http"
	"slices"
	"syscall"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/retry-lab/retry-lab/classifier"
)

// evidenceForNever are the fields that make a gateway's word believable. Each
// may be there or not; taking one away must never make a retry bolder.
var evidenceForNever = map[string][]string{
	"Retry-After":         {"1", "0", "120", "soon"},
	"Proxy-Status":        {"gw; error=connection_refused", "gw; error=dns_error"},
	"X-Envoy-Overloaded":  {"true"},
	"Retry-After-Ms":      {"100"},
	"X-Ms-Retry-After-Ms": {"100"},
}

// counterEvidence are the fields that make a word doubtful.
var counterEvidence = map[string][]string{
	"Via":                   {"1.1 gw"},
	"Server":                {"nginx", "Apache"},
	"X-Should-Retry":        {"false", "true"},
	"Idempotent-Replayed":   {"true"},
	"Date":                  {"Thu, 16 Jul 2026 12:00:00 GMT"},
	"X-Ratelimit-Remaining": {"0"},
	"X-Ratelimit-Reset":     {"30", "1784203230"},
	"Ratelimit":             {`"d";r=0;t=30`},
}

func drawHeader(t *rapid.T, from map[string][]string, into http.Header) {
	fields := make([]string, 0, len(from))
	for field := range from {
		fields = append(fields, field)
	}
	slices.Sort(fields)
	for _, field := range fields {
		if rapid.Bool().Draw(t, "with "+field) {
			into[field] = []string{rapid.SampledFrom(from[field]).Draw(t, field)}
		}
	}
}

func drawResponse(t *rapid.T) classifier.Response {
	h := http.Header{}
	drawHeader(t, evidenceForNever, h)
	drawHeader(t, counterEvidence, h)
	status := rapid.OneOf(rapid.IntRange(100, 600), rapid.SampledFrom([]int{403, 408, 409, 413, 425, 429, 500, 502, 503, 504}))
	return classifier.Response{Status: status.Draw(t, "status"), Header: h}
}

func drawRequest(t *rapid.T) classifier.Request {
	return classifier.Request{
		Method:         rapid.SampledFrom([]string{"", "GET", "POST", "PUT", "DELETE", "PATCH", "QUERY", "get"}).Draw(t, "method"),
		Key:            rapid.Bool().Draw(t, "key"),
		KeyHonoured:    rapid.Bool().Draw(t, "honoured"),
		BodyReplayable: rapid.Bool().Draw(t, "replayable"),
		AfterMaybe:     rapid.Bool().Draw(t, "after maybe"),
		Tried:          rapid.SliceOfN(rapid.SampledFrom(classifier.Modifications()), 0, 3).Draw(t, "tried"),
	}
}

func drawPolicy(t *rapid.T) classifier.Policy {
	return classifier.Policy{
		Strict:  rapid.Bool().Draw(t, "strict"),
		MaxWait: rapid.SampledFrom([]time.Duration{0, -1, time.Second, time.Hour, 1<<63 - 1}).Draw(t, "max wait"),
	}
}

func drawEvidence(t *rapid.T) classifier.Evidence {
	b := func(name string) bool { return rapid.Bool().Draw(t, name) }
	ev := classifier.Evidence{
		Traced: b("traced"), EndedBefore: b("ended before"), Acquisitions: rapid.IntRange(0, 2).Draw(t, "acquisitions"),
		Exposed: b("exposed"), ConnectStarted: b("connecting"), ConnectDone: b("connected"), TLSExpected: b("https"),
		TLSStarted: b("handshake"), GotConn: b("connection"), HTTP2: b("http2"), Counted: b("counted"),
		BytesOut: rapid.Int64Range(0, 2).Draw(t, "out"), WroteHead: b("head"), WroteRequest: b("request"),
		FirstByte: b("first byte"), Answered: b("answered"),
	}
	if b("late") {
		ev.ContextErr = context.DeadlineExceeded
	}
	return ev
}

func drawFailure(t *rapid.T) classifier.Failure {
	if rapid.Bool().Draw(t, "answered") {
		return classifier.FromResponse(drawResponse(t))
	}
	if rapid.Bool().Draw(t, "from names") {
		code := rapid.SampledFrom(classifier.Codes()).Draw(t, "code")
		phase := rapid.SampledFrom(classifier.Phases()).Draw(t, "phase")
		f, err := classifier.FromNames(code, "", phase)
		if err == nil {
			return f
		}
	}
	row := rapid.SampledFrom(errorRows).Draw(t, "error")
	return classifier.FromError(row.err, drawEvidence(t))
}

// repeatable is the reference: what may be delivered twice.
func repeatable(r classifier.Request) bool {
	return r.BodyReplayable && (r.Key && r.KeyHonoured || slices.Contains([]string{"", "GET", "PUT", "DELETE", "QUERY"}, r.Method))
}

func sendsAgain(d classifier.Decision) bool {
	return d.Verdict == classifier.Retry || d.Verdict == classifier.RetryModified
}

func TestWhatMayHaveBeenProcessedIsSentAgainOnlyIfRepeatable(t *testing.T) { // (i)
	rapid.Check(t, func(t *rapid.T) {
		f, r, p := drawFailure(t), drawRequest(t), drawPolicy(t)
		d := classifier.Decide(f, r, p)
		if sendsAgain(d) && !repeatable(r) && (f.Processed != classifier.Never || r.AfterMaybe) {
			t.Fatalf("Decide(%+v, %+v, %+v) = %+v", f, r, p, d)
		}
	})
}

func TestABodyThatIsGoneIsNeverSentAgain(t *testing.T) { // (ii)
	rapid.Check(t, func(t *rapid.T) {
		f, r, p := drawFailure(t), drawRequest(t), drawPolicy(t)
		r.BodyReplayable = false
		if d := classifier.Decide(f, r, p); sendsAgain(d) {
			t.Fatalf("Decide(%+v, %+v, %+v) = %+v", f, r, p, d)
		}
	})
}

func TestNoWaitIsShorterThanTheServers(t *testing.T) { // (iii)
	rapid.Check(t, func(t *rapid.T) {
		f, r, p := drawFailure(t), drawRequest(t), drawPolicy(t)
		d := classifier.Decide(f, r, p)
		if (sendsAgain(d) || d.Reason == classifier.WaitTooLong) && d.Wait < f.Server.Wait {
			t.Fatalf("Decide(%+v, %+v, %+v) = %+v, shorter than %v", f, r, p, d, f.Server.Wait)
		}
	})
}

func TestEachModificationIsAskedForOnce(t *testing.T) { // (vi)
	rapid.Check(t, func(t *rapid.T) {
		r, p := drawRequest(t), drawPolicy(t)
		r.Tried = nil
		for range 20 {
			d := classifier.Decide(drawFailure(t), r, p)
			if d.Modify == classifier.ModifyNothing {
				continue
			}
			if slices.Contains(r.Tried, d.Modify) {
				t.Fatalf("%s is asked for again after %v", d.Modify, r.Tried)
			}
			r.Tried = append(r.Tried, d.Modify)
		}
	})
}

func TestTakingAwayEvidenceForNeverMakesNoRetry(t *testing.T) { // (viii), answers
	rapid.Check(t, func(t *rapid.T) {
		with, r, p := drawResponse(t), drawRequest(t), drawPolicy(t)
		without := with
		without.Header = with.Header.Clone()
		for field := range evidenceForNever {
			if rapid.Bool().Draw(t, "take away "+field) {
				// Proxy-Status is a mark too: its error goes, the mark stays.
				if field == "Proxy-Status" && without.Header[field] != nil {
					without.Header[field] = []string{"gw"}
				} else if field == "X-Envoy-Overloaded" && without.Header[field] != nil {
					delete(without.Header, field)
					without.Header["X-Envoy-Attempt-Count"] = []string{"1"}
				} else {
					delete(without.Header, field)
				}
			}
		}
		before := classifier.Decide(classifier.FromResponse(with), r, p)
		after := classifier.Decide(classifier.FromResponse(without), r, p)
		if before.Verdict == classifier.Ambiguous && sendsAgain(after) {
			t.Fatalf("%d %v: %+v\nwithout %v: %+v", with.Status, with.Header, before, without.Header, after)
		}
	})
}

func TestTakingAwayByteCountsMakesNoRetry(t *testing.T) { // (viii), errors
	errs := []error{
		sys("read", "read", syscall.ECONNRESET), sys("write", "write", syscall.EPIPE),
		sys("dial", "connect", syscall.ECONNREFUSED), context.DeadlineExceeded,
	}
	rapid.Check(t, func(t *rapid.T) {
		err, ev, r, p := rapid.SampledFrom(errs).Draw(t, "error"), drawEvidence(t), drawRequest(t), drawPolicy(t)
		ev.Counted = true
		before := classifier.Decide(classifier.FromError(err, ev), r, p)
		ev.Counted = false
		after := classifier.Decide(classifier.FromError(err, ev), r, p)
		if before.Verdict == classifier.Ambiguous && sendsAgain(after) {
			t.Fatalf("FromError(%v, %+v): %+v, without the count %+v", err, ev, before, after)
		}
	})
}

func TestStrictIsNeverBolder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, r, p := drawFailure(t), drawRequest(t), drawPolicy(t)
		p.Strict = false
		loose := classifier.Decide(f, r, p)
		p.Strict = true
		strict := classifier.Decide(f, r, p)
		if sendsAgain(strict) && !sendsAgain(loose) {
			t.Fatalf("Decide(%+v, %+v): strict %+v, else %+v", f, r, strict, loose)
		}
	})
}

func TestVerdictsAndReasonsAreOfTheLists(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, r, p := drawFailure(t), drawRequest(t), drawPolicy(t)
		d := classifier.Decide(f, r, p)
		if !slices.Contains(classifier.Verdicts(), d.Verdict) || !slices.Contains(classifier.Reasons(), d.Reason) {
			t.Fatalf("Decide(%+v, %+v, %+v) = %+v: not in the lists", f, r, p, d)
		}
		if d.Verdict == classifier.RetryModified && d.Modify == classifier.ModifyNothing {
			t.Fatalf("Decide(%+v, %+v, %+v) = %+v: modifies nothing", f, r, p, d)
		}
		if f.Processed == classifier.Never && f.Basis == classifier.Assumed || f.Processed == "" || f.Basis == "" {
			t.Fatalf("%+v: a never needs a ground", f)
		}
	})
}
