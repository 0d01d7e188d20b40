package classifier

import (
	"net"
	"net/http"
	"os"
	"syscall"
	"testing"
)

// An answer speaks of the request that it answers, not of those before it.
func TestAnAnswerDoesNotEraseWhatWasSentBefore(t *testing.T) {
	wait := http.Header{"Retry-After": {"1"}}
	for _, tc := range []struct {
		why     string
		r       Response
		want    Processed
		basis   Basis
		post    Verdict
		postWhy Reason
	}{
		{"alone, a 503 is the server's word", Response{Status: 503}, Never, Claimed, Retry, ServerDidNoWork},
		{"after a 303 the POST is done, and the 503 is the GET's",
			Response{Status: 503, Earlier: Yes}, Yes, Assumed, Fail, AnswerLost},
		{"after a replay the 503 is that of the second delivery",
			Response{Status: 503, Earlier: Maybe}, Maybe, Assumed, Ambiguous, MayHaveBeenProcessed},
		{"nor does evidence that this one was shed",
			Response{Status: 503, Header: wait, Earlier: Maybe}, Maybe, Assumed, Ambiguous, MayHaveBeenProcessed},
		{"a success is one, whatever came before",
			Response{Status: 200, Earlier: Maybe}, Yes, Claimed, Done, Success},
		{"never is no news", Response{Status: 503, Earlier: Never}, Never, Claimed, Retry, ServerDidNoWork},
	} {
		f := FromResponse(tc.r)
		if f.Processed != tc.want || f.Basis != tc.basis {
			t.Errorf("%s: %s, %s; want %s, %s", tc.why, f.Processed, f.Basis, tc.want, tc.basis)
		}
		if d := Decide(f, Request{Method: "POST", BodyReplayable: true}, Policy{}); d.Verdict != tc.post || d.Reason != tc.postWhy {
			t.Errorf("%s: a bare POST: %s (%s), want %s (%s)", tc.why, d.Verdict, d.Reason, tc.post, tc.postWhy)
		}
	}
}

func TestARedirectTellsWhetherTheFirstRequestWasActedOn(t *testing.T) {
	refused := &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	dialled := Evidence{Traced: true, Acquisitions: 2, ConnectStarted: true}
	for _, tc := range []struct {
		why     string
		change  func(*Evidence)
		want    Processed
		basis   Basis
		earlier Processed
	}{
		{"no redirect: nothing was sent", func(*Evidence) {}, Never, Guaranteed, ""},
		{"303: the first request was answered", func(e *Evidence) { e.ExposedYes = true }, Yes, Assumed, Yes},
		{"307: it was not acted on, says its server", func(e *Evidence) { e.Moved = true }, Never, Claimed, ""},
		{"307 after a replay: one copy may have been", func(e *Evidence) { e.Moved, e.Exposed = true, true }, Maybe, Assumed, Maybe},
		{"307, then 303: it was answered at last", func(e *Evidence) { e.Moved, e.ExposedYes = true, true }, Yes, Assumed, Yes},
	} {
		ev := dialled
		tc.change(&ev)
		f := FromError(refused, ev)
		if f.Code != "ECONNREFUSED" || f.Phase != PhaseConnect || f.Processed != tc.want || f.Basis != tc.basis {
			t.Errorf("%s: %+v, want %s, %s", tc.why, f, tc.want, tc.basis)
		}
		if got := ev.Earlier(); got != tc.earlier {
			t.Errorf("%s: earlier %q, want %q", tc.why, got, tc.earlier)
		}
	}
}
