package classifier_test

import (
	"testing"
	"time"

	"github.com/retry-lab/retry-lab/classifier"
)

func status(code int) classifier.Failure {
	return classifier.FromResponse(classifier.Response{Status: code})
}

// named is FromNames for names that a test knows to be good.
func named(t *testing.T, code classifier.Code, call classifier.Syscall, phase classifier.Phase) classifier.Failure {
	t.Helper()
	f, err := classifier.FromNames(code, call, phase)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestDecideSaysWhy(t *testing.T) {
	patch := classifier.Request{Method: "PATCH", BodyReplayable: true}
	put := classifier.Request{Method: "PUT", BodyReplayable: true}
	query := classifier.Request{Method: "QUERY", BodyReplayable: true}
	stream, streamGet := post, get
	stream.BodyReplayable, streamGet.BodyReplayable = false, false
	for _, row := range []struct {
		failure classifier.Failure
		request classifier.Request
		verdict classifier.Verdict
		reason  classifier.Reason
		why     string
	}{
		{status(200), post, classifier.Done, classifier.Success, "a success"},
		{status(302), get, classifier.Done, classifier.RedirectAnswered, "not followed, but answered"},
		{status(308), post, classifier.Fail, classifier.RedirectElsewhere, "belongs elsewhere"},
		{status(500), get, classifier.Retry, classifier.IdempotentMethod, "GET"},
		{status(500), put, classifier.Retry, classifier.IdempotentMethod, "PUT"},
		{status(500), query, classifier.Retry, classifier.IdempotentMethod, "QUERY is safe (RFC 10008)"},
		{status(500), classifier.Request{BodyReplayable: true}, classifier.Retry, classifier.IdempotentMethod, "no method is GET"},
		{status(500), post, classifier.Ambiguous, classifier.MayHaveBeenProcessed, "POST"},
		{status(500), patch, classifier.Ambiguous, classifier.MayHaveBeenProcessed, "PATCH is not idempotent"},
		{status(500), classifier.Request{Method: "get", BodyReplayable: true}, classifier.Ambiguous, classifier.MayHaveBeenProcessed, "methods are case-sensitive"},
		{status(500), postKey, classifier.Retry, classifier.IdempotencyKey, "the key protects it"},
		{status(500), lazyKey, classifier.Ambiguous, classifier.MayHaveBeenProcessed, "a key that nobody honours protects nothing"},
		{status(500), streamGet, classifier.Ambiguous, classifier.MayHaveBeenProcessed, "its body is gone"},
		{status(503), stream, classifier.Fail, classifier.BodyGone, "refused, but its body is gone"},
		{status(503), post, classifier.Retry, classifier.ServerDidNoWork, "the server's word"},
		{status(429), post, classifier.Retry, classifier.RateLimited, "no time given"},
		{status(401), get, classifier.Fail, classifier.Credentials, "a new call"},
		{status(409), postKey, classifier.Retry, classifier.KeyInFlight, "the first is still running"},
		{status(409), post, classifier.Fail, classifier.Conflict, "the caller's to resolve"},
		{status(425), post, classifier.Retry, classifier.TooEarly, "once"},
		{status(501), get, classifier.Fail, classifier.NotSupported, "never will"},
		{status(507), get, classifier.Fail, classifier.UserAction, "not by itself"},

		{named(t, "ECONNREFUSED", "connect", ""), post, classifier.Retry, classifier.NotSent, "nothing was sent"},
		{named(t, "ECONNREFUSED", "connect", ""), stream, classifier.Fail, classifier.BodyGone, "the caller says that its body cannot start again"},
		{named(t, "ECONNREFUSED", "read", ""), post, classifier.Ambiguous, classifier.MayHaveBeenProcessed, "refused on an established connection"},
		{named(t, "EMFILE", "socket", ""), post, classifier.Retry, classifier.LocalResource, "our own side"},
		{named(t, "TIMEOUT", "", "pool"), post, classifier.Retry, classifier.LocalResource, "our own pool"},
		{named(t, "EACCES", "connect", ""), post, classifier.Fail, classifier.Forbidden, "will not pass"},
		{named(t, "ENOTFOUND", "", ""), get, classifier.Fail, classifier.NoSuchName, "no such name"},
		{named(t, "EAI_AGAIN", "", ""), post, classifier.Retry, classifier.NotSent, "the resolver's trouble"},
		{named(t, "TLS_CERT", "", ""), get, classifier.Fail, classifier.Certificate, "will not pass"},
		{named(t, "INVALID_REQUEST", "", "prepare"), get, classifier.Fail, classifier.BadRequest, "never sendable"},
		{named(t, "REDIRECT_LOOP", "", ""), get, classifier.Fail, classifier.RedirectLimit, "will not pass"},
		{named(t, "MALFORMED", "", "read-head"), get, classifier.Fail, classifier.BadAnswer, "would come again"},
		{named(t, "MALFORMED", "", "read-head"), post, classifier.Ambiguous, classifier.MayHaveBeenProcessed, "unreadable, but there was an answer"},
		{named(t, "TRUNCATED", "", "read-body"), get, classifier.Retry, classifier.IdempotentMethod, "fetched again"},
		{named(t, "TRUNCATED", "", "read-body"), postKey, classifier.Retry, classifier.IdempotencyKey, "for the stored answer"},
		{named(t, "TRUNCATED", "", "read-body"), post, classifier.Fail, classifier.AnswerLost, "the work is done"},
		{named(t, "UNKNOWN", "", "read-body"), get, classifier.Retry, classifier.IdempotentMethod, "fetched again, whatever it was"},
		{named(t, "UNKNOWN", "", ""), get, classifier.Fail, classifier.NotRecognised, "no guess"},
		{named(t, "UNKNOWN", "", ""), post, classifier.Ambiguous, classifier.MayHaveBeenProcessed, "no guess"},
		{named(t, "H2_REFUSED_STREAM", "", ""), post, classifier.Retry, classifier.ProtocolPromise, "the protocol's promise"},
		{named(t, "H2_GOAWAY", "", "await"), post, classifier.Ambiguous, classifier.MayHaveBeenProcessed, "the name does not tell which side of the last stream"},
		{named(t, "H2_HTTP_1_1_REQUIRED", "", "await"), get, classifier.RetryModified, classifier.NeedsHTTP1, "another protocol"},
		{named(t, "H2_HTTP_1_1_REQUIRED", "", "await"), post, classifier.Ambiguous, classifier.MayHaveBeenProcessed, "promises nothing"},
		{named(t, "H2_INADEQUATE_SECURITY", "", "await"), post, classifier.Fail, classifier.HandshakeRefused, "will not pass"},
		{named(t, "CANCELED", "", "await"), get, classifier.Stop, classifier.CallerCanceled, "the caller's will"},
		{named(t, "CANCELED", "", "connect"), post, classifier.Stop, classifier.CallerCanceled, "the caller's will, whatever was sent"},
		{classifier.Failure{Code: "NO_SUCH_CODE", Processed: classifier.Never}, post, classifier.Fail, classifier.NotRecognised, "a code from elsewhere"},
		{classifier.Failure{Code: "ECONNRESET", Phase: "await"}, post, classifier.Ambiguous, classifier.MayHaveBeenProcessed, "processed not filled in is maybe"},
	} {
		d := classifier.Decide(row.failure, row.request, classifier.Policy{})
		if d.Verdict != row.verdict || d.Reason != row.reason {
			t.Errorf("Decide(%s %s %s %s, %+v) = %s %s, want %s %s: %s", row.failure.Code, row.failure.Syscall, row.failure.Phase,
				row.failure.Processed, row.request, d.Verdict, d.Reason, row.verdict, row.reason, row.why)
		}
	}
}

func TestAModificationIsWorthOneAttempt(t *testing.T) {
	for code, want := range map[int]classifier.Modification{
		411: classifier.ModifyLength, 417: classifier.ModifyExpect, 421: classifier.ModifyConnection, 425: classifier.ModifyNotEarly,
	} {
		d := classifier.Decide(status(code), post, classifier.Policy{})
		if d.Modify != want {
			t.Errorf("Decide(%d) = %+v, want to modify %s", code, d, want)
		}
		again := post
		again.Tried = []classifier.Modification{classifier.ModifyHTTP1, want}
		if d := classifier.Decide(status(code), again, classifier.Policy{}); d.Verdict != classifier.Fail || d.Reason != classifier.AlreadyModified {
			t.Errorf("Decide(%d), already tried = %+v, want fail, already-modified", code, d)
		}
		other := post
		other.Tried = []classifier.Modification{classifier.ModifyHTTP1}
		if d := classifier.Decide(status(code), other, classifier.Policy{}); d.Modify != want {
			t.Errorf("Decide(%d), another one tried = %+v, want to modify %s", code, d, want)
		}
	}
}

func TestALateNeverDoesNotEraseAnEarlierMaybe(t *testing.T) {
	del := classifier.Request{Method: "DELETE", BodyReplayable: true}
	for _, row := range []struct {
		failure classifier.Failure
		request classifier.Request
		verdict classifier.Verdict
		reason  classifier.Reason
		why     string
	}{
		{named(t, "ECONNREFUSED", "connect", ""), post, classifier.Ambiguous, classifier.MayHaveBeenProcessed, "the first may have worked"},
		{named(t, "ECONNREFUSED", "connect", ""), postKey, classifier.Retry, classifier.IdempotencyKey, "the key tells the second from the first"},
		{status(503), post, classifier.Ambiguous, classifier.MayHaveBeenProcessed, "the first may have worked"},
		{status(421), post, classifier.Ambiguous, classifier.MayHaveBeenProcessed, "the first may have worked"},
		{status(404), del, classifier.Ambiguous, classifier.PossiblyApplied, "perhaps we deleted it"},
		{status(410), del, classifier.Ambiguous, classifier.PossiblyApplied, "perhaps we deleted it"},
		{status(404), post, classifier.Fail, classifier.Deterministic, "a POST makes no 404"},
		{status(412), del, classifier.Ambiguous, classifier.PossiblyApplied, "perhaps we changed its tag"},
		{status(412), get, classifier.Fail, classifier.Deterministic, "a GET changes nothing"},
		{status(409), post, classifier.Ambiguous, classifier.PossiblyApplied, "perhaps with ourselves"},
		{status(409), lazyKey, classifier.Ambiguous, classifier.PossiblyApplied, "a key that nobody honours is none"},
		{status(409), postKey, classifier.Retry, classifier.KeyInFlight, "the first is still running"},
		{status(409), get, classifier.Fail, classifier.Conflict, "a GET conflicts with nothing of its own"},
		{status(200), post, classifier.Done, classifier.Success, "an answer is an answer"},
	} {
		row.request.AfterMaybe = true
		d := classifier.Decide(row.failure, row.request, classifier.Policy{})
		if d.Verdict != row.verdict || d.Reason != row.reason {
			t.Errorf("after a maybe, Decide(%s, %s) = %s %s, want %s %s: %s",
				row.failure.Code, row.request.Method, d.Verdict, d.Reason, row.verdict, row.reason, row.why)
		}
	}
}

func TestWaitIsKeptWithEveryRetry(t *testing.T) {
	for _, code := range []int{403, 408, 413, 417, 421, 423, 425, 429, 500, 502, 503, 504, 529} {
		f := classifier.FromResponse(classifier.Response{Status: code, Header: header("Retry-After", "7")})
		d := classifier.Decide(f, get, classifier.Policy{})
		if d.Wait != 7*time.Second || d.Verdict != classifier.Retry && d.Verdict != classifier.RetryModified {
			t.Errorf("Decide(%d with Retry-After: 7) = %+v, want a retry after 7s", code, d)
		}
	}
}
