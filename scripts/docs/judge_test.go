package main

import (
	"strings"
	"testing"

	"github.com/retry-lab/retry-lab/golden"
)

// rowOf is a row with cells, given as name and value in turn; alternatives are
// separated by a slash.
func rowOf(cells ...string) row {
	r := row{cells: map[string]golden.Cell{}}
	for i := 0; i < len(cells); i += 2 {
		r.cells[cells[i]] = golden.Values(strings.Split(cells[i+1], "/")...)
	}
	return r
}

func TestAdviceIsWhatTheCellsMean(t *testing.T) {
	for _, tc := range []struct {
		why     string
		row     row
		advice  string
		reasons string // empty: the row has no verdicts
	}{
		{"nothing was sent",
			rowOf("code", "ECONNREFUSED", "phase", "connect", "processed", "never", "get", "yes", "post", "yes", "post_key", "yes"),
			"whatever the request: send it again, after a backoff", "not-sent"},
		{"one fault, several errors, one meaning",
			rowOf("code", "CONN_CLOSED/ECONNRESET/EPIPE", "phase", "read-head/write", "processed", "maybe", "get", "yes", "post", "no", "post_key", "yes"),
			"GET, POST+KEY: send it again, after a backoff; POST: find out first (once the first can no longer arrive, look the operation up by your own reference; if it is not there, send it again)", "may-have-been-processed"},
		{"a server names a wait; a table of answers has no phase",
			rowOf("code", "HTTP_429", "retry_after", "2", "processed", "never", "get", "yes", "post", "yes", "post_key", "yes", "reason", "server-said-wait"),
			"whatever the request: send it again, after the 2s that the server names, and then your own backoff", "server-said-wait"},
		{"a change",
			rowOf("code", "HTTP_417", "processed", "never", "get", "modified", "post", "modified", "post_key", "modified"),
			"whatever the request: send it once more, without Expect", "expectation-failed"},
		{"the status of a proxy is in the text",
			rowOf("code", "PROXY", "phase", "proxy", "processed", "never", "get", "no", "post", "no", "post_key", "no", "message", "Proxy Authentication Required"),
			"whatever the request: do not send it again, it would fail again", "credentials"},
		{"done", rowOf("code", "HTTP_200", "processed", "yes", "get", "no", "post", "no", "post_key", "no"),
			"whatever the request: nothing, it is done", "success"},
		{"answered, and the answer is lost",
			rowOf("code", "TRUNCATED", "phase", "read-body", "processed", "yes", "get", "yes", "post", "no", "post_key", "yes"),
			"GET, POST+KEY: send it again, after a backoff; POST: do not send it again, it is done", "answer-lost"},
		{"a table without verdicts", rowOf("charges", "2"), "", ""},
		{"nothing was recorded", row{}, "", ""},
	} {
		j, err := judge(tc.row)
		if err != nil {
			t.Errorf("%s: %v", tc.why, err)
			continue
		}
		if j == nil {
			if tc.reasons != "" {
				t.Errorf("%s: no verdict", tc.why)
			}
			continue
		}
		var reasons []string
		for _, r := range j.reasons {
			reasons = append(reasons, string(r))
		}
		if got := strings.Join(reasons, " "); j.advice() != tc.advice || got != tc.reasons {
			t.Errorf("%s: %q for %s, want %q for %s", tc.why, j.advice(), got, tc.advice, tc.reasons)
		}
	}
}

func TestAReasonThatWasRecordedMustBeTheRule(t *testing.T) {
	r := rowOf("code", "ECONNREFUSED", "phase", "connect", "processed", "never", "get", "yes", "post", "yes", "post_key", "yes", "reason", "success")
	if j, err := judge(r); err == nil {
		t.Errorf("judge: %+v, want an error", j)
	}
}

func TestRowsThatAreTakenForEachOtherSayWhatIsTheSame(t *testing.T) {
	refused := rowOf("code", "ECONNREFUSED", "saw", "nothing", "post", "yes", "message", "dial: connection refused")
	for _, tc := range []struct {
		why   string
		row   row
		other row
		want  string
	}{
		{"one text, opposite truth", refused, rowOf("code", "ECONNREFUSED", "saw", "request, committed", "post", "no", "message", "dial: connection refused"),
			"prints the same, means the opposite"},
		{"one errno", refused, rowOf("code", "ECONNREFUSED", "saw", "request, committed", "post", "no", "message", "read: connection refused"),
			"has the same code, means the opposite"},
		{"the words of another", refused, rowOf("code", "EAI_AGAIN", "saw", "nothing", "post", "yes", "message", "lookup: read: connection refused"),
			"ends in the same words, `connection refused`"},
		{"nobody can know", rowOf("code", "TIMEOUT", "saw", "request", "post", "no", "message", "deadline"),
			rowOf("code", "TIMEOUT", "saw", "request, committed", "post", "no", "message", "deadline"),
			"prints the same; there the server saw: request, committed. The client cannot tell, so both are judged with the same caution"},
		{"nothing in common", refused, rowOf("code", "TIMEOUT", "saw", "nothing", "post", "yes", "message", "dial: i/o timeout"), "is easily taken for it"},
		{"not recorded", refused, row{}, ""},
	} {
		tc.other.id = "g/other"
		if got, want := compare(tc.row, tc.other), strings.TrimSpace("[g/other](#g-other) "+tc.want); got != want {
			t.Errorf("%s: %q, want %q", tc.why, got, want)
		}
	}
}
