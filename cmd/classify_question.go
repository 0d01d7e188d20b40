package cmd

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/retry-lab/retry-lab/classifier"
)

// askForm is how classify is asked.
const askForm = "give --status, or --code with --syscall and --phase, or JSON lines on stdin"

// A question is what classify is asked about.
type question struct {
	status               int
	hasStatus            bool // a status of 0 is wrong, none is not
	code, syscall, phase string
	method               string
	key, keyUnhonoured   bool
	header               http.Header // of the response
	strict               bool
	maxWait              time.Duration // as in classifier.Policy
}

func newQuestion() *question { return &question{method: http.MethodPost, header: http.Header{}} }

// empty: neither a response nor an error is named.
func (q *question) empty() bool {
	return !q.hasStatus && q.code == "" && q.syscall == "" && q.phase == ""
}

// setFlags takes over the flags that are no plain values.
func (q *question) setFlags(headers []string, maxWait time.Duration, maxWaitGiven bool) error {
	for _, h := range headers {
		name, value, ok := strings.Cut(h, ":")
		if !ok {
			return usageError("a header is written 'Name: value'", "header %q has no colon", h)
		}
		if err := q.addHeader(name, strings.Trim(value, " \t")); err != nil {
			return err
		}
	}
	if maxWaitGiven {
		q.setMaxWait(maxWait)
	}
	return nil
}

// setMaxWait takes a wait where zero means that none is accepted.
func (q *question) setMaxWait(d time.Duration) {
	q.maxWait = d
	if d <= 0 {
		q.maxWait = -1
	}
}

func (q *question) addHeader(name, value string) error {
	if !isToken(name) {
		return usageError("a header is written 'Name: value'", "header name %q is not a token of RFC 9110 section 5.6.2", name)
	}
	if i := strings.IndexFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }); i >= 0 {
		return usageError("a header is written 'Name: value'", "header %s has a control character in its value", name)
	}
	q.header.Add(name, value)
	return nil
}

// isToken reports whether s is a token (RFC 9110 section 5.6.2).
func isToken(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool {
		alphanumeric := '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
		return !alphanumeric && !strings.ContainsRune("!#$%&'*+-.^_`|~", r)
	}) < 0
}

// answer decides. received is when the response is taken to have arrived.
func (q *question) answer(received time.Time) (answer, error) {
	f, err := q.failure(received)
	if err != nil {
		return answer{}, err
	}
	if !isToken(q.method) {
		return answer{}, usageError("a method is one word, such as GET or POST", "method %q is not a token of RFC 9110 section 5.6.2", q.method)
	}
	d := classifier.Decide(f, classifier.Request{
		Method: q.method, Key: q.key || q.keyUnhonoured, KeyHonoured: q.key, BodyReplayable: true,
	}, classifier.Policy{Strict: q.strict, MaxWait: q.maxWait})
	return answer{
		Schema: reportSchema, Verdict: d.Verdict, Modify: d.Modify, Processed: f.Processed, Basis: f.Basis,
		WaitMS: inMS(d.Wait), Reason: d.Reason, Sentence: d.Reason.Sentence(), Source: d.Reason.Source(),
		FailureSource: f.Source(), Code: f.Code, Syscall: f.Syscall, Phase: f.Phase, Status: f.Status, wait: d.Wait,
	}, nil
}

func (q *question) failure(received time.Time) (classifier.Failure, error) {
	named := q.code != "" || q.syscall != "" || q.phase != ""
	switch {
	case q.hasStatus && named:
		return classifier.Failure{}, usageError("a response has a status, an error has a code", "status and code, syscall or phase exclude each other")
	case q.hasStatus:
		if q.status < 100 || q.status > 999 {
			return classifier.Failure{}, usageError("a status is a number from 100 to 999", "%d is not a status", q.status)
		}
		return classifier.FromResponse(classifier.Response{Status: q.status, Header: q.header, Received: received}), nil
	case q.code == "":
		return classifier.Failure{}, usageError(askForm, "there is neither a status nor a code")
	case len(q.header) > 0:
		return classifier.Failure{}, usageError("only a response has headers: give --status", "headers do not go with a code")
	}
	f, err := classifier.FromNames(classifier.Code(q.code), classifier.Syscall(q.syscall), classifier.Phase(q.phase))
	if err != nil {
		return f, usageError(q.namesHint(), "%w", err)
	}
	return f, nil
}

// namesHint says which names there are for the one that is wrong.
func (q *question) namesHint() string {
	calls, phases := texts(classifier.Syscalls()), texts(classifier.Phases())
	switch {
	case q.syscall != "" && !slices.Contains(calls, q.syscall):
		return "a syscall is one of " + strings.Join(calls, ", ")
	case q.phase != "" && !slices.Contains(phases, q.phase):
		return "a phase is one of " + strings.Join(phases, ", ")
	}
	return "a code is an errno such as ECONNRESET, or ENOTFOUND, EAI_AGAIN, EOF, TIMEOUT, …; a response is asked for with --status"
}
